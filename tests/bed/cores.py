"""Other releases of ansible-core than the pinned one, each in an environment of its own below the user's cache."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from bed.commands import run
from bed.paths import cache, exclusive

_BESIDE = ("cryptography==50.0.2", "jinja2==3.1.6", "packaging==26.4", "pyyaml==6.0.4")
"""What they stand on, pinned with them."""
_COMPLETE = ".complete"


@dataclass(frozen=True)
class Core:
    """A release, and the Pythons that it runs on: from `oldest` to before `end`."""

    version: str
    oldest: tuple[int, int]
    end: tuple[int, int]

    @property
    def python(self) -> Path | None:
        """The newest interpreter of this machine that it runs on; `None` if there is none."""
        fitting = {version: path for version, path in _interpreters().items() if self.oldest <= version < self.end}
        return fitting[max(fitting)] if fitting else None


CORES = (
    Core("2.16.19", (3, 10), (3, 12)),
    Core("2.18.19", (3, 11), (3, 12)),
    Core("2.21.5", (3, 12), (3, 15)),
)
"""The oldest that the collection takes, one between, and the newest. 2.19 is the one of `devops/`."""


def _interpreters() -> dict[tuple[int, int], Path]:
    """The interpreters of CPython at hand, by version: this one, those on PATH, and those that pyenv keeps beside it."""
    found = {sys.version_info[:2]: Path(sys.executable).resolve()}
    for minor in range(10, 16):
        kept = sorted(
            (Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions").glob(f"3.{minor}.*/bin/python3")
        )
        on_path = shutil.which(f"python3.{minor}")
        for candidate in [*kept, *([Path(on_path)] if on_path else [])]:
            # one of pyenv's stands on PATH for each version that it has, whether that is switched on or not
            if (3, minor) not in found and run([candidate, "-c", "import venv, ensurepip"], check=False).ok:
                found[3, minor] = candidate
    return found


def at_hand() -> list[Core]:
    """Those that a Python of this machine runs."""
    return [core for core in CORES if core.python]


def ansible_playbook(core: Core) -> Path:
    """Its `ansible-playbook`; installed first, once a machine."""
    python = core.python
    if python is None:
        raise LookupError(f"no Python of this machine runs ansible-core {core.version}")
    folder = cache() / "cores" / f"{core.version}-{python.resolve().name}"
    with exclusive(folder.with_name(f"{folder.name}.lock")):
        pins = "\n".join([f"ansible-core=={core.version}", *_BESIDE])
        marker = folder / _COMPLETE
        if not marker.exists() or marker.read_text() != pins:
            shutil.rmtree(folder, ignore_errors=True)
            environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}  # the registry may need the machine's trust
            uv = cache().parent / "tools" / "uv"
            run([uv, "venv", "--quiet", "--python", python, folder], environment=environment)
            python = folder / "bin" / "python"
            run([uv, "pip", "install", "--quiet", "--python", python, *pins.split()], environment=environment)
            marker.write_text(pins)
    return folder / "bin" / "ansible-playbook"


def main() -> None:
    """Install all that can be, and say which cannot."""
    for core in CORES:
        if core.python:
            ansible_playbook(core)
        else:
            oldest = ".".join(map(str, core.oldest))
            print(
                f"ansible-core {core.version}: no Python {oldest} or newer is at hand, so it is not tried here", file=sys.stderr
            )


if __name__ == "__main__":
    main()
