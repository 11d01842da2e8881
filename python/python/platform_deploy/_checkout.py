"""The checkout that a command runs in: where it is, what it is made from, and the tools on the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pharos
from pharos._world import working_directory

CATALOGUE = Path("catalogue/services.yaml")


class CheckoutError(RuntimeError):
    """The checkout cannot be used."""


class NoCheckoutError(CheckoutError):
    """There is no checkout here: wrong usage."""


def find() -> Path:
    """The nearest folder, from here upwards, that holds a catalogue."""
    here = working_directory()
    for folder in (here, *here.parents):
        if (folder / CATALOGUE).is_file():
            return folder
    raise NoCheckoutError(f"no {CATALOGUE} here or above: run this in a checkout")


def document(checkout: Path, commit: str, path: Path | str) -> tuple[str, bytes]:
    """A document of a commit by its path in the checkout, no more of it than the core judges."""
    return str(path), git(checkout, "cat-file", "blob", f"{commit}:./{path}")[: pharos.MAX_DOCUMENT_BYTES + 1]


def environments(checkout: Path) -> list[str]:
    """The environments that a committed policy names; where git is not installed, which is told, those of the folder."""
    if absent(["git"]):
        paths = [path.relative_to(checkout) for path in checkout.glob("environments/*/policy.yaml")]
    else:
        listed = git(checkout, "ls-tree", "-r", "-z", "--name-only", "HEAD", "--", "environments/")
        paths = [Path(os.fsdecode(name)) for name in listed.split(b"\0") if name]
    return sorted(path.parts[1] for path in paths if len(path.parts) == 3 and path.name == "policy.yaml")


def runners(checkout: Path) -> list[str]:
    """The environments that are bound to a runner; a record that leads nowhere is one."""
    return sorted(path.name for path in checkout.glob(".local/deployments/*") if os.path.lexists(path / "runner.json"))


def absent(tools: list[str]) -> list[str]:
    """Those of the tools that are not on the search path."""
    return [tool for tool in tools if shutil.which(tool) is None]


def revision(checkout: Path) -> dict[str, object]:
    """The commit, and whether the working tree differs from it."""
    commit = git(checkout, "rev-parse", "--verify", "HEAD").decode().strip()
    return {"commit": commit, "dirty": bool(git(checkout, "status", "--porcelain"))}


def git(checkout: Path, *arguments: str) -> bytes:
    """What a command of git's prints."""
    # GIT_DIR and its like would have another repository answer for this checkout.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(["git", "-C", str(checkout), *arguments], capture_output=True, check=False, env=environment)
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split())
        raise CheckoutError(f"git {arguments[0]} failed: {said}")
    return done.stdout
