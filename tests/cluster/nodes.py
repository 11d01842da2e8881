"""Many nodes at once: each is one POST, as a kubelet registers itself; KWOK then keeps them."""

import http.client
import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from bed.waiting import until
from cluster.control_plane import ControlPlane

_AT_A_TIME = 8


@dataclass(frozen=True)
class NodeSpec:
    """A node to be made."""

    name: str
    address: str
    kubelet: str = "v1.33.13"
    architecture: str = "amd64"
    machine_id: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    taints: list[dict[str, str]] = field(default_factory=list)
    ready: bool = True
    managed: bool = True
    """Whether KWOK takes it for one of its own: it then makes it ready, and renews its lease."""

    def manifest(self) -> dict[str, Any]:
        """The object that a kubelet registers."""
        common = {"kubernetes.io/hostname": self.name, "kubernetes.io/arch": self.architecture, "kubernetes.io/os": "linux"}
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": self.name,
                "labels": common | self.labels,
                "annotations": {"kwok.x-k8s.io/node": "fake"} if self.managed else {},
            },
            "spec": {"taints": self.taints},
            "status": {
                "addresses": [{"type": "InternalIP", "address": self.address}, {"type": "Hostname", "address": self.name}],
                "capacity": {"cpu": "32", "memory": "128Gi", "pods": "110"},
                "conditions": [_condition("Ready", self.ready)],
                "nodeInfo": self._info(),
            },
        }

    def _info(self) -> dict[str, str]:
        return {
            "architecture": self.architecture,
            "bootID": "",
            "containerRuntimeVersion": "containerd://2.1.4",
            "kernelVersion": "6.12.48+deb13-amd64",
            "kubeProxyVersion": "",
            "kubeletVersion": self.kubelet,
            "machineID": self.machine_id,
            "operatingSystem": "linux",
            "osImage": "Debian GNU/Linux 13 (trixie)",
            "systemUUID": "",
        }


def _condition(kind: str, holds: bool) -> dict[str, str]:
    then = "2026-01-01T00:00:00Z"
    return {
        "type": kind,
        "status": "True" if holds else "False",
        "reason": "KubeletReady" if holds else "KubeletNotReady",
        "message": "",
        "lastHeartbeatTime": then,
        "lastTransitionTime": then,
    }


def register(plane: ControlPlane, nodes: Iterable[NodeSpec]) -> None:
    """Make all of them (about 500 a second)."""
    wanted = list(nodes)
    shares = [wanted[at::_AT_A_TIME] for at in range(_AT_A_TIME)]
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        list(pool.map(lambda share: _post(plane, share), shares))


def forget_all(plane: ControlPlane) -> None:
    """Delete every node, in one request."""
    plane.kubectl("delete", "--raw=/api/v1/nodes")


def wait_ready(plane: ControlPlane, count: int, *, seconds: float = 300) -> None:
    """Until so many nodes are ready: KWOK makes those ready that it manages."""
    until(lambda: sum(_readiness(plane)) >= count, f"{count} nodes are ready", seconds=seconds, pause=0.5)


def _readiness(plane: ControlPlane) -> Iterator[bool]:
    path = '{.items[*].status.conditions[?(@.type=="Ready")].status}'
    said = plane.kubectl("get", "nodes", "--output", f"jsonpath={path}").stdout
    return (word == "True" for word in said.split())


def _post(plane: ControlPlane, nodes: list[NodeSpec]) -> None:
    connection = http.client.HTTPSConnection("127.0.0.1", plane.port, timeout=60, context=plane.context())
    try:
        for node in nodes:
            body = json.dumps(node.manifest())
            connection.request("POST", "/api/v1/nodes", body, {"content-type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 201:
                raise RuntimeError(f"{node.name}: {answer.status} {text[:500]!r}")
    finally:
        connection.close()
