"""A site's private files on this machine, and the command that plans it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from bed.paths import cache

ROOT = Path(__file__).parents[2]


@dataclass
class Site:
    """The private side of an environment, below a folder that is the operator's home."""

    home: Path
    environment: str
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def private(self) -> Path:
        """The private files of the environment."""
        return self.home / ".config/pharos/environments" / self.environment

    @property
    def state(self) -> Path:
        """The records of the environment."""
        return self.home / ".local/state/pharos/deployments" / self.environment

    @property
    def inventory(self) -> Path:
        """The folder of the inventory."""
        return self.private / "inventory"

    def put(self, path: str, text: str) -> Path:
        """Write a private file: 0600, in folders of 0700."""
        target = self.private / path
        folder(target.parent, self.home)
        target.write_text(text, encoding="utf-8")
        target.chmod(0o600)
        return target

    def identity(self, text: str) -> Path:
        """Write the file of the external identity."""
        return self.put("aai.json", text)

    def command(self) -> list[str]:
        """The program behind `make deploy-plan`."""
        return [sys.executable, "-m", "platform_deploy", "deploy-plan"]

    def environ(self, **variables: str) -> dict[str, str]:
        """The process environment of a run: this machine's without what selects anything."""
        selecting = {"ENV", "OFFLINE", "INVENTORY", "KUBECONFIG", "STATE_DIR", "PHAROS_PRIVATE_ROOT", "DEPLOY_RUNNER", "TARGET"}
        base = {
            name: text
            for name, text in os.environ.items()
            if name not in selecting and not name.startswith(("SSH_", "ANSIBLE_", "XDG_"))
        }
        # Where `make setup` puts the pinned uv.
        base["PATH"] = f"{base['PATH']}:{cache().parent / 'tools'}"
        given = {"HOME": str(self.home), "LC_ALL": "C.UTF-8", "ENV": self.environment, "OFFLINE": "1"}
        return base | given | self.variables | variables

    def plan(self, checkout: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
        """One whole run."""
        return subprocess.run(
            self.command(),
            cwd=checkout,
            env=self.environ(**variables),
            text=True,
            capture_output=True,
            check=False,
            timeout=600,
        )


def folder(path: Path, home: Path) -> None:
    """A folder and those above it up to the home, 0700."""
    for part in [path, *path.parents]:
        if part == home.parent:
            break
        part.mkdir(parents=True, exist_ok=True)
        part.chmod(0o700)


def aai(authority: str, clients: list[str]) -> dict[str, object]:
    """A fit file of the external identity for the example environments' issuer."""
    return {
        "version": 1,
        "issuer": "https://aai.example.org/realms/site",
        "ca_certificate": authority,
        "clients": {client: {"client_id": f"{client}-registered", "client_secret": f"{client}-hunter2"} for client in clients},
    }


def authority() -> str:
    """The public certificate of an authority."""
    return (ROOT / "core/tests/identity/authority.pem").read_text(encoding="utf-8")


CLIENTS = ["pharos-control-plane", "pharos-tools", "pharos-gitlab", "pharos-open-webui"]


def fit_aai(issuer: str = "https://aai.example.org/realms/site") -> str:
    """The text of a fit file."""
    return json.dumps(aai(authority(), CLIENTS) | {"issuer": issuer}, indent=2)
