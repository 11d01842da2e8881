"""What this collection consists of: its modules, their specifications and its programs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.pharos.platform.plugins.plugin_utils.fault import Fault, TransportError

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = "pharos-modules"


class Program(NamedTuple):
    """The program for one architecture."""

    architecture: str
    sha256: str
    path: Path

    def read(self) -> bytes:
        """Its bytes, which are those that the manifest names."""
        data = self.path.read_bytes()
        if hashlib.sha256(data).hexdigest() != self.sha256:
            message = f"{self.path} is not the program that the manifest names"
            raise TransportError(Fault("module/damaged-collection", message, "install the collection again (`make modules`)"))
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
        message = "the collection holds no programs"
        raise TransportError(Fault("module/not-built", message, "build them: `make modules`, or `ansible_modules/build.sh`"))
    return _PROGRAMS
