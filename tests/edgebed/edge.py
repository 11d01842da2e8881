"""An edge host as a test handles it: certificates put there, and what it serves."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography import x509

from bed.commands import Result
from bed.hosts import Host
from bed.pki import Authority, Leaf
from bed.waiting import until
from bed.world import World
from edgebed.documents import CALLS, CHAT, WEB

HTTP_FILE = "/etc/nginx/conf.d/pharos-platform-http.conf"
HTTPS_FILE = "/etc/nginx/conf.d/pharos-platform-https.conf"
CERTIFICATES = "/etc/ssl/edge"

_STATE = """
find /etc/nginx /etc/letsencrypt /var/lib/pharos* /etc/systemd/system '(' -type f -o -type l ')' 2>/dev/null | sort |
while read -r path; do printf '%s %s ' "$path" "$(readlink "$path")"; sha256sum < "$path"; done
workers() { pgrep -P "$(cat /run/nginx.pid 2>/dev/null || echo 0)" nginx; }
for each in $(seq 50); do now=$(workers); sleep 0.2; [ "$now" = "$(workers)" ] && break; done
workers
systemctl is-enabled nginx
systemctl is-active nginx
dpkg-query -W nginx certbot
"""
_OCCUPY = "import socket, time; held = socket.create_server(('', {port})); time.sleep(9e9)"


@dataclass(frozen=True)
class Edge:
    """A host of the group `platform-edge`, seen from the control side."""

    world: World
    host: Host
    authority: Path
    """File of the authority that clients trust."""

    # Certificates of mode `existing`

    def put_leaf(self, host: str, leaf: Leaf) -> dict[str, str]:
        """Put a chain and its key onto the host; returns its entry of `edge_certificate_files`."""
        certificate, key = f"{CERTIFICATES}/{host}.pem", f"{CERTIFICATES}/{host}.key"
        self.host.put(leaf.fullchain_pem, certificate)
        self.host.put(leaf.key_pem, key, mode=0o600)
        return {"host": host, "certificate": certificate, "key": key}

    def put_leaves(self, authority: Authority, hosts: Iterable[str]) -> list[dict[str, str]]:
        """The value of `edge_certificate_files` for fresh certificates of an authority, which the host then trusts."""
        self.host.trust(authority.pem, "edge")
        return [self.put_leaf(host, authority.issue(host)) for host in hosts]

    # What it serves

    @property
    def addresses(self) -> list[str]:
        """Its addresses, as a URL writes them."""
        return [self.host.v4, *([f"[{self.host.v6}]"] if self.host.v6 else [])]

    def curl(self, url: str, *arguments: str, address: str | None = None, check: bool = True) -> Result:
        """Ask this host for a URL, whatever the DNS says."""
        name, port = re.sub("^https?://", "", url).partition("/")[0], 443 if url.startswith("https") else 80
        resolve = f"{name}:{port}:{(address or self.host.v4).strip('[]')}"
        words = ["--noproxy", "*", "--resolve", resolve, "--cacert", str(self.authority), *arguments, url]
        return self.world.bed.curl(*words, check=check)

    def status(self, url: str, *, address: str | None = None, header: str | None = None) -> int:
        """The status that a URL is answered with; 0 if there is no answer."""
        words = ["--output", "/dev/null", "--write-out", "%{http_code}", *(["--header", header] if header else [])]
        said = self.curl(url, *words, address=address, check=False)
        return int(said.stdout or 0)

    def echo(self, url: str, *, address: str | None = None) -> dict[str, Any]:
        """What of a request arrived at the backend."""
        seen: dict[str, Any] = json.loads(self.curl(url, "--fail", address=address).stdout)
        return seen

    def serves_everything(self) -> None:
        """A request of each transport goes through edge, gateway and backend, in each address family."""
        for address in self.addresses:
            connect = address.strip("[]")
            seen = self.echo(f"https://{WEB}/v1/thing?x=1", address=address)
            headers = {name.lower(): value for name, value in seen["headers"]}
            assert (seen["path"], headers["host"], headers["x-forwarded-proto"]) == ("/v1/thing?x=1", WEB, "https")
            (answer,) = self.world.websocket(f"wss://{CHAT}/talk", "hello", connect=connect, ca=self.authority)
            assert answer["message"] == "hello"
            assert self.world.grpc(f"{CALLS}:443", "hello", connect=connect, ca=self.authority)["answers"]

    def serial(self, host: str) -> str:
        """The serial number of the certificate that is served for a name, in hexadecimal."""
        return f"{_certificate(self._presented(host)).serial_number:x}"

    def stored_serial(self, path: str) -> str:
        """The serial number of the certificate in a file of the host."""
        return f"{_certificate(self.host.get(path)).serial_number:x}"

    def serves_what_is_stored(self, host: str, path: str) -> None:
        """The certificate of a file is served; a reload ends a little before its workers serve."""
        until(lambda: self.serial(host) == self.stored_serial(path) or None, f"{host} to serve {path}", seconds=10)

    def _presented(self, host: str) -> str:
        connect = ["-connect", f"{self.host.v4}:443", "-servername", host]
        return self.world.bed.control_exec(["openssl", "s_client", *connect], check=False, stdin="").stdout

    def issuer(self, host: str) -> str:
        """The issuer of the certificate that is served for a name."""
        return _certificate(self._presented(host)).issuer.rfc4514_string()

    def refuses(self, host: str) -> bool:
        """Whether the handshake for a name is refused."""
        return "BEGIN CERTIFICATE" not in self._presented(host)

    # What is on it

    def state(self) -> str:
        """All that an untouched host keeps: the configuration with its links, the workers, the units, the packages.

        A reload ends before the old workers do, so the workers are waited for.
        """
        return self.host.run(_STATE, check=False).stdout

    def has(self, path: str) -> bool:
        """Whether a file is there."""
        return self.host.run(f"test -e {path}", check=False).ok

    @contextmanager
    def occupied(self, port: int) -> Iterator[None]:
        """A Python process of the host holds a port."""
        unit = f"occupant{port}"
        # until the port is free: an nginx that was just reloaded holds it a little longer
        again = "--property=Restart=on-failure --property=RestartSec=100ms --property=StartLimitBurst=100"
        self.host.run(f'systemd-run --unit={unit} {again} python3 -c "{_OCCUPY.format(port=port)}"')
        self.host.run(f"until ss -Hltnp 'sport = :{port}' | grep -q python3; do sleep 0.05; done", timeout=10)
        try:
            yield
        finally:
            self.host.run(f"systemctl stop {unit}")

    def is_sound(self) -> None:
        """nginx's own test passes, and nginx restarts."""
        self.host.run("nginx -t && systemctl restart nginx && systemctl is-active nginx")


def _certificate(said: str) -> x509.Certificate:
    found = re.search("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", said, re.DOTALL)
    if found is None:
        raise LookupError(f"no certificate: {said[-500:]}")
    return x509.load_pem_x509_certificate(found.group().encode())
