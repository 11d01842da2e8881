"""Runs a cluster's programs for a caller, and ends them when the caller ends, however it ends.

`python -m cluster.guard FOLDER` reads one JSON line for each program to start, `{"name": ..., "argv": [...]}`, answers with
its process id, and waits for more. When its standard input closes (the caller has ended, or says so by that), it ends the
programs in the reverse order and removes the folder. If it is killed itself, the kernel ends the programs.
"""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

_PATIENCE = 5  # seconds that each program has to end in order


def main(folder: Path) -> None:
    """Serve until standard input ends."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the caller's end is what ends this
    children: list[subprocess.Popen[bytes]] = []
    try:
        for line in sys.stdin:
            children.append(_start(folder, **json.loads(line)))
            print(children[-1].pid, flush=True)
    finally:
        for child in reversed(children):
            _end(child)
        shutil.rmtree(folder)


def _start(folder: Path, name: str, argv: list[str]) -> subprocess.Popen[bytes]:
    with folder.joinpath(f"{name}.log").open("ab") as log:
        return _with_death_signal(argv, log, folder)


def _with_death_signal(argv: list[str], log: IO[bytes], folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", "--", *argv],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        cwd=folder,
        start_new_session=True,
    )


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
