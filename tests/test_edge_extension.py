"""Laboratories on a running edge: added, in conflict, served by whoever runs the playbook, replaced and removed."""

import json
from pathlib import Path
from typing import Any

import pytest

from bed.hosts import Host
from bed.pki import Authority
from bed.services.gateway import PLAIN
from bed.world import World
from edgebed.documents import WEB, Site
from edgebed.edge import HTTPS_FILE, Edge
from edgebed.playbook import Playbook, Run
from edgebed.reloads import reload_is
from test_edge_certbot import certbot, edge_on

pytestmark = pytest.mark.hosts

BENCH = "bench.icarus.test"
FEED = "feed.icarus.test"
REGISTRY = "/opt/pharos-edge/extensions"
ICARUS = f"{REGISTRY}/icarus.yaml"


def laboratory(
    folder: Path, *hosts: str, name: str = "icarus", namespace: str | None = None, path: str = "/", file: str = "routes.yaml"
) -> str:
    """Writes the routes file of a laboratory, a route a host; returns its path."""
    document = {
        "version": 1,
        "name": name,
        "namespace": namespace or name,
        "routes": [
            {
                "name": host.partition(".")[0],
                "host": host,
                "match": {"prefix": path},
                "access": "public",
                "transport": "http",
                "backend": {"service": "bench", "port": 8080},
            }
            for host in hosts
        ],
    }
    target = folder / name / file
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document, indent=2) + "\n")
    return str(target)


class Machine:
    """An edge with certificates of the site's hosts and of those that laboratories may add."""

    def __init__(self, world: World, host: Host, folder: Path) -> None:
        authority = Authority.create("test bed edge")
        path = folder / "authority.pem"
        path.write_text(authority.pem)
        self.edge = Edge(world, host, path)
        self.host = host
        self.folder = folder
        self.playbook = Playbook(world.bed, folder, host)
        self.site = Site(f"{world.gateway.v4}:{PLAIN}").only("web")
        self.files = self.edge.put_leaves(authority, [WEB, BENCH, FEED])
        self.documents = self.site.write(folder / "here")

    def variables(self, *hosts: str, **more: Any) -> dict[str, Any]:
        """The inventory's variables, with certificates of the site's host and of these."""
        files = [each for each in self.files if each["host"] in (WEB, *hosts)]
        return {**self.documents, "edge_certificate_files": files, **more}

    def run(self, *hosts: str, options: tuple[str, ...] = (), check: bool = True, **more: Any) -> Run:
        """A run of the playbook that is given certificates of these hosts beside the site's."""
        return self.playbook.run(self.variables(*hosts, **more), *options, check=check)

    def alone(self, **options: str) -> Run:
        """The module by itself, without the transaction that comes before it."""
        documents = {f"{name}_file": self.documents[f"edge_{name}_file"] for name in ("environment", "catalogue")}
        task = {"name": "Register", "pharos.platform.route_extension": {**documents, **options}}
        play = {"hosts": "platform-edge", "gather_facts": False, "tasks": [task]}
        path = self.folder / "alone.yml"
        path.write_text(json.dumps([play]))
        playbook = Playbook(self.playbook.bed, self.folder, self.host, playbook=path)
        return playbook.run({}, check=False)

    def registered(self) -> str:
        """The files of the registry with mode, owner and digest."""
        words = f"cd {REGISTRY} 2>/dev/null && stat --format='%n %a %U:%G' * && sha256sum *"
        return self.host.run(words, check=False).stdout

    def refused(self, code: str, *hosts: str, **more: Any) -> Run:
        """A run that ends before anything is changed."""
        before, registered = self.edge.state(), self.registered()
        run = self.run(*hosts, check=False, **more)
        assert code in run.codes()[self.host.name], run.said()
        assert (self.edge.state(), self.registered()) == (before, registered)
        return run

    def status(self, host: str, path: str = "/") -> int:
        return self.edge.status(f"https://{host}{path}")


@pytest.fixture
def machine(session_world: World, bookworm: Host, tmp_path: Path) -> Machine:
    return Machine(session_world, bookworm, tmp_path)


def test_a_laboratory_from_its_addition_to_its_removal(machine: Machine, tmp_path: Path) -> None:
    machine.run()
    assert (machine.status(WEB), machine.edge.refuses(BENCH)) == (200, True)

    # a dry run shows the listener and the registry, and changes nothing
    routes = laboratory(tmp_path, BENCH)
    untouched = machine.edge.state()
    dry = machine.run(BENCH, options=("--check", "--diff"), edge_extension=routes)
    assert [task for task in dry.changed() if "Register" in task], dry.changed()
    assert (machine.edge.state(), machine.edge.has(REGISTRY)) == (untouched, False)

    # it is served, and then registered
    added = machine.run(BENCH, edge_extension=routes)
    order = [task for task in added.changed() if "Install the HTTPS listener" in task or "Register" in task]
    assert ["HTTPS" in task for task in order] == [True, False], order
    assert (machine.status(WEB), machine.status(BENCH)) == (200, 200)
    assert machine.edge.echo(f"https://{BENCH}/v1?x=1")["path"] == "/v1?x=1"
    assert machine.host.get(ICARUS) == Path(routes).read_text()
    modes = machine.host.run(f"stat --format='%a %U:%G' {ICARUS} {REGISTRY}").stdout.splitlines()
    assert modes == ["644 root:root", "755 root:root"]
    assert "set $pharos_route icarus-bench;" in machine.host.get(HTTPS_FILE)
    assert machine.run(BENCH, edge_extension=routes).changed() == []

    # a run of another checkout that knows nothing of it
    elsewhere = {**machine.variables(BENCH), **machine.site.write(tmp_path / "elsewhere")}
    assert machine.playbook.run(elsewhere).changed() == []
    assert machine.status(BENCH) == 200

    # a new version takes its place
    moved = laboratory(tmp_path, BENCH, FEED, path="/app", file="next.yaml")
    assert machine.run(BENCH, FEED, edge_extension=moved).changed()
    assert [machine.status(BENCH), machine.status(BENCH, "/app/x"), machine.status(FEED, "/app")] == [404, 200, 200]
    assert machine.host.get(ICARUS) == Path(moved).read_text()
    assert machine.run(BENCH, FEED, edge_extension=moved).changed() == []

    # it is removed
    assert machine.run(edge_extension=moved, edge_extension_state="absent").changed()
    assert (machine.status(WEB), machine.edge.refuses(BENCH), machine.edge.has(ICARUS)) == (200, True, False)
    assert machine.run(edge_extension=moved, edge_extension_state="absent").changed() == []
    assert machine.run().changed() == []
    machine.edge.is_sound()


def test_conflicts_and_damage_change_nothing(machine: Machine, tmp_path: Path) -> None:
    routes = laboratory(tmp_path, BENCH)
    machine.run(BENCH, edge_extension=routes)

    # with the registered laboratory, with the site, with the catalogue: both places are named
    conflict = laboratory(tmp_path, BENCH, name="daedalus", file="bench.yaml")
    said = machine.refused("extension/host-shared", BENCH, edge_extension=conflict).said()
    assert f"{ICARUS}:" in said and f"{conflict}:" in said
    on_the_site = laboratory(tmp_path, WEB, name="daedalus", file="web.yaml")
    assert "edge.yaml:" in machine.refused("extension/host-taken", BENCH, edge_extension=on_the_site).said()
    in_the_site = laboratory(tmp_path, FEED, name="daedalus", namespace="site", file="site.yaml")
    refused = machine.refused("extension/namespace-taken", BENCH, FEED, edge_extension=in_the_site)
    assert "services.yaml:" in refused.said()

    # a file that is not there is told by the variable that names it
    said = machine.refused("module/document-missing", BENCH, edge_extension="/nowhere/routes.yaml").said()
    assert "`edge_extension`" in said

    # a certificate that is missing: the host of a laboratory is one of the edge's
    fine = laboratory(tmp_path, FEED, name="daedalus")
    assert FEED in machine.refused("edge/certificate-files", BENCH, edge_extension=fine).said()

    # a damaged file is named, and stops the run of everybody but its own laboratory
    machine.host.put("version: 1\nname: icarus\nroutes: [\n", ICARUS)
    assert ICARUS in machine.refused("extension/registered-file", BENCH).said()
    assert ICARUS in machine.refused("extension/registered-file", BENCH, FEED, edge_extension=fine).said()
    assert machine.status(BENCH) == 200
    assert machine.run(BENCH, edge_extension=routes).changed()
    assert machine.run(BENCH, FEED, edge_extension=fine).changed()
    assert [machine.status(host) for host in (WEB, BENCH, FEED)] == [200, 200, 200]

    # a file that others may change is not believed
    machine.host.run(f"chmod 666 {ICARUS}")
    machine.refused("file/mode", BENCH, FEED)
    machine.host.run(f"chmod 644 {ICARUS}")
    assert machine.run(BENCH, FEED).changed() == []


def test_a_broken_registry_of_one_edge_stops_all(session_world: World, machine: Machine, trixie: Host, tmp_path: Path) -> None:
    second = Edge(session_world, trixie, machine.edge.authority)
    trixie.trust(machine.edge.authority.read_text(), "edge")
    for each in machine.files:
        for key in ("certificate", "key"):
            trixie.put(machine.host.get(each[key]), each[key], mode=0o600)
    both = Playbook(session_world.bed, tmp_path, machine.host, trixie)
    trixie.put("name: daedalus\n", f"{REGISTRY}/daedalus.yaml")
    variables = machine.variables(BENCH, edge_extension=laboratory(tmp_path, BENCH))
    states = machine.edge.state(), second.state()
    run = both.run(variables, check=False)
    assert "extension/registered-file" in run.codes()[trixie.name], run.said()
    assert (machine.edge.state(), second.state()) == states
    assert not machine.edge.has(ICARUS)

    trixie.run(f"rm {REGISTRY}/daedalus.yaml")
    both.run(variables)
    assert (machine.status(BENCH), second.status(f"https://{BENCH}/")) == (200, 200)
    assert machine.edge.has(ICARUS) and second.has(ICARUS)


def test_what_is_not_served_is_not_registered(machine: Machine, tmp_path: Path) -> None:
    # by itself the module refuses, and changes nothing
    machine.run()
    routes = laboratory(tmp_path, BENCH)
    alone = machine.alone(state="present", extension_file=routes)
    assert alone.codes() == {machine.host.name: ["extension/not-served"]}, alone.said()
    assert "icarus-bench" in alone.said()

    # nginx refuses to reload: the laboratory is not registered, and the retry completes what is pending
    with reload_is(machine.host, "/bin/false"):
        assert not machine.run(BENCH, check=False, edge_extension=routes).ok
        alone = machine.alone(state="present", extension_file=routes)
        assert alone.codes() == {machine.host.name: ["extension/not-served"]}, alone.said()
    assert not machine.edge.has(REGISTRY)
    assert machine.run(BENCH, edge_extension=routes).changed()
    assert (machine.status(BENCH), machine.edge.has(ICARUS)) == (200, True)

    # what is forgotten by its name alone is served until the next run
    assert machine.alone(state="absent", name="icarus").changed()
    assert machine.alone(state="absent", name="icarus").changed() == []
    assert (machine.status(BENCH), machine.edge.has(ICARUS)) == (200, False)
    assert machine.run().changed()
    assert machine.edge.refuses(BENCH)


def test_certbot_requests_a_certificate_for_each_host_of_a_laboratory(session_world: World, trixie: Host, tmp_path: Path) -> None:
    world, edge = session_world, edge_on(session_world, trixie, tmp_path)
    site = Site(f"{world.gateway.v4}:{PLAIN}").only("web")
    for host in (WEB, BENCH):
        world.dns.point(host, trixie)
    variables = certbot(world, site, tmp_path)
    playbook = Playbook(world.bed, tmp_path, trixie)
    playbook.run(variables)
    assert edge.refuses(BENCH)
    routes = laboratory(tmp_path, BENCH)
    assert playbook.run({**variables, "edge_extension": routes}).changed()
    assert (edge.status(f"https://{WEB}/"), edge.status(f"https://{BENCH}/")) == (200, 200)
    assert edge.has(f"/etc/letsencrypt/live/{BENCH}/fullchain.pem")
    assert playbook.run(variables).changed() == []
    for host in (WEB, BENCH):
        world.dns.forget(host)
