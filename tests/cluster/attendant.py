"""What a cluster of control plane and KWOK lacks for workloads: a scheduler, and what webhooks would ask.

Pods are bound to the one node that is given. Webhooks of programs that no pod really runs are taken away as they come: the API
server would wait for their answer.
"""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cluster.control_plane import ControlPlane

_PAUSE = 0.2  # seconds between two looks
_HOOKS = "/apis/admissionregistration.k8s.io/v1/{}webhookconfigurations"


class Attendant:
    """Binds pods while it is not paused."""

    def __init__(self, plane: ControlPlane, node: str) -> None:
        """Start it; `node` is where every pod goes."""
        # A node begins with this, and the controller that takes it away is not part of a test's control plane.
        plane.kubectl("taint", "node", node, "node.kubernetes.io/not-ready:NoSchedule-")
        self._port = plane.port
        self._context = plane.context()
        self._node = node
        self._ended = threading.Event()
        self.binds = threading.Event()
        """Whether pods are bound."""
        self.binds.set()
        self._thread = threading.Thread(target=self._attend, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop it."""
        self._ended.set()
        self._thread.join()

    def _attend(self) -> None:
        while not self._ended.wait(_PAUSE):
            for kind in ("mutating", "validating"):
                path = _HOOKS.format(kind)
                for each in self._ask("GET", path).get("items", []):
                    self._ask("DELETE", f"{path}/{each['metadata']['name']}")
            if self.binds.is_set():
                self._bind()

    def _bind(self) -> None:
        for pod in self._ask("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3D").get("items", []):
            name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
            binding = {
                "apiVersion": "v1",
                "kind": "Binding",
                "metadata": {"name": name},
                "target": {"apiVersion": "v1", "kind": "Node", "name": self._node},
            }
            self._ask("POST", f"/api/v1/namespaces/{namespace}/pods/{name}/binding", binding)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=10, context=self._context)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"Content-Type": "application/json"})
            answer: dict[str, Any] = json.loads(connection.getresponse().read() or "{}")
            return answer
        except (OSError, http.client.HTTPException):
            return {}  # the next look asks again
        finally:
            connection.close()


@contextmanager
def attendant(plane: ControlPlane, node: str) -> Iterator[Attendant]:
    """One for as long as it is needed."""
    helper = Attendant(plane, node)
    try:
        yield helper
    finally:
        helper.end()
