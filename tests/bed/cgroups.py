"""A bed's place in the machine's control groups: what a killed run left is found and ended by it.

Works with the unified hierarchy, with the hybrid one (version 1 beside `unified`), and with version 1.
"""

import contextlib
import os
import signal
import time
from pathlib import Path

_TOP = "pharos-bed"


def _hierarchies() -> list[Path]:
    """Where systemd's own hierarchy and the unified one are mounted."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, after = line.split(" - ", 1)
        kind, _, options = after.split(" ", 2)
        if kind == "cgroup2" or (kind == "cgroup" and "name=systemd" in options.split(",")):
            found.append(Path(before.split(" ")[4]))
    return found


def make(*parts: str) -> list[Path]:
    """Make a group below the bed's top in each hierarchy; returns the `cgroup.procs` files to enter it by."""
    groups = [hierarchy.joinpath(_TOP, *parts) for hierarchy in _hierarchies()]
    for group in groups:
        _mkdir(group)
    return [group / "cgroup.procs" for group in groups]


def _mkdir(group: Path) -> None:
    while not group.is_dir():
        with contextlib.suppress(FileNotFoundError):  # the end of another bed may remove the empty top meanwhile
            group.mkdir(parents=True, exist_ok=True)


def pids(prefix: str) -> set[int]:
    """Every process in a group of the bed `prefix`."""
    found: set[int] = set()
    for hierarchy in _hierarchies():
        # Groups go away meanwhile: `walk` passes over them, `rglob` would not.
        for group, _, _ in os.walk(hierarchy / _TOP / prefix):
            with contextlib.suppress(OSError):
                found.update(int(word) for word in Path(group, "cgroup.procs").read_text().split())
    return found - {0, os.getpid()}


def remove(*parts: str) -> None:
    """Remove the groups at and below; all their processes must have ended."""
    for hierarchy in _hierarchies():
        top = hierarchy.joinpath(_TOP, *parts)
        below = sorted((each for each in top.rglob("*") if each.is_dir()), reverse=True)
        for group in (*below, top):
            _rmdir(group)
        with contextlib.suppress(OSError):  # other beds' groups are in it, or it is gone
            (hierarchy / _TOP).rmdir()


def _rmdir(group: Path) -> None:
    deadline = time.monotonic() + 5
    while group.is_dir():
        try:
            group.rmdir()
        except OSError:  # busy until its last process is reaped
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def kill(process: int) -> None:
    """End a process at once, if it still is."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return
