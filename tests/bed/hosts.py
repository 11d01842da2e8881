"""A bed: a control side and booted hosts on one bridge, apart from the machine's own network.

    with Bed("t1", net=3) as bed:
        old, new = bed.boot(HostSpec("edge1", "bookworm"), HostSpec("edge2", "trixie"))
        old.run("systemctl is-active nginx")
        bed.control_exec(["curl", "-s", f"http://{new.v4}/"])

Beds of different prefixes live side by side. What a killed run left is removed by the next `up` of that
prefix. Hosts have no route out of the bed.
"""

import fcntl
import json
import os
import re
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeVar

from bed import cgroups, network, roots, tools, waiting
from bed.commands import Result, bed_environment, run
from bed.host import Host, HostSpec, Place
from bed.network import Namespace, Net
from bed.paths import RUN, need_root
from bed.process import Process

__all__ = ["Bed", "BedHeldError", "Host", "HostSpec", "remove"]

T = TypeVar("T")


class BedHeldError(RuntimeError):
    """Another process has the bed up."""


_PREFIX = re.compile("[a-z][a-z0-9]{0,10}")
_BRIDGE = "02:77:00:00:00:01"

# Give a program on the control side the bed's resolver, where only it sees that.
_WITH_RESOLVER = r"""set -eu
count=$1 resolver=$2; shift 2
while [ "$count" -gt 0 ]; do echo $$ > "$1"; shift; count=$((count - 1)); done
[ ! -e /etc/resolv.conf ] || mount --bind "$resolver" /etc/resolv.conf
exec "$@"
"""


class Bed:
    """A control side, and the hosts that were booted; a context manager that leaves nothing behind."""

    def __init__(self, prefix: str, net: int, *, reachable: bool = False) -> None:
        """Name the bed; `reachable` gives this machine an address on its bridge while it is up."""
        if not _PREFIX.fullmatch(prefix):
            raise ValueError(f"a bed's prefix is a letter and up to 10 letters or digits, not {prefix!r}")
        self.prefix = prefix
        self.net = Net(net)
        self.folder = RUN / prefix
        self.control = Namespace(f"{prefix}.control")
        self.hosts: dict[str, Host] = {}
        self._reachable = reachable
        self._lock: IO[str] | None = None

    # Life

    def __enter__(self) -> "Bed":
        """Bring the control side up."""
        return self.up()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Remove the bed."""
        self.down()

    def up(self) -> "Bed":
        """Bring the control side up; removes what a killed run of this prefix left."""
        need_root()
        tools.ensure()
        self._lock = _lock(self.prefix)
        try:
            _sweep(self.prefix)
            self._make()
        except BaseException:
            self.down()
            raise
        return self

    def _make(self) -> None:
        self.folder.mkdir()
        run(["mount", "-t", "tmpfs", "-o", "mode=755", f"bed-{self.prefix}", self.folder])
        (self.folder / "hosts").mkdir()
        (self.folder / "services").mkdir()
        (self.folder / "resolv.conf").write_text(f"nameserver {self.net.v4(network.CONTROL)}\n")
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "bed", "-f", self.folder / "id"])
        self.control.create()
        stations = (network.CONTROL, network.GATEWAY, network.OTHER_CLIENT)
        # With an address of its own: it would else take the lowest of its ports', and change it whenever a host comes or goes,
        # while the others still send to the old one.
        self.control.ip([f"link add br0 address {_BRIDGE} type bridge", *self.net.assign("br0", *stations)])
        if self._reachable:
            self._reach()

    def _reach(self) -> None:
        device = _machine_device(self.prefix)
        if run(["ip", "-json", "route", "show", "root", f"{self.net.v4(0)}/24"]).stdout.strip() not in (
            "",
            "[]",
            "[ ]",
        ):
            raise RuntimeError(f"this machine already has a route into {self.net.v4(0)}/24: choose another net")
        run(["ip", "link", "add", device, "type", "veth", "peer", "name", "machine", "netns", self.control.name])
        self.control.ip(["link set machine master br0 up"])
        run(["ip", "-batch", "-"], stdin="\n".join(self.net.assign(device, network.MACHINE)) + "\n")

    def down(self) -> None:
        """Remove the bed: processes, namespaces, mounts, devices, files."""
        _sweep(self.prefix)
        self.hosts.clear()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def boot(self, *specs: HostSpec, wait: bool = True) -> list[Host]:
        """Boot hosts, all at once; returns them in the order asked for, by default when systemd has booted."""
        roots.ensure_all()
        first = network.FIRST_HOST + len(self.hosts)
        place = Place(self.prefix, self.folder, self.net, self.control)
        booted = [Host(place, spec, first + place_in_row) for place_in_row, spec in enumerate(specs)]
        for host in booted:
            if host.name in self.hosts:
                raise ValueError(f"the bed already has a host {host.name}")
            host.connect()
            self.hosts[host.name] = host
        self._write_ssh_config()
        for host in booted:
            host.start()
        if wait:
            for host in booted:
                host.wait()
        return booted

    # The control side

    def control_exec(
        self,
        argv: Sequence[str | Path],
        *,
        check: bool = True,
        stdin: str | None = None,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout: float = 600,
    ) -> Result:
        """Run a program on the control side, where names resolve by the bed's DNS server, to its end."""
        words = [*self._enter(), *argv]
        extended = bed_environment(environment)
        return run(words, check=check, stdin=stdin, environment=extended, cwd=cwd, timeout=timeout)

    def spawn(
        self,
        name: str,
        argv: Sequence[str | Path],
        *,
        environment: Mapping[str, str] | None = None,
        within: Namespace | None = None,
    ) -> Process:
        """Start a program on the control side (or `within` a namespace) that runs until it is stopped or the bed goes down."""
        folder = self.folder / "services" / name
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "log"
        groups = cgroups.make(self.prefix, "services")
        words = [str(word) for word in (*self._enter(*groups, within=within), *argv)]
        with log.open("ab") as said:
            child = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
                cwd=folder,
                env=bed_environment(environment),
            )
        return Process(name, folder, log, child)

    def inside(self, work: Callable[[], T]) -> T:
        """Call `work` with its sockets on the control side (names still resolve by the machine's DNS)."""
        return self.control.inside(work)

    def wait_for_port(
        self,
        address: str,
        port: int,
        *,
        process: Process | None = None,
        seconds: float = 30,
        within: Namespace | None = None,
    ) -> None:
        """Wait until something accepts a connection there; a `process` that ends instead is an error."""

        def answers() -> bool:
            if process is not None:
                process.must_live()
            try:
                (within or self.control).inside(lambda: socket.create_connection((address, port), timeout=1).close())
            except OSError:
                return False
            return True

        waiting.until(answers, f"{address} port {port}", seconds=seconds)

    def curl(self, *arguments: str, check: bool = True) -> Result:
        """Run `curl --silent --show-error` on the control side."""
        return self.control_exec(["curl", "--silent", "--show-error", "--max-time", "20", *arguments], check=check)

    def _enter(self, *groups: Path, within: Namespace | None = None) -> list[str]:
        words = [*(within or self.control).enter(), "unshare", "--mount", "--propagation", "slave", "sh", "-c", _WITH_RESOLVER]
        return [*words, "enter", str(len(groups)), str(self.folder / "resolv.conf"), *map(str, groups)]

    def add_station(self, station: int) -> None:
        """Give the control side one more pair of addresses, for a service that shall have its own."""
        self.control.ip(self.net.assign("br0", network.CONTROL, station))

    def join(self, name: str, *stations: int) -> Namespace:
        """A further namespace on the bed's bridge, with these stations' addresses; it goes with the bed."""
        namespace = Namespace(f"{self.prefix}.{name}")
        namespace.create()
        self.control.ip([f"link add {name} type veth peer name eth0 netns {namespace.name}"])
        self.control.ip([f"link set {name} master br0 up"])
        namespace.ip(self.net.assign("eth0", *stations))
        return namespace

    # Ansible

    @property
    def ssh_config(self) -> Path:
        """For `ssh -F`: every host by its name, with the bed's key and the hosts' own keys."""
        return self.folder / "ssh_config"

    def write_inventory(
        self,
        path: Path,
        groups: Mapping[str, Sequence[Host]],
        *,
        variables: Mapping[str, Any] | None = None,
        host_variables: Mapping[str, Mapping[str, Any]] | None = None,
        user: str = "root",
    ) -> Path:
        """Write an Ansible inventory (JSON, which is YAML) of the groups; `variables` hold for all hosts."""
        own = host_variables or {}
        common = {
            "ansible_python_interpreter": "/usr/bin/python3",
            "ansible_ssh_common_args": f"-F {self.ssh_config}",
            "ansible_user": user,
            **(variables or {}),
        }
        children = {
            group: {"hosts": {host.name: {"ansible_host": host.name, **own.get(host.name, {})} for host in hosts}}
            for group, hosts in groups.items()
        }
        path.write_text(json.dumps({"all": {"vars": common, "children": children}}, indent=2) + "\n")
        return path

    def _write_ssh_config(self) -> None:
        blocks, known = [], []
        for host in self.hosts.values():
            blocks.append(f"Host {host.name}\n  HostName {host.v4}\n  HostKeyAlias {host.name}\n")
            known.append(f"{host.name} {host.public_key()}\n")
        (self.folder / "known_hosts").write_text("".join(known))
        common = {
            "GlobalKnownHostsFile": "/dev/null",
            "IdentitiesOnly": "yes",
            "IdentityFile": self.folder / "id",
            "StrictHostKeyChecking": "yes",
            "UserKnownHostsFile": self.folder / "known_hosts",
        }
        lines = [f"  {key} {value}\n" for key, value in common.items()]
        self.ssh_config.write_text("".join((*blocks, "Host *\n", *lines)))


def remove(prefix: str) -> None:
    """Remove a bed that another process brought up and left, by its prefix alone; refused while it is in use."""
    need_root()
    with _lock(prefix):
        _sweep(prefix)


def _machine_device(prefix: str) -> str:
    return f"bed-{prefix}"


def _lock(prefix: str) -> IO[str]:
    """The lock of a bed, with the number of the process that holds it in its file."""
    RUN.mkdir(exist_ok=True)
    held = (RUN / f"{prefix}.lock").open("a+")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        held.seek(0)
        holder = held.read().strip()
        held.close()
        raise BedHeldError(f"another process{f' ({holder})' if holder else ''} has the bed {prefix} up") from error
    held.truncate(0)
    held.write(f"pid {os.getpid()}\n")
    held.flush()
    return held


def _sweep(prefix: str) -> None:
    """Remove every trace of a bed, however it ended."""
    namespaces = network.existing(prefix)
    _end_processes(prefix, namespaces)
    device = Path("/sys/class/net") / _machine_device(prefix)
    if device.exists():
        run(["ip", "link", "del", device.name])
    for namespace in namespaces:
        namespace.delete()
    folder = RUN / prefix
    while folder.is_mount():
        run(["umount", "--lazy", folder])
    if folder.is_dir():
        folder.rmdir()
    cgroups.remove(prefix)


def _end_processes(prefix: str, namespaces: list[Namespace]) -> None:
    deadline = time.monotonic() + 20
    while True:
        left = cgroups.pids(prefix).union(*(namespace.pids() for namespace in namespaces))
        if not left:
            return
        if time.monotonic() > deadline:
            raise TimeoutError(f"processes of the bed {prefix} do not end: {sorted(left)}")
        for process in left:
            cgroups.kill(process)
        time.sleep(0.02)
