"""A bed with everything that stands around an edge: DNS, ACME server, backends and gateway."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bed.hosts import Bed
from bed.services import Acme, Backends, Dns, Gateway
from bed.services.backends import program


@dataclass(frozen=True)
class World:
    """The parts, all started."""

    bed: Bed
    dns: Dns
    acme: Acme
    backends: Backends
    gateway: Gateway

    def websocket(
        self, address: str, *messages: str, connect: str, ca: Path | None = None, headers: dict[str, str] | None = None
    ) -> list[dict[str, Any]]:
        """Send messages to a `ws:` or `wss:` address at the host `connect`; returns the backend's answers."""
        answered = self._exchange("websocket", address, messages, connect, ca, headers or {})
        answers: list[dict[str, Any]] = answered["answers"]
        return answers

    def grpc(
        self,
        target: str,
        *messages: str,
        connect: str,
        method: str = "/bed.Echo/Unary",
        ca: Path | None = None,
        headers: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """Call a method (`.../Unary` or `.../Bidi`): `{"answers": [...]}`, or `{"code": ..., "details": ...}`."""
        return self._exchange("grpc", target, messages, connect, ca, headers or {}, "--method", method)

    def _exchange(
        self,
        kind: str,
        target: str,
        messages: tuple[str, ...],
        connect: str,
        ca: Path | None,
        headers: dict[str, str],
        *more: str,
    ) -> dict[str, Any]:
        words = [word for name, value in headers.items() for word in ("--header", f"{name}: {value}")]
        words += ["--ca", str(ca)] if ca else []
        argv = program("client", kind, target, *messages, "--connect", connect, *words, *more)
        answer: dict[str, Any] = json.loads(self.bed.control_exec(argv, timeout=60).stdout)
        return answer


@contextmanager
def world(prefix: str, net: int, *, reachable: bool = False) -> Iterator[World]:
    """Bring such a bed up, and remove it at the end."""
    with Bed(prefix, net, reachable=reachable) as bed:
        yield start(bed)


def start(bed: Bed) -> World:
    """Start everything on a bed that is up."""
    dns = Dns(bed).start()
    return World(bed, dns, Acme(bed, dns).start(), Backends(bed).start(), Gateway(bed).start())
