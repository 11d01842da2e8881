"""Hosts of a test's own, in a bed that many tests share."""

from bed.hosts import Bed, Host, HostSpec
from bed.recipe import Release

__all__ = ["Spare"]


class Spare:
    """Boots hosts under names that no other test has, and ends them together."""

    def __init__(self, bed: Bed) -> None:
        """Boot in that bed, which keeps the names and addresses of ended hosts to itself."""
        self._bed = bed
        self._booted: list[Host] = []

    def __call__(self, release: Release, *, installed: bool = True, ipv6: bool = True) -> Host:
        """A booted host of that release."""
        name = f"spare{len(self._bed.hosts)}"
        (host,) = self._bed.boot(HostSpec(name, release, installed=installed, ipv6=ipv6))
        self._booted.append(host)
        return host

    def end(self) -> None:
        """Shut down what was booted."""
        for host in self._booted:
            host.stop()
