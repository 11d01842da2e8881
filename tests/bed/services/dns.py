"""Stands for the public DNS: Pebble's pebble-challtestsrv, which answers what a test tells it."""

import contextlib
import http.client
import json
from dataclasses import dataclass, field

from bed.hosts import Bed, Host
from bed.network import CONTROL
from bed.process import Process

_MANAGEMENT = 8055


@dataclass
class Dns:
    """The resolver of the hosts, of the control side and of the ACME server. Unknown names have no address."""

    bed: Bed
    _addresses: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)
    _process: Process | None = None

    @property
    def address(self) -> str:
        """Where it answers, as `ADDRESS:PORT`."""
        return f"{self.bed.net.v4(CONTROL)}:53"

    def start(self) -> "Dns":
        """Start it, with what `point` was told before a `stop`."""
        where = self.bed.net.v4(CONTROL)
        off = [word for challenge in ("http01", "https01", "tlsalpn01") for word in (f"-{challenge}", "")]
        binds = f"{self.address},[{self.bed.net.v6(CONTROL)}]:53"
        argv = ["pebble-challtestsrv", *off, "-dns01", binds, "-management", f"{where}:{_MANAGEMENT}"]
        self._process = self.bed.spawn("dns", [*argv, "-defaultIPv4", "", "-defaultIPv6", ""])
        self.bed.wait_for_port(where, _MANAGEMENT, process=self._process)
        self.bed.wait_for_port(where, 53, process=self._process)
        for name, (v4, v6) in self._addresses.items():
            self._set(name, v4, v6)
        return self

    def stop(self) -> None:
        """No name resolves from now on."""
        if self._process is not None:
            self._process.stop()

    def point(self, name: str, *hosts: Host, v4: list[str] | None = None, v6: list[str] | None = None) -> None:
        """Let a name have the addresses of hosts, or those given; replaces what it had."""
        old = [host.v4 for host in hosts] if v4 is None else v4
        new = [host.v6 for host in hosts if host.v6] if v6 is None else v6
        self.forget(name)
        self._addresses[name] = (old, new)
        self._set(name, old, new)

    def forget(self, name: str) -> None:
        """Let a name have no address."""
        self._addresses.pop(name, None)
        self._tell("clear-a", host=name)
        self._tell("clear-aaaa", host=name)

    def fail(self, name: str) -> None:
        """Answer SERVFAIL for a name until `mend`."""
        self._tell("set-servfail", host=name)

    def mend(self, name: str) -> None:
        """End a `fail`."""
        self._tell("clear-servfail", host=name)

    def _set(self, name: str, v4: list[str], v6: list[str]) -> None:
        if v4:
            self._tell("add-a", host=name, addresses=v4)
        if v6:
            self._tell("add-aaaa", host=name, addresses=v6)

    def _tell(self, what: str, **fields: str | list[str]) -> None:
        connection = http.client.HTTPConnection(self.bed.net.v4(CONTROL), _MANAGEMENT, timeout=5)

        def post() -> int:
            connection.request("POST", f"/{what}", json.dumps(fields))
            return connection.getresponse().status

        with contextlib.closing(connection):
            status = self.bed.inside(post)
        if status != http.HTTPStatus.OK:
            raise RuntimeError(f"the DNS server refused {what} {fields} with {status}")
