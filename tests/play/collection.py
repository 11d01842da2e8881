"""The collection, as it is or with a program of a test's own."""

import hashlib
import json
import platform
import shutil
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent.parent
SOURCE = REPOSITORY / "ansible_modules"

# A program that does what a task tells it to, and says as whom.
PROBE = r"""#!/bin/sh
if [ "$1" = - ]; then request=$(cat); else request=$(cat "$1"); fi
case $request in
  *'"does": "die"'*) kill -SEGV $$ ;;
  *'"does": "lose"'*) exit 255 ;;
  *'"does": "sleep"'*) exec sleep 60 ;;
  *'"does": "chatter"'*) echo 'a line before {'; echo '{"changed": true}'; echo 'and one after'; exit 0 ;;
  *'"does": "garble"'*) echo 'no JSON at all'; exit 0 ;;
esac
request=$(printf %s "$request" | sed 's/[\\"]/\\&/g')
printf '{"changed": false, "user": "%s", "program": "%s", "greeting": "%s", "request": "%s"}\n' \
  "$(id -un)" "$0" "$GREETING" "$request"
"""

_PROBE_ACTION = """
from ansible_collections.pharos.platform.plugins.plugin_utils.action import TargetModule


class ActionModule(TargetModule):
    module = "probe"
"""

_PROBE_SPECIFICATION: dict[str, Any] = {
    "documents": {"document": "make document"},
    "document_lists": [],
    "required_if": [],
    "required_by": {},
    "background": True,
    "argument_spec": {
        "does": {"type": "str"},
        "document": {"type": "path"},
        "token": {"type": "str", "no_log": True},
        "nested": {"type": "list", "elements": "dict", "options": {"token": {"type": "str", "no_log": True}}},
    },
}


def real(folder: Path) -> Path:
    """A collections path with the collection of this checkout."""
    place = folder / "ansible_collections" / "pharos"
    place.mkdir(parents=True)
    (place / "platform").symlink_to(SOURCE)
    return folder


def with_program(folder: Path, program: bytes = PROBE.encode()) -> Path:
    """A collections path with a copy of the collection whose program is this one; it has a further module `probe`."""
    place = folder / "ansible_collections" / "pharos" / "platform"
    shutil.copytree(SOURCE / "plugins", place / "plugins", ignore=shutil.ignore_patterns("__pycache__"))
    (place / "plugins" / "action" / "probe.py").write_text(_PROBE_ACTION)
    modules = place / "plugins" / "plugin_utils" / "modules.json"
    generated = json.loads(modules.read_text())
    generated["modules"]["probe"] = _PROBE_SPECIFICATION
    modules.write_text(json.dumps(generated))
    (place / "plugins" / "modules" / "probe.py").write_text('DOCUMENTATION = "module: probe"\n')
    replace_program(folder, program)
    return folder


def replace_program(folder: Path, program: bytes) -> str:
    """Puts another program into a collection that `with_program` made; answers its digest."""
    files = folder / "ansible_collections" / "pharos" / "platform" / "files"
    path = files / "bin" / platform.machine() / "pharos-modules"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(program)
    digest = hashlib.sha256(program).hexdigest()
    (files / "manifest.json").write_text(json.dumps({"programs": {platform.machine(): digest}}))
    return digest
