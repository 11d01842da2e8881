"""A stand-in for an aarch64 host: an x86_64 one whose commands over ssh see another `uname`, and run such programs emulated.

They enter a user and a mount namespace of the host, which has a `binfmt_misc` of its own (Linux 6.7 and newer) with the emulator
in it. The host's nginx is started in it as well: from within, processes outside cannot be looked at. What the host does besides,
and the machine below it, know nothing of it, and programs of the host itself (nginx, find, unshare) stay its own.
"""

import shutil
import subprocess
from pathlib import Path

from bed.commands import run
from bed.hosts import Host

REPOSITORY = Path(__file__).resolve().parents[2]
_PLACE = "/usr/local/lib/aarch64"

# The header of a static or a position-independent program for aarch64, and what of it counts.
_MAGIC = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
_MASK = r"\xff\xff\xff\xff\xff\xff\xff\xfc\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"

_UNAME = f"""#!/bin/sh
# A stand-in: the machine is an x86_64 one.
{_PLACE}/uname.real "$@" | sed s/x86_64/aarch64/g
"""
# The outer shell is of the host, and says which users the namespace has: all of them.
_HOLD = f"""#!/bin/sh
# A stand-in for an aarch64 machine: see tests/edgebed/aarch64.py.
set -e
mkfifo {_PLACE}/go
unshare --user --mount sh -ec '
  read go <{_PLACE}/go
  mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
  printf %s ":aarch64:M::{_MAGIC}:{_MASK}:{_PLACE}/qemu-aarch64-static:F" >/proc/sys/fs/binfmt_misc/register
  mount --bind {_PLACE}/uname /usr/bin/uname
  touch {_PLACE}/ready
  exec sleep infinity' &
until [ "$(readlink /proc/$!/ns/user)" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.02; done
echo 0 0 4294967295 >/proc/$!/uid_map
echo 0 0 4294967295 >/proc/$!/gid_map
echo $! >{_PLACE}/pid
echo go >{_PLACE}/go
wait
"""
_ENTER = f"""#!/bin/sh
# A stand-in for an aarch64 machine: see tests/edgebed/aarch64.py.
[ "$#" -gt 0 ] || set -- /bin/sh -c "$SSH_ORIGINAL_COMMAND"
exec nsenter --target "$(cat {_PLACE}/pid)" --user --mount --preserve-credentials -- "$@"
"""
_NGINX = f"""[Service]
ExecStart=
ExecStart={_PLACE}/enter /usr/sbin/nginx
"""


def emulator() -> Path:
    """The emulator that came with the compiler for aarch64."""
    found = subprocess.run([REPOSITORY / "scripts" / "toolchain"], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip(), "bin", "qemu-aarch64-static")


def become(host: Host) -> None:
    """Make every later command over ssh see an aarch64 machine."""
    for text, name in ((_UNAME, "uname"), (_HOLD, "hold"), (_ENTER, "enter")):
        host.put(text, f"{_PLACE}/{name}", mode=0o755)
    host.put(_NGINX, "/etc/systemd/system/nginx.service.d/aarch64.conf")
    shutil.copy(emulator(), f"/proc/{host.leader()}/root{_PLACE}/")
    host.put(f"ForceCommand {_PLACE}/enter\n", "/etc/ssh/sshd_config.d/aarch64.conf")
    host.run(f"cp /usr/bin/uname {_PLACE}/uname.real && systemd-run --quiet --unit=aarch64 {_PLACE}/hold")
    # the namespace has no say in who may bind a low port of the host: nobody minds here
    run([*host.namespace.enter(), "sysctl", "-q", "-w", "net.ipv4.ip_unprivileged_port_start=0"])
    host.run(f"until [ -e {_PLACE}/ready ]; do sleep 0.02; done && systemctl daemon-reload", timeout=20)
    host.run("systemctl restart nginx && systemctl reload ssh")
