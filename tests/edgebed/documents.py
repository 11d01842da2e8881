"""A foreign site of three services: the smallest that has every transport and none of a platform's own rules."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

WEB = "web.edge.test"
CHAT = "chat.edge.test"
CALLS = "calls.edge.test"


def _route(name: str, port: int, path: str = "/", protocol: str = "http") -> dict[str, Any]:
    return {
        "name": name,
        "match": {"prefix": path},
        "access": "public",
        "transport": protocol,
        "backend": {"service": name, "namespace": "site", "port": port, "protocol": protocol},
    }


def _service(name: str, route: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "gateway": "mesh", "routes": [route]}


@dataclass(frozen=True)
class Site:
    """What the playbook is given: the catalogue's services and the environment's origins."""

    gateway: str
    """Address and port of the gateway."""
    origins: Mapping[str, str] = field(default_factory=lambda: {"web": WEB, "chat": CHAT, "calls": CALLS})
    """Service -> host name."""
    web_path: str = "/"
    """Where the service `web` has its one route."""

    def only(self, *services: str) -> "Site":
        """The same site with fewer services bound."""
        return replace(self, origins={name: self.origins[name] for name in services})

    def at(self, **origins: str) -> "Site":
        """The same site with other host names."""
        return replace(self, origins={**self.origins, **origins})

    @property
    def hosts(self) -> list[str]:
        """The host names, in order."""
        return sorted(self.origins.values())

    def catalogue(self) -> dict[str, Any]:
        """The catalogue."""
        return {
            "version": 1,
            "gateways": ["mesh"],
            "backends": {"site": {"calls": [9003], "chat": [9002], "web": [9001]}},
            "services": [
                _service("web", _route("web", 9001, self.web_path)),
                _service("chat", {**_route("chat", 9002), "websocket": True, "timeout": 3600}),
                _service("calls", _route("calls", 9003, protocol="grpc")),
            ],
        }

    def environment(self) -> dict[str, Any]:
        """The edge environment."""
        return {
            "version": 1,
            "environment": "bed",
            "mode": "distributed",
            "origins": {service: f"https://{host}" for service, host in self.origins.items()},
            "gateway": {"upstreams": [self.gateway]},
        }

    def write(self, folder: Path) -> dict[str, str]:
        """Write both documents; returns the variables that name them."""
        folder.mkdir(parents=True, exist_ok=True)
        catalogue, environment = folder / "services.yaml", folder / "edge.yaml"
        catalogue.write_text(json.dumps(self.catalogue(), indent=2) + "\n")
        environment.write_text(json.dumps(self.environment(), indent=2) + "\n")
        return {"edge_catalogue_file": str(catalogue), "edge_environment_file": str(environment)}
