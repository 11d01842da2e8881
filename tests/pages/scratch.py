"""A site to run the commands of a page in: what a clone has of documents, with a home of its own."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pages.page import REPOSITORY, Command

_COPIED = ("README.md", "catalogue", "charts", "docs/examples", "environments", "examples", "playbooks", "roles", "scripts")
_LAB = "core/tests/inventories/lab"
_PRIVATE = ".config/pharos/environments/icarus-cloud/inventory"
_BETWEEN = "----- between commands -----"


@dataclass(frozen=True)
class Printed:
    """What came of a command: both streams as a terminal shows them."""

    status: int
    text: str


def prepare(folder: Path) -> Path:
    """The checkout's documents, an inventory beside them and one in the private folder."""
    site = folder / "pharos"
    for name in _COPIED:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, site / name, symlinks=True)
        else:
            site.mkdir(exist_ok=True)
            shutil.copy(source, site / name)
    (site / ".venv").symlink_to(sys.prefix)
    shutil.copy(REPOSITORY / _LAB / "hosts.yml", site / "hosts.yml")
    shutil.copytree(REPOSITORY / _LAB, folder / "home" / _PRIVATE)
    # the environment that docs/guide/install.md makes
    (folder / "home" / "pharos").symlink_to(sys.prefix)
    return site


def run(commands: list[Command], folder: Path, home: Path) -> list[Printed]:
    """One after the other in one shell, as somebody types them who reads the page from its beginning."""
    script = "\n".join(f'{each.line}\nprintf "\\n{_BETWEEN} %d\\n" $?' for each in commands)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={"PATH": _path(), "HOME": str(home), "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    parts = re.split(rf"\n{_BETWEEN} (\d+)\n", done.stdout)
    return [Printed(int(status), text) for text, status in zip(parts[::2], parts[1::2], strict=False)]


def _path() -> str:
    """The search path without this project's tools: a page says how a reader comes by them."""
    own = str(Path(sys.executable).parent)
    return os.pathsep.join(each for each in os.environ["PATH"].split(os.pathsep) if each != own)


def as_shown(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed; a line `...` stands for any lines."""
    pattern = "".join("(?s:.*)" if line == "...\n" else re.escape(line) for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, printed) is not None
