"""Istio's own pilot, asked what it configures the gateway's Envoy with (tests/tools/istio/main.go)."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from cluster.tools import program

Object = dict[str, Any]


GATEWAY_NAMESPACE = "istio-system"


class RefusedError(ValueError):
    """Istio's own validation refuses an object, as its admission webhook would."""


@dataclass(frozen=True)
class Configuration:
    """What Envoy is sent: each resource in Envoy's own JSON."""

    listeners: list[Object]
    routes: list[Object]
    clusters: list[Object]
    endpoints: list[Object]
    secrets: list[Object]
    warnings: list[str]


@dataclass(frozen=True)
class Proxy:
    """The gateway's pod."""

    address: str
    labels: dict[str, str]
    namespace: str = GATEWAY_NAMESPACE


@dataclass(frozen=True)
class Pilot:
    """The running program."""

    _child: subprocess.Popen[str]

    def ask(self, gateway: Proxy, kubernetes: Sequence[Object], istio: Sequence[Object], *, mesh: str = "") -> Configuration:
        """The configuration of the gateway, for objects of Kubernetes's kinds and of Istio's."""
        assert self._child.stdin
        assert self._child.stdout
        question = {"kubernetes": list(kubernetes), "istio": list(istio), "mesh": mesh, **asdict(gateway)}
        print(json.dumps(question), file=self._child.stdin, flush=True)
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError(f"pilot has ended with {self._child.wait()}")
        answer = json.loads(line)
        if error := answer.pop("error", None):
            raise RefusedError(error)
        return Configuration(**{name: value or [] for name, value in answer.items()})


@contextmanager
def pilot() -> Iterator[Pilot]:
    """Start it, and end it."""
    with subprocess.Popen([program("pilot-config")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        yield Pilot(child)
        assert child.stdin
        child.stdin.close()
