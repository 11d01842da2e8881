"""Where the bed keeps things, and the locks that keep two runs apart."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RUN = Path("/run/pharos-bed")
"""State of running beds; gone after a restart of the machine."""


def cache() -> Path:
    """What is worth keeping between runs: `$XDG_CACHE_HOME/pharos/testbed`, or the same below `~/.cache`."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "pharos" / "testbed"


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock file `path`; waits for another holder. The kernel frees it when the holder dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def need_root() -> None:
    """Raise `PermissionError` unless the caller is root: namespaces, mounts and chroot need it."""
    if os.geteuid() != 0:
        raise PermissionError("the test bed needs root: run it with sudo")
