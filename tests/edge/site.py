"""The site that the tests' edges serve: documents, certificates and what a client sees of them."""

from dataclasses import dataclass, field
from typing import Any

import yaml

from bed.pki import Authority, Leaf

PLATFORM = "platform.example.org"
GIT = "git.example.org"

CATALOGUE: dict[str, Any] = {
    "version": 1,
    "gateways": ["mesh"],
    "backends": {"apps": {"web": [8080], "git": [8181]}},
    "services": [
        {
            "name": "web",
            "gateway": "mesh",
            "routes": [
                {
                    "name": "admin",
                    "match": {"prefix": "/admin"},
                    "access": "management",
                    "transport": "http",
                    "backend": {"service": "web", "namespace": "apps", "port": 8080},
                },
                {
                    "name": "pages",
                    "match": {"prefix": "/"},
                    "access": "public",
                    "transport": "http",
                    "backend": {"service": "web", "namespace": "apps", "port": 8080},
                },
            ],
        },
        {
            "name": "git",
            "gateway": "mesh",
            "routes": [
                {
                    "name": "everything",
                    "match": {"prefix": "/"},
                    "access": "public",
                    "transport": "http",
                    "backend": {"service": "git", "namespace": "apps", "port": 8181},
                },
            ],
        },
    ],
}


@dataclass
class Site:
    """What an edge is to serve; a test changes a copy of it."""

    gateway: str
    authority: Authority = field(default_factory=lambda: Authority.create("edge tests"))
    origins: dict[str, str] = field(default_factory=lambda: {"web": f"https://{PLATFORM}", "git": f"https://{GIT}"})
    management: list[str] = field(default_factory=lambda: ["192.0.2.0/24"])

    @property
    def hosts(self) -> list[str]:
        """The host names, in order."""
        return sorted(origin.removeprefix("https://") for origin in self.origins.values())

    def environment(self) -> str:
        """The edge environment."""
        return yaml.safe_dump(
            {
                "version": 1,
                "environment": "example",
                "mode": "distributed",
                "origins": self.origins,
                "management_networks": self.management,
                "gateway": {"upstreams": [self.gateway]},
            },
            sort_keys=False,
        )

    def catalogue(self) -> str:
        """The catalogue."""
        return yaml.safe_dump(CATALOGUE, sort_keys=False)

    def leaf(self, host: str) -> Leaf:
        """A new certificate for a host name."""
        return self.authority.issue(host)


def files(host: str) -> tuple[str, str]:
    """Certificate and key of a host name, where certbot would put them."""
    folder = f"/etc/letsencrypt/live/{host}"
    return f"{folder}/fullchain.pem", f"{folder}/privkey.pem"
