"""A development box as a test handles it: its edge, its authority, and a stand-in for the gateway on its loopback."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from bed.commands import Result
from bed.hosts import Host
from bed.pki import Authority, Leaf
from bed.world import World
from edgebed.documents import Site
from edgebed.playbook import REPOSITORY

PLAYBOOK = REPOSITORY / "playbooks" / "edge.yml"
PORT = 8443
GATEWAY_PORT = 30088
TLS = "/opt/pharos-edge/tls"
LIVE = f"{TLS}/private/live/fullchain.pem"

# Answers every request with what arrived: the shared gateway's NodePort, which listens on loopback alone.
_GATEWAY = f"""
import http.server, json
class Echo(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = json.dumps({{"path": self.path, "host": self.headers["Host"], "gateway": True}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_POST = do_HEAD = do_GET
http.server.ThreadingHTTPServer(("127.0.0.1", {GATEWAY_PORT}), Echo).serve_forever()
"""


@dataclass(frozen=True)
class DevelopmentSite(Site):
    """A site of two services that a development box serves."""

    def environment(self) -> dict[str, Any]:
        """The edge environment: the port of a box, in front of the gateway on its loopback."""
        origins = {service: f"https://{host}:{PORT}" for service, host in self.origins.items()}
        return {**super().environment(), "mode": "development", "origins": origins}

    @classmethod
    def small(cls, **origins: str) -> Self:
        """The services `web` and `chat`."""
        return cls(f"127.0.0.1:{GATEWAY_PORT}", origins or {"web": "web.box.test", "chat": "chat.box.test"})

    def moved(self, web_path: str) -> Self:
        """The same site with another route."""
        return replace(self, web_path=web_path)


@dataclass(frozen=True)
class Box:
    """A host that is a development box."""

    world: World
    host: Host
    folder: Path
    """Where the copy of its authority's certificate lies that clients are given."""

    def start_gateway(self) -> None:
        """Start the stand-in for the gateway."""
        self.host.put(_GATEWAY, "/usr/local/lib/gateway.py")
        self.host.run("systemd-run --unit=gateway python3 /usr/local/lib/gateway.py")
        self.host.run(f"until ss -Hltn 'sport = :{GATEWAY_PORT}' | grep -q .; do sleep 0.05; done", timeout=20)

    # What it serves

    def _curl(self, host: str, path: str, *arguments: str) -> Result:
        trusted = self.folder / "ca.pem"
        if not trusted.exists():  # a client is told once
            trusted.write_text(self.host.get(f"{TLS}/ca.pem"))
        words = ["--noproxy", "*", "--resolve", f"{host}:{PORT}:{self.host.v4}", "--cacert", str(trusted)]
        return self.world.bed.curl(*words, *arguments, f"https://{host}:{PORT}{path}", check=False)

    def status(self, host: str, path: str = "/") -> int:
        """The status of a verified request; 0 if there is no answer, or none that the authority vouches for."""
        said = self._curl(host, path, "--output", "/dev/null", "--write-out", "%{http_code}")
        return int(said.stdout or 0)

    def echo(self, host: str, path: str = "/") -> dict[str, Any]:
        """What of a verified request arrived at the gateway."""
        seen: dict[str, Any] = json.loads(self._curl(host, path, "--fail").check().stdout)
        return seen

    def served(self, host: str) -> x509.Certificate:
        """The certificate that is served for a name."""
        words = ["openssl", "s_client", "-connect", f"{self.host.v4}:{PORT}", "-servername", host]
        said = self.world.bed.control_exec(words, check=False, stdin="").stdout
        return x509.load_pem_x509_certificate(said[said.index("-----BEGIN") :].encode())

    # What is on it

    def stored(self) -> x509.Certificate:
        """The certificate that is to be served."""
        return x509.load_pem_x509_certificate(self.host.get(LIVE).encode())

    def names(self) -> list[str]:
        """The names of the certificate that is to be served, in order."""
        found = self.stored().extensions.get_extension_for_class(x509.SubjectAlternativeName)
        return sorted(found.value.get_values_for_type(x509.DNSName))

    def digest(self, *paths: str) -> str:
        """A digest of files and folders below the folder of certificates: names, modes and contents."""
        listing = f"cd {TLS} && find {' '.join(paths)} -printf '%p %m %l\\n' | sort && find {' '.join(paths)} -type f"
        said = self.host.run(f"{listing} | sort | xargs sha256sum", check=False).stdout
        return hashlib.sha256(said.encode()).hexdigest()

    def authority_digest(self) -> str:
        """A digest of everything that clients were told to trust, and of its key."""
        return self.digest("ca.pem", "private/authority")

    def authority(self) -> Authority:
        """The authority of the box, to issue with."""
        certificate = x509.load_pem_x509_certificate(self.host.get(f"{TLS}/private/authority/ca.pem").encode())
        key = load_pem_private_key(self.host.get(f"{TLS}/private/authority/ca-key.pem").encode(), password=None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise TypeError(f"an authority of EC P-256 is made, this is {key}")
        return Authority(certificate, key)

    def put_leaf(self, leaf: Leaf) -> None:
        """Put another certificate in the place of the one that was issued."""
        place = LIVE.rpartition("/")[0]
        for text, name in ((leaf.fullchain_pem, "fullchain.pem"), (leaf.key_pem, "privkey.pem")):
            self.host.put(text, f"{place}/{name}", mode=0o600)


def variables(site: Site, folder: Path, **others: Any) -> Mapping[str, Any]:
    """The variables of a run."""
    return {**site.write(folder), **others}
