"""The applications of a site on the bed: each backend is a pod with an address of its own, and the Service in front of it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bed.hosts import Bed
from bed.network import Namespace
from bed.pki import Leaf
from bed.process import Process
from bed.services.backends import program
from chain.policies import Pod

Object = dict[str, Any]


@dataclass(frozen=True)
class Backend:
    """A Service's port, and the pod that answers for it."""

    namespace: str
    service: str
    port: int
    kind: str = "http"
    labels: dict[str, str] = field(default_factory=dict)
    leaf: Leaf | None = None
    """Its certificate, if it speaks TLS."""
    target: int | None = None
    """The pod's own port, if it is another one than the Service's."""

    @property
    def name(self) -> str:
        """As evidence names it: NAMESPACE/SERVICE:PORT."""
        return f"{self.namespace}/{self.service}:{self.port}"

    def pod(self, address: str) -> Pod:
        """Its pod."""
        return Pod(self.namespace, address, self.labels)

    def objects(self, address: str) -> list[Object]:
        """The Service and where it leads."""
        protocol = ("https" if self.leaf else "http") if self.kind == "http" else ("grpcs" if self.leaf else "grpc")
        # `https` would make pilot pass TLS through: the gateway itself opens TLS to these, so that their port is plain to it.
        name = {"https": "http-tls", "grpcs": "grpc-tls"}.get(protocol, protocol)
        target = self.target or self.port
        metadata = {"name": self.service, "namespace": self.namespace}
        return [
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": metadata,
                "spec": {
                    "selector": self.labels,
                    "clusterIP": "None",
                    "ports": [{"name": name, "port": self.port, "targetPort": target, "protocol": "TCP"}],
                },
            },
            {
                "apiVersion": "discovery.k8s.io/v1",
                "kind": "EndpointSlice",
                "metadata": {**metadata, "labels": {"kubernetes.io/service-name": self.service}},
                "addressType": "IPv4",
                "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
                "ports": [{"name": name, "port": target, "protocol": "TCP"}],
            },
        ]


def start(bed: Bed, within: Namespace, backends: Sequence[tuple[Backend, str]]) -> Process:
    """Start all pods in their namespace."""
    folder = bed.folder / "services" / "pods"
    folder.mkdir(parents=True, exist_ok=True)
    listeners: list[dict[str, Any]] = []
    for number, (backend, address) in enumerate(backends):
        listener: dict[str, Any] = {
            "name": backend.name,
            "address": address,
            "port": backend.target or backend.port,
            "kind": backend.kind,
        }
        if backend.leaf:
            chain, key = backend.leaf.write(folder, f"pod{number}")
            listener |= {"chain": str(chain), "key": str(key)}
        listeners.append(listener)
    listing = folder / "listeners.json"
    listing.write_text(json.dumps(listeners))
    process = bed.spawn("pods", program("pods", str(listing)), within=within)
    for listener in listeners:
        bed.wait_for_port(listener["address"], listener["port"], process=process, within=within)
    return process
