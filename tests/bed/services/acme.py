"""Stands for the public certificate authority: Pebble, a real ACME server, with an authority of its own."""

import json
import ssl
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from bed.hosts import Bed
from bed.network import CONTROL
from bed.pki import Authority
from bed.process import Process
from bed.services.dns import Dns

_DIRECTORY = 14000
_MANAGEMENT = 15000


@dataclass(frozen=True)
class Faults:
    """How Pebble misbehaves; the defaults are that it does not, which Pebble's own are not."""

    nonce_reject: int = 0
    """Percentage of good nonces refused."""
    authz_reuse: int = 0
    """Percentage of earlier authorizations reused: a renewal then is not validated."""
    always_valid: bool = False
    """Take every challenge as passed."""
    validation_sleep: bool = False
    """Wait up to 5 s before each validation, as Pebble does by default."""

    def environment(self) -> dict[str, str]:
        """What Pebble reads them from."""
        return {
            "PEBBLE_AUTHZREUSE": str(self.authz_reuse),
            "PEBBLE_VA_ALWAYS_VALID": str(int(self.always_valid)),
            "PEBBLE_VA_NOSLEEP": str(int(not self.validation_sleep)),
            "PEBBLE_WFE_NONCEREJECT": str(self.nonce_reject),
        }


class Acme:
    """An ACME server that validates on port 80 of the names, as the bed's DNS has them."""

    def __init__(self, bed: Bed, dns: Dns, *, valid_days: int = 90, number: int = 0) -> None:
        """Make the API's own authority; `start` starts the server. Servers of different numbers stand side by side."""
        self._bed = bed
        self._dns = dns
        self._name = f"acme{number or ''}"
        self._port, self._management_port = _DIRECTORY + number, _MANAGEMENT + number
        self._valid_days = valid_days
        self._authority = Authority.create("test bed ACME API")
        self._process: Process | None = None

    @property
    def directory(self) -> str:
        """What certbot's `--server` is given."""
        return f"https://{self._bed.net.v4(CONTROL)}:{self._port}/dir"

    @property
    def api_ca_pem(self) -> str:
        """The authority of the API's own certificate: `host.trust(acme.api_ca_pem)` lets certbot connect."""
        return self._authority.pem

    def start(self, faults: Faults | None = None) -> "Acme":
        """Start it; each start has a new issuing authority and knows no account."""
        self.stop()
        where = self._bed.net.v4(CONTROL)
        folder = self._bed.folder / "services" / self._name
        leaf = self._authority.issue(where, self._bed.net.v6(CONTROL), "acme.bed.test", days=3650)
        certificate, key = leaf.write(folder, "api")
        configuration = folder / "pebble.json"
        configuration.write_text(json.dumps({"pebble": self._configuration(where, certificate, key)}))
        argv = ["pebble", "-config", str(configuration), "-dnsserver", self._dns.address]
        self._process = self._bed.spawn(self._name, argv, environment=(faults or Faults()).environment())
        self._bed.wait_for_port(where, self._port, process=self._process)
        self._bed.wait_for_port(where, self._management_port, process=self._process)
        return self

    def stop(self) -> None:
        """Stop it."""
        if self._process is not None:
            self._process.stop()

    def root_pem(self) -> str:
        """The root of what it issues now."""
        return self._management("roots/0")

    def intermediate_pem(self) -> str:
        """The intermediate of what it issues now."""
        return self._management("intermediates/0")

    def log(self) -> str:
        """What Pebble said."""
        return self._process.said() if self._process else ""

    def _configuration(self, where: str, certificate: Path, key: Path) -> dict[str, object]:
        return {
            "listenAddress": f"{where}:{self._port}",
            "managementListenAddress": f"{where}:{self._management_port}",
            "certificate": str(certificate),
            "privateKey": str(key),
            "httpPort": 80,
            "tlsPort": 443,
            "ocspResponderURL": "",
            "externalAccountBindingRequired": False,
            "certificateValidityPeriod": self._valid_days * 86400,
        }

    def _management(self, path: str) -> str:
        context = ssl.create_default_context(cadata=self._authority.pem)
        address = f"https://{self._bed.net.v4(CONTROL)}:{self._management_port}/{path}"

        def fetch() -> str:
            with urllib.request.urlopen(address, timeout=5, context=context) as answer:
                body: bytes = answer.read()
            return body.decode()

        return self._bed.inside(fetch)
