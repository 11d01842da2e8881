"""Ansible collections to measure beside, from the package `ansible` of the Python index, kept in the user's cache.

Of that package only what is named here is kept: the whole of it has 600 MB.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VERSION = "12.3.0"
COLLECTIONS = ("crypto",)  # of `community`


def collections() -> Path:
    """A collections path with the peers; fetched when it is not there."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pharos"
    kept = home / "peers" / f"ansible-{VERSION}"
    if kept.is_dir():
        return kept
    kept.parent.mkdir(parents=True, exist_ok=True)
    uv = shutil.which("uv") or str(home / "tools" / "uv")
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        install = [uv, "pip", "install", "--quiet", "--no-cache", "--no-deps", "--python", sys.executable]
        subprocess.run([*install, "--target", f"{folder}/all", f"ansible=={VERSION}"], check=True)
        community = Path(folder) / "kept" / "ansible_collections" / "community"
        for name in COLLECTIONS:
            shutil.copytree(Path(folder) / "all" / "ansible_collections" / "community" / name, community / name)
        (Path(folder) / "kept").rename(kept)
    return kept
