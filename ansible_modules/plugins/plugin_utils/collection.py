"""What this collection consists of: its modules, their specifications and its programs."""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = "pharos-modules"


class TransportError(Exception):
    """The task cannot be brought to its program; the message says why and what to do."""


class Program(NamedTuple):
    """The program for one architecture."""

    architecture: str
    sha256: str
    path: Path

    def read(self) -> bytes:
        """Its bytes, which are those that the manifest names."""
        data = self.path.read_bytes()
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise TransportError(f"{self.path} is not the program that the manifest names: install the collection again")
        return data


@functools.cache
def generated() -> dict[str, Any]:
    """The version of the collection and, by name, the argument specification of each module."""
    content: dict[str, Any] = json.loads((Path(__file__).parent / "modules.json").read_text(encoding="utf-8"))
    return content


@functools.cache
def programs() -> dict[str, Program]:
    """The programs by architecture. Digests come from the manifest: no task hashes a file to send a command."""
    try:
        manifest = json.loads((ROOT / "files" / "manifest.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TransportError(
            "the collection holds no programs: `ansible_modules/build.sh` (or `make modules`) builds them"
        ) from None
    return {
        architecture: Program(architecture, sha256, ROOT / "files" / "bin" / architecture / PROGRAM)
        for architecture, sha256 in manifest["programs"].items()
    }
