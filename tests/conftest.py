"""Fixtures of the real test bed; tests/README.md tells how to use them."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bed.hosts import Host, HostSpec
from bed.paths import cache
from bed.spare import Spare
from bed.world import World, world
from cluster.control_plane import ControlPlane, control_plane

_NETS = 100  # for each of two workers; nets from 200 are free for a test's own beds


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers that `make test-fast` leaves out."""
    config.addinivalue_line("markers", "hosts: boots hosts or needs namespaces: needs root")
    config.addinivalue_line("markers", "cluster: runs a control plane, whose programs are built once (make test-tools)")
    config.addinivalue_line("markers", "architectures: needs the programs of both architectures (make modules)")


@pytest.fixture(scope="session")
def bed_name() -> tuple[str, int]:
    """Prefix and net of this run's bed: another checkout's or worker's is another one."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    digest = hashlib.sha256(f"{Path(__file__).resolve()}".encode()).digest()
    prefix = hashlib.sha256(digest + worker.encode()).hexdigest()[:5]
    return f"t{prefix}", int.from_bytes(digest[:4], "big") % _NETS + _NETS * (int(worker[2:]) % 2)


@pytest.fixture(scope="session")
def session_world(bed_name: tuple[str, int]) -> Iterator[World]:
    """DNS, ACME server, backends and gateway, started once (1.5 s)."""
    prefix, net = bed_name
    with world(prefix, net) as everything:
        yield everything


@pytest.fixture(scope="session")
def session_hosts(session_world: World) -> dict[str, Host]:
    """Both releases' hosts, booted once (1 s)."""
    booted = session_world.bed.boot(HostSpec("bookworm", "bookworm"), HostSpec("trixie", "trixie"))
    return {host.name: host for host in booted}


@pytest.fixture
def spare(session_world: World) -> Iterator[Spare]:
    """Boots hosts of this test's own, which end with it: `spare("bookworm", installed=False)`."""
    hosts = Spare(session_world.bed)
    yield hosts
    hosts.end()


_used: set[str] = set()


def _fresh(host: Host) -> Host:
    """The host with a disk as it first had: reset (0.8 s) when an earlier test was given it."""
    if host.name in _used:
        host.reset()
    _used.add(host.name)
    return host


@pytest.fixture
def bookworm(session_hosts: dict[str, Host]) -> Host:
    """A fresh Debian 12 host: nginx 1.22 runs, certbot 2.1 is installed."""
    return _fresh(session_hosts["bookworm"])


@pytest.fixture
def trixie(session_hosts: dict[str, Host]) -> Host:
    """A fresh Debian 13 host: nginx 1.26 runs, certbot 4.0 is installed."""
    return _fresh(session_hosts["trixie"])


@pytest.fixture(scope="session")
def session_cluster() -> Iterator[ControlPlane]:
    """A Kubernetes control plane with KWOK for nodes, started once (about 10 s); its folder is fit for private files."""
    with control_plane(parent=cache() / "clusters") as plane:
        yield plane
