"""What this collection consists of: its modules, their specifications and its programs."""

from __future__ import annotations

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


def _programs() -> dict[str, Program] | None:
    """The programs of the manifest that the build wrote; `None` if nothing was built."""
    try:
        manifest = json.loads((ROOT / "files" / "manifest.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return {
        architecture: Program(architecture, sha256, ROOT / "files" / "bin" / architecture / PROGRAM)
        for architecture, sha256 in manifest["programs"].items()
    }


# Read once, when Ansible loads the plugin and before it forks: no task reads them again, and none hashes a program.
GENERATED: dict[str, Any] = json.loads((Path(__file__).parent / "modules.json").read_text(encoding="utf-8"))
_PROGRAMS = _programs()


def programs() -> dict[str, Program]:
    """The programs by architecture."""
    if _PROGRAMS is None:
        raise TransportError("the collection holds no programs: `ansible_modules/build.sh` (or `make modules`) builds them")
    return _PROGRAMS
