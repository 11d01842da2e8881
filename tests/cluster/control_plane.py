"""Starts and stops a control plane: etcd, kube-apiserver with its audit log, kube-controller-manager, KWOK for the nodes."""

import base64
import http.client
import json
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bed.commands import Result, run
from bed.pki import Authority, Leaf
from bed.waiting import until
from cluster import programs
from cluster.tools import program

_TESTS = Path(__file__).resolve().parents[1]
_ADDRESS = "127.0.0.1"
_READY_SECONDS = 120  # two busy cores


@dataclass(frozen=True)
class Event:
    """One request, from the API server's audit log."""

    user: str
    verb: str
    uri: str
    code: int


@dataclass
class ControlPlane:
    """A running control plane; everything of it is in `folder`."""

    folder: Path
    authority: Authority
    port: int
    guard: "Guard"
    kubeconfig: Path = field(init=False)
    """The administrator's; private."""

    def __post_init__(self) -> None:
        """Write the administrator's kubeconfig."""
        self.kubeconfig = self.kubeconfig_for("administrator", "system:masters")

    @property
    def server(self) -> str:
        """Where the API is."""
        return f"https://{_ADDRESS}:{self.port}"

    def kubeconfig_for(self, user: str, *groups: str) -> Path:
        """A private kubeconfig of another user: `kubeconfig-USER` in the folder."""
        leaf = self.authority.issue_client(user, *groups)
        return self.write_kubeconfig(f"kubeconfig-{user.replace(':', '-')}", self.user_entry(leaf))

    @staticmethod
    def user_entry(leaf: Leaf) -> dict[str, Any]:
        """What a kubeconfig says of a user with a client certificate."""
        return {"client-certificate-data": _base64(leaf.fullchain_pem), "client-key-data": _base64(leaf.key_pem)}

    def write_kubeconfig(self, name: str, user: dict[str, Any], cluster: dict[str, Any] | None = None) -> Path:
        """A private kubeconfig with this `user` entry; `cluster` replaces or adds to the entry of this cluster."""
        this = {"server": self.server, "certificate-authority-data": _base64(self.authority.pem)}
        entry = {key: value for key, value in (this | (cluster or {})).items() if value is not None}
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "bed", "cluster": entry}],
            "users": [{"name": "bed", "user": user}],
            "contexts": [{"name": "bed", "context": {"cluster": "bed", "user": "bed"}}],
            "current-context": "bed",
        }
        path = self.folder / name
        path.touch(mode=0o600)
        path.write_text(json.dumps(document))
        return path

    def kubectl(self, *words: str, stdin: str | None = None, check: bool = True) -> Result:
        """Run the real kubectl as the administrator."""
        return run([program("kubectl"), f"--kubeconfig={self.kubeconfig}", *words], stdin=stdin, check=check)

    def apply(self, *objects: dict[str, Any]) -> None:
        """Create or change objects, as the administrator."""
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        self.kubectl("apply", "--server-side", "--filename=-", stdin=text)

    def audit(self, user: str) -> list[Event]:
        """Every request that `user` has made so far, in order. The control plane's own are not logged."""
        events = []
        for line in (self.folder / "audit.log").read_text().splitlines():
            event = json.loads(line)
            if event["user"].get("username") == user:
                code = event.get("responseStatus", {}).get("code", 0)
                events.append(Event(user, event["verb"], event["requestURI"], code))
        return events

    def context(self, user: str = "administrator", *groups: str) -> ssl.SSLContext:
        """For a client of the test's own: trusts the API server, and is `user`."""
        leaf = self.authority.issue_client(user, *(groups or ("system:masters",)))
        with tempfile.TemporaryDirectory(dir=self.folder) as aside:
            chain, key = leaf.write(Path(aside), "client")
            context = ssl.create_default_context(cadata=self.authority.pem)
            context.load_cert_chain(chain, key)
        return context

    def log(self, name: str) -> str:
        """What a program said so far."""
        return (self.folder / f"{name}.log").read_text(errors="replace")


class Guard:
    """The process that runs the programs; see `cluster.guard`."""

    def __init__(self, folder: Path) -> None:
        """Start it; it removes `folder` at its end."""
        self._folder = folder
        self._child = subprocess.Popen(
            [sys.executable, "-m", "cluster.guard", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=_TESTS,
            text=True,
            start_new_session=True,
        )
        self.pids: dict[str, int] = {}

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._child.pid

    def start(self, name: str, argv: list[str]) -> int:
        """Start a program, its output in `NAME.log`; returns its process id."""
        assert self._child.stdin
        assert self._child.stdout
        print(json.dumps({"name": name, "argv": argv}), file=self._child.stdin, flush=True)
        self.pids[name] = int(self._child.stdout.readline())
        return self.pids[name]

    def must_live(self, name: str) -> None:
        """Raise `RuntimeError` with the end of its log if the program has ended."""
        stat = Path(f"/proc/{self.pids[name]}/stat")
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            said = (self._folder / f"{name}.log").read_text(errors="replace")
            raise RuntimeError(f"{name} has ended:\n{said[-3000:]}")

    def close(self) -> None:
        """End everything, and see that the folder is gone even if the guard was killed."""
        self._child.communicate()
        shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def control_plane(*, parent: Path | None = None) -> Iterator[ControlPlane]:
    """Bring one up (about 10 s) in a private folder below `parent`, and remove it at the end."""
    if parent is not None:
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="pharos-cluster-", dir=parent))
    guard = Guard(folder)
    try:
        yield _start(folder, guard)
    finally:
        guard.close()


def _start(folder: Path, guard: Guard) -> ControlPlane:
    authority = Authority.create("test cluster", days=2)
    ports = programs.Ports.free()
    plane = ControlPlane(folder, authority, ports.api, guard)
    programs.write_files(folder, authority)
    guard.start("etcd", programs.etcd(folder, ports))
    guard.start("kube-apiserver", programs.api_server(folder, ports))
    _wait_ready(plane)
    controllers = plane.kubeconfig_for("system:kube-controller-manager")
    guard.start("kube-controller-manager", programs.controller_manager(folder, ports, controllers))
    nodes = plane.kubeconfig_for("system:kwok", "system:masters")
    guard.start("kwok", programs.kwok(folder, ports, nodes))
    until(lambda: _open(ports.kwok), "kwok listens", seconds=_READY_SECONDS)
    return plane


def _wait_ready(plane: ControlPlane) -> None:
    context = plane.context()

    def ready() -> bool:
        for name in plane.guard.pids:
            plane.guard.must_live(name)
        connection = http.client.HTTPSConnection(_ADDRESS, plane.port, timeout=5, context=context)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    until(ready, "the API server is ready", seconds=_READY_SECONDS, pause=0.1)


def _open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((_ADDRESS, port)) == 0


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
