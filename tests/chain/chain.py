"""The real chain on a bed: nginx on booted edges, Envoy as pilot configures it, pods behind; and what comes of a question."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bed.hosts import Bed, Host
from bed.network import CONTROL, Namespace
from bed.pki import Authority
from bed.process import Process
from bed.services.backends import program
from chain import envoy, pods, policies
from chain.client import Way, send
from chain.pilot import GATEWAY_NAMESPACE, Configuration, Pilot, Proxy
from chain.pods import Backend
from chain.policies import Pod
from chain.question import Outcome, Question

Object = dict[str, Any]

GATEWAY_LABELS = {"istio": "ingressgateway"}
NODE_PORT = 30088

CALLERS = "callers"
CALLER_LABELS = {"app": "robot"}
"""Namespace and labels of the pod that may ask the gateway without an edge."""

MANAGER = 3
"""Number of the client whose address is one of the management networks."""
_POD_OF_GATEWAY = 4
_FIRST_POD = 200
_NODE = 240
"""Number of the node that the pods run on."""
_STRANGER = 241
_CALLER = 242


@dataclass(frozen=True)
class Served:
    """What the chain is to serve."""

    edge_files: Mapping[str, Mapping[str, str]]
    """Release of an edge -> name of a file below nginx's `conf.d` -> its text."""
    hosts: Sequence[str]
    """The host names, for which the edge has certificates."""
    objects: Sequence[Object]
    """Everything that the cluster is given for the routes."""
    mesh: str
    """The mesh configuration (YAML)."""


@dataclass
class Chain:
    """Edges, gateway and pods on one bed."""

    bed: Bed
    edges: Mapping[str, Host]
    """Release -> host."""
    pilot: Pilot
    backends: Sequence[Backend]
    impostors: Mapping[str, Backend] = field(default_factory=dict)
    """Pods that no Service leads to, unless `behind` says so."""
    authority: Authority = field(default_factory=lambda: Authority.create("chain clients"))

    def __post_init__(self) -> None:
        """Start the pods; `serve` starts the rest."""
        net = self.bed.net
        self.bed.control.ip(net.assign("br0", CONTROL, MANAGER))
        everybody = [*self.backends, *self.impostors.values()]
        stations = range(_FIRST_POD, _FIRST_POD + len(everybody))
        self._addressed = [(backend, net.v4(station)) for backend, station in zip(everybody, stations, strict=True)]
        self.behind = {backend.name: backend for backend in self.backends}
        """The pod that each Service leads to."""
        self.gateway: Namespace = self.bed.join("gw", _POD_OF_GATEWAY)
        self.cluster: Namespace = self.bed.join("pods", *stations, _STRANGER, _CALLER)
        self.node: Namespace = self.bed.join("node", _NODE)
        self._pods = pods.start(self.bed, self.cluster, self._addressed)
        self._envoy: Process | None = None
        self.configuration: Configuration | None = None

    def address(self, backend: Backend) -> str:
        """Of its pod."""
        return next(address for each, address in self._addressed if each is backend)

    @property
    def gateway_address(self) -> str:
        """Where edges reach the gateway."""
        return self.bed.net.v4(_POD_OF_GATEWAY)

    # What is served

    def serve(self, served: Served, releases: Sequence[str]) -> None:
        """Give gateway, network and these edges what they are to serve."""
        self.give_gateway(served)
        self.give_network(served)
        for release in releases:
            self.give_edge(served, release)

    def give_gateway(self, served: Served) -> None:
        """Let pilot configure Envoy, and start it anew."""
        (service,) = (each for each in served.objects if each["kind"] == "Service")
        self.configuration = self.pilot.ask(
            Proxy(self.gateway_address, service["spec"]["selector"]),
            [*self._kubernetes(service), *(each for each in served.objects if each["kind"] in ("ConfigMap", "Secret"))],
            [each for each in served.objects if ".istio.io/" in each["apiVersion"]],
            mesh=served.mesh,
        )
        folder = self.bed.folder / "services" / "gw"
        folder.mkdir(parents=True, exist_ok=True)
        self.access_log = folder / "access.log"
        document = envoy.static(self.configuration, address=self.gateway_address, access_log=str(self.access_log))
        path = folder / "envoy.json"
        path.write_text(json.dumps(document, indent=1))
        if self._envoy is not None:
            self._envoy.stop(2)
        argv = [str(Path(sys.executable).with_name("envoy")), "-c", str(path), "--concurrency", "1", "--disable-hot-restart"]
        self._envoy = self.bed.spawn("gw", [*argv, "-l", "warn", "--file-flush-interval-msec", "50"], within=self.gateway)
        self._port = service["spec"]["ports"][0]["targetPort"]
        self.bed.wait_for_port(self.gateway_address, self._port, process=self._envoy, within=self.gateway)

    def give_network(self, served: Served) -> None:
        """Let the namespaces keep to the NetworkPolicies, and the node's port lead to the gateway."""
        policies.lead(self.gateway, NODE_PORT, self._port)
        found = [each for each in served.objects if each["kind"] == "NetworkPolicy"]
        gateway = Pod(GATEWAY_NAMESPACE, self.gateway_address, GATEWAY_LABELS)
        behind = [backend.pod(address) for backend, address in self._addressed]
        asking = [Pod("strangers", self.bed.net.v4(_STRANGER)), Pod(CALLERS, self.bed.net.v4(_CALLER), CALLER_LABELS)]
        everybody = [gateway, *behind, *asking]
        node = self.bed.net.v4(_NODE)
        policies.enforce(self.gateway, "input", [gateway], found, everybody, node)
        policies.enforce(self.gateway, "output", [gateway], found, everybody, node)
        policies.enforce(self.cluster, "input", behind, found, everybody, node)

    def give_edge(self, served: Served, release: str) -> None:
        """Put certificates and files onto an edge, and let nginx serve them."""
        host = self.edges[release]
        for name in served.hosts:
            leaf = self.authority.issue(name)
            host.put(leaf.fullchain_pem, f"/etc/letsencrypt/live/{name}/fullchain.pem")
            host.put(leaf.key_pem, f"/etc/letsencrypt/live/{name}/privkey.pem", mode=0o600)
        host.run("rm -f /etc/nginx/sites-enabled/default")
        for path, text in served.edge_files[release].items():
            host.put(text, path)
        # A restart: after it, no worker is left that would answer as before.
        host.run("nginx -t && systemctl reset-failed nginx; systemctl restart nginx")

    def _kubernetes(self, service: Object) -> list[Object]:
        """The Service that was rendered for the gateway with its pod behind it, and all backends with theirs."""
        name, namespace = service["metadata"]["name"], GATEWAY_NAMESPACE
        port = service["spec"]["ports"][0]
        pod = {"kind": "Pod", "name": "gateway", "namespace": namespace}
        gateway: list[Object] = [
            {**service, "spec": {**service["spec"], "clusterIP": "10.96.0.10"}},
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "gateway", "namespace": namespace, "labels": service["spec"]["selector"]},
                "spec": {"containers": []},
                "status": {"podIP": self.gateway_address, "phase": "Running"},
            },
            {
                "apiVersion": "discovery.k8s.io/v1",
                "kind": "EndpointSlice",
                "metadata": {"name": name, "namespace": namespace, "labels": {"kubernetes.io/service-name": name}},
                "addressType": "IPv4",
                "endpoints": [{"addresses": [self.gateway_address], "conditions": {"ready": True}, "targetRef": pod}],
                "ports": [{"name": port["name"], "port": port["targetPort"], "protocol": "TCP"}],
            },
        ]
        behind = [backend.objects(self.address(self.behind[backend.name])) for backend in self.backends]
        return [*gateway, *(each for objects in behind for each in objects)]

    # What comes of a request

    def ask(self, question: Question, release: str = "trixie") -> Outcome:
        """Send the request of a question, by way of the edge of that release if it is a client's."""
        return send(self._way(question, self.edges[release]), question)

    def _way(self, question: Question, edge: Host) -> Way:
        net = self.bed.net
        outside = net.v4(CONTROL)
        match question.by:
            case "client" if question.source == "127.0.0.1":
                return Way(edge.namespace, "127.0.0.1", "127.0.0.1", question.port, secured=True)
            case "client":
                return Way(self.bed.control, question.source or outside, edge.v4, question.port, secured=True)
            case "edge":
                return Way(edge.namespace, edge.v4, self.gateway_address, NODE_PORT, secured=False)
            case "node":
                return Way(self.node, net.v4(_NODE), self.gateway_address, NODE_PORT, secured=False)
            case _:
                station = _CALLER if question.labels else _STRANGER
                return Way(self.cluster, net.v4(station), self.gateway_address, self._port, secured=False)

    def curl(self, url: str, *arguments: str, release: str = "trixie") -> None:
        """Ask an edge by curl, which must be answered."""
        resolve = f"{urlsplit(url).hostname}:443:{self.edges[release].v4}"
        self.bed.curl("--fail", "--noproxy", "*", "--insecure", "--resolve", resolve, *arguments, url)

    def websocket(self, question: Question, message: str, release: str) -> Object:
        """What the backend answers to a WebSocket message at the question's address."""
        url = question.url.replace("https:", "wss:", 1)
        answers: list[Object] = self._client("websocket", url, message, release)["answers"]
        return answers[0]

    def grpc(self, question: Question, method: str, release: str) -> Object:
        """What the backend answers to a call; `{"code": ..., "details": ...}` for an error."""
        said = self._client("grpc", f"{question.name}:{question.port}", "-", release, "--method", method)
        return json.loads(said["answers"][0]) if "answers" in said else said

    def _client(self, kind: str, target: str, message: str, release: str, *more: str) -> Object:
        authority = self.bed.folder / "services" / "chain-clients.pem"
        authority.write_text(self.authority.pem)
        argv = program("client", kind, target, message, "--connect", self.edges[release].v4, "--ca", str(authority), *more)
        answer: Object = json.loads(self.bed.control_exec(argv, timeout=60).stdout)
        return answer
