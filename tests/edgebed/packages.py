"""Python packages for a host without a network: fetched once by this machine's own pip, and offered as files."""

import os
import shutil
import sys
from pathlib import Path

from bed.commands import run
from bed.hosts import Host
from bed.paths import cache, exclusive

_FOLDER = "/srv/wheels"


def offer(host: Host, requirement: str) -> None:
    """Let pip on a Debian 12 host install a requirement with all that it needs."""
    wheels = _fetched(requirement)
    root = Path(f"/proc/{host.leader()}/root")
    shutil.copytree(wheels, root / _FOLDER.lstrip("/"))
    host.put(f"[global]\nno-index = true\nfind-links = {_FOLDER}\n", "/etc/pip.conf")


def _fetched(requirement: str) -> Path:
    folder = cache() / "wheels" / requirement
    with exclusive(folder.with_name(f"{folder.name}.lock")):
        if not folder.is_dir():
            aside = folder.with_name(f".{folder.name}")
            shutil.rmtree(aside, ignore_errors=True)
            run([sys.executable, "-m", "venv", aside / "pip"], environment=os.environ)
            wanted = ["--only-binary", ":all:", "--python-version", "3.11", "--dest", str(aside / "wheels"), requirement]
            run([aside / "pip/bin/pip", "download", "--quiet", *wanted], environment=os.environ)
            (aside / "wheels").rename(folder)
            shutil.rmtree(aside)
    return folder
