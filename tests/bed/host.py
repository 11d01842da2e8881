"""One host: Debian with systemd as process 1, in network and mount namespaces of its own."""

import os
import shlex
import shutil
import signal
import subprocess
import uuid
from dataclasses import dataclass
from pathlib import Path

from bed import cgroups, roots, waiting
from bed.commands import CommandError, Result, bed_environment, run
from bed.network import CONTROL, Namespace, Net
from bed.recipe import OPERATOR, Release

_ENVIRONMENT = ("HOME=/root", "LANG=C.UTF-8", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
_OPERATOR_ID = 1000
_BOOTED = {"running", "degraded"}

# Enter the groups, mount the overlay where only this host sees it, become its supervisor.
_BOOT = r"""set -eu
count=$1; shift
while [ "$count" -gt 0 ]; do echo $$ > "$1"; shift; count=$((count - 1)); done
mount -t overlay overlay -o "$1" "$2"; shift 2
exec "$@"
"""


@dataclass(frozen=True)
class HostSpec:
    """What host to boot: `installed` is with nginx and certbot (nginx starts at boot, as the package wants it)."""

    name: str
    release: Release = "bookworm"
    installed: bool = True
    ipv6: bool = True


@dataclass(frozen=True)
class Place:
    """Where a bed puts its hosts."""

    prefix: str
    folder: Path
    net: Net
    control: Namespace


class Host:
    """A host of a bed. Its disk is an overlay: `reset` throws away all that was written."""

    def __init__(self, place: Place, spec: HostSpec, station: int) -> None:
        """Describe the host; `start` boots it."""
        self.spec = spec
        self.name = spec.name
        self.v4 = place.net.v4(station)
        self.v6 = place.net.v6(station) if spec.ipv6 else None
        self.namespace = Namespace(f"{place.prefix}.{spec.name}")
        self._place = place
        self._station = station
        self._folder = place.folder / "hosts" / spec.name
        self._lower = roots.ensure(spec.release).layers(installed=spec.installed)
        self._process: subprocess.Popen[bytes] | None = None

    # Life

    def connect(self) -> None:
        """Make the host's network: one device, `host0`, on the bed's bridge."""
        self._folder.mkdir(parents=True)
        (self._folder / "snapshots").mkdir()
        port = f"host{self._station}"
        self.namespace.create()
        if not self.spec.ipv6:
            off = ["net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1"]
            run([*self.namespace.enter(), "sysctl", "-q", "-w", *off])
        self._place.control.ip([f"link add {port} type veth peer name host0 netns {self.namespace.name}"])
        self._place.control.ip([f"link set {port} master br0 up"])
        self.namespace.ip(self._place.net.assign("host0", self._station, ipv6=self.spec.ipv6))
        key = self._folder / "ssh_host_ed25519_key"
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", self.name, "-f", key])

    def start(self, snapshot: str | None = None) -> None:
        """Begin to boot from a fresh disk, or from a snapshot's; `wait` for it."""
        lower = [str(layer) for layer in self._lower]
        if snapshot is not None:
            lower.insert(0, str(self._folder / "snapshots" / snapshot))
        for name in ("upper", "work"):
            shutil.rmtree(self._folder / name, ignore_errors=True)
            (self._folder / name).mkdir()
        self._seed(self._folder / "upper")
        (self._folder / "lower").write_text(":".join(lower))
        self._spawn()

    def _spawn(self) -> None:
        root = self._folder / "root"
        root.mkdir(exist_ok=True)
        lower = (self._folder / "lower").read_text()
        overlay = f"lowerdir={lower},upperdir={self._folder / 'upper'},workdir={self._folder / 'work'}"
        groups = cgroups.make(self._place.prefix, self.name)
        supervisor = (
            *("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot", f"--machine={self.name}"),
            *(f"--network-namespace-path={self.namespace.path}", f"--directory={root}"),
            *("--console=read-only", "--resolv-conf=off", "--timezone=off", "--link-journal=no"),
            "--kill-signal=SIGRTMIN+4",
        )
        words = ["unshare", "--mount", "--propagation", "slave", "sh", "-c", _BOOT, "boot"]
        words += [str(len(groups)), *map(str, groups), overlay, str(root), *supervisor]
        with (self._folder / "console.log").open("ab") as console:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                start_new_session=True,
                env=bed_environment(),
            )
        (self._folder / "pid").write_text(str(self._process.pid))

    def wait(self, seconds: float = 90) -> str:
        """Wait until systemd has booted; returns its state, `running` or `degraded` (a unit failed)."""

        def state() -> str | None:
            if self._process is not None and self._process.poll() is not None:
                raise RuntimeError(f"host {self.name} did not boot:\n{self.console()[-3000:]}")
            said = self.run("systemctl is-system-running", check=False).stdout.strip() if self.leader() else ""
            return said if said in _BOOTED else None

        return waiting.until(state, f"boot of {self.name}", seconds=seconds, pause=0.1)

    def kill(self) -> None:
        """Cut the power: every process of the host ends at once; the disk keeps what was written."""
        leader = self.leader()
        if leader is not None:
            cgroups.kill(leader)
        self._ended()

    def stop(self) -> None:
        """Shut down in order."""
        leader = self.leader()
        if leader is not None:
            os.kill(leader, signal.SIGRTMIN + 4)
        self._ended()

    def _ended(self) -> None:
        def gone() -> bool:
            if self._process is not None:
                self._process.poll()  # reaps it
            return not self._alive()

        waiting.until(gone, f"end of {self.name}", seconds=60, pause=0.01)
        self._process = None
        cgroups.remove(self._place.prefix, self.name)

    def restart(self) -> str:
        """Shut down in order and boot again with the same disk; returns the state as `wait` does."""
        self.stop()
        self._spawn()
        return self.wait()

    def power_cycle(self) -> str:
        """Cut the power and boot again with the same disk; returns the state as `wait` does."""
        self.kill()
        self._spawn()
        return self.wait()

    def snapshot(self, name: str) -> None:
        """Keep the disk as it is now, for `reset`; the host runs on, and should be quiet meanwhile."""
        self.run("sync")
        whole = self._folder / "snapshots" / name
        shutil.rmtree(whole, ignore_errors=True)
        run(["cp", "-a", self._folder / "upper", whole])

    def reset(self, snapshot: str | None = None) -> str:
        """Cut the power, throw away what was written (since the snapshot), and boot again."""
        self.kill()
        self.start(snapshot)
        return self.wait()

    # Use

    def run(self, command: str, *, check: bool = True, stdin: str | None = None, timeout: float = 300) -> Result:
        """Run a shell command as root on the host, without ssh."""
        leader = self.leader()
        if leader is None:
            raise RuntimeError(f"host {self.name} is not running")
        words = ["nsenter", "--target", str(leader), "--all", "--", "env", "-i", *_ENVIRONMENT, "sh", "-c", command]
        return run(words, check=check, stdin=stdin, timeout=timeout)

    def ssh(self, command: str, *, user: str = "root", check: bool = True, timeout: float = 300) -> Result:
        """Run a shell command over ssh from the control side, as root or as the operator's user."""
        words = [*self._place.control.enter(), "ssh", "-F", str(self._place.folder / "ssh_config")]
        return run([*words, "-l", user, self.name, command], check=check, timeout=timeout)

    def put(self, text: str, path: str, *, mode: int = 0o644) -> None:
        """Write a file on the host, with the folders above it."""
        quoted = shlex.quote(path)
        folder = shlex.quote(str(Path(path).parent))
        self.run(f"mkdir -p {folder} && cat > {quoted} && chmod {mode:o} {quoted}", stdin=text)

    def get(self, path: str) -> str:
        """Read a file of the host; raises `FileNotFoundError` if there is none."""
        try:
            return self.run(f"cat {shlex.quote(path)}").stdout
        except CommandError as error:
            raise FileNotFoundError(f"{self.name}:{path}: {error.result.stderr.strip()}") from error

    def trust(self, authority_pem: str, name: str = "bed") -> None:
        """Add an authority to the host's own trust store, as update-ca-certificates does, in less than its 2 s."""
        own = f"/usr/local/share/ca-certificates/{name}.crt"
        self.put(authority_pem, own)
        link = f'ln -sf {own} "/etc/ssl/certs/$(openssl x509 -noout -hash -in {own}).0"'
        self.run(f"cat {own} >> /etc/ssl/certs/ca-certificates.crt && {link}")

    def public_key(self) -> str:
        """The host's ssh key, as a `known_hosts` line has it after the name."""
        return (self._folder / "ssh_host_ed25519_key.pub").read_text().strip()

    def console(self) -> str:
        """What the host printed on its console."""
        return (self._folder / "console.log").read_text(errors="replace")

    def leader(self) -> int | None:
        """The host's process 1, as this machine numbers it; `None` while the host is off."""
        supervisor = self._supervisor()
        if supervisor is None:
            return None
        try:
            children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
            return next((int(child) for child in children if _is_first(child)), None)
        except OSError:
            return None

    def _supervisor(self) -> int | None:
        try:
            return int((self._folder / "pid").read_text())
        except FileNotFoundError:
            return None

    def _alive(self) -> bool:
        return bool(cgroups.pids(f"{self._place.prefix}/{self.name}"))

    def _seed(self, upper: Path) -> None:
        """Give the fresh disk what makes it this host: its names, keys, resolver and who may log in."""
        upper.chmod(0o755)
        resolver = self._place.net.v4(CONTROL)
        identity = (self._place.folder / "id.pub").read_text()
        etc = upper / "etc"
        (etc / "ssh").mkdir(parents=True)
        (etc / "hostname").write_text(f"{self.name}\n")
        (etc / "hosts").write_text(f"127.0.0.1 localhost\n::1 localhost\n127.0.1.1 {self.name}\n")
        (etc / "machine-id").write_text(uuid.uuid5(uuid.NAMESPACE_DNS, self.namespace.name).hex + "\n")
        (etc / "resolv.conf").write_text(f"nameserver {resolver}\noptions timeout:1 attempts:1\n")
        for key in self._folder.glob("ssh_host_*"):
            shutil.copy(key, etc / "ssh" / key.name)
        for home, owner in ((upper / "root", 0), (upper / "home" / OPERATOR, _OPERATOR_ID)):
            keys = home / ".ssh"
            keys.mkdir(parents=True)
            (keys / "authorized_keys").write_text(identity)
            for each in (home, keys, keys / "authorized_keys"):
                os.chown(each, owner, owner)
            home.chmod(0o700)
            keys.chmod(0o700)


def _is_first(process: str) -> bool:
    """Whether a process is number 1 of a process namespace below this one."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("NSpid:"):
            numbers = line.split()[1:]
            return len(numbers) > 1 and numbers[-1] == "1"
    return False
