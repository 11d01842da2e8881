"""The machine's own tools that the bed stands on, installed from the machine's apt when missing."""

import os
import shutil

from bed.commands import run
from bed.paths import cache, exclusive, need_root

TOOLS = {
    "apt-get": "apt",
    "chromium": "chromium",
    "curl": "curl",
    "ip": "iproute2",
    "mmdebstrap": "mmdebstrap",
    "nft": "nftables",
    "nsenter": "util-linux",
    "openssl": "openssl",
    "pebble": "pebble",
    "pebble-challtestsrv": "pebble",
    "setfacl": "acl",
    "ssh": "openssh-client",
    "strace": "strace",
    "systemd-nspawn": "systemd-container",
}
"""Program -> Debian package that brings it."""


def missing() -> list[str]:
    """The packages whose program is not on PATH, in order."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return sorted({package for program, package in TOOLS.items() if not shutil.which(program, path=path)})


def ensure() -> None:
    """Install what is missing; does nothing when all is there."""
    if not missing():
        return
    need_root()
    with exclusive(cache() / "tools.lock"):
        wanted = missing()
        if wanted:
            environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            run(["apt-get", "update", "-q"], environment=environment)
            run(["apt-get", "install", "-q", "-y", "--no-install-recommends", *wanted], environment=environment)


if __name__ == "__main__":
    ensure()
