"""`python -m demo notice|up|down`, behind `make demo` and `make demo-down`."""

import importlib
import os
import signal
import sys
import time
from types import FrameType

from bed import hosts

PREFIX = "demo"

_NOTICE = """\
make demo needs root: it boots a Debian host (systemd, sshd, nginx) in namespaces of its own.
  what it installs when missing: the project's tools into .venv and ~/.cache/pharos, and Debian packages for the host
                                 (mmdebstrap, systemd-container, pebble)
  what it makes on this machine: one network device (bed-demo), namespaces, and files below /run/pharos-bed
  what it leaves alone:          this machine's nginx, certificates, trust store, resolver and firewall
  how to remove it:              make demo-down
"""


def notice() -> int:
    """Say what is going to happen; refuse without root, before anything is installed."""
    print(_NOTICE, flush=True)
    if os.geteuid() != 0:
        print("demo: run it as root: sudo make demo", file=sys.stderr)
        return 3
    return 0


def up() -> int:
    """Bring the site up, in place of one that an earlier demo left. Interrupted, it removes what it has made."""
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"demo: [{time.monotonic() - began:5.1f} s] {text}", flush=True)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        hosts.remove(PREFIX)
        # The bindings: there after `make setup`, which the notice comes before.
        stage = importlib.import_module("demo.stage")
        status: int = stage.play(PREFIX, say)
    except KeyboardInterrupt:
        say("interrupted: what was made is removed")
        return 130
    return status


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """The first signal ends the demo; those that follow do not end its tidying up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def down() -> int:
    """Remove everything that `up` made."""
    if os.geteuid() != 0:
        print("demo: run it as root: sudo make demo-down", file=sys.stderr)
        return 3
    hosts.remove(PREFIX)
    print("demo: removed")
    return 0


def main(word: str) -> int:
    """Do what the word says."""
    try:
        return {"notice": notice, "up": up, "down": down}[word]()
    except hosts.BedHeldError as error:
        print(f"demo: {error}: wait until it has ended, or end it; there is one demo a machine", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
