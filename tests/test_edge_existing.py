"""The edge with certificates that somebody else renews: `edge_certificate_mode: existing`, on both releases."""

from pathlib import Path
from typing import Any

import pytest

from bed.hosts import Host
from bed.pki import Authority
from bed.services.gateway import PLAIN
from bed.spare import Spare
from bed.world import World
from edgebed.documents import CALLS, CHAT, WEB, Site
from edgebed.edge import HTTP_FILE, HTTPS_FILE, Edge
from edgebed.playbook import Playbook

pytestmark = pytest.mark.hosts


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority.create("test bed edge")


@pytest.fixture
def site(session_world: World) -> Site:
    return Site(f"{session_world.gateway.v4}:{PLAIN}")


def edge_on(world: World, host: Host, authority: Authority, folder: Path) -> Edge:
    path = folder / "authority.pem"
    path.write_text(authority.pem)
    return Edge(world, host, path)


@pytest.fixture(params=["bookworm", "trixie"])
def edge(request: pytest.FixtureRequest, session_world: World, authority: Authority, tmp_path: Path) -> Edge:
    return edge_on(session_world, request.getfixturevalue(request.param), authority, tmp_path)


def test_an_edge_from_its_first_installation_on(
    session_world: World, edge: Edge, authority: Authority, site: Site, tmp_path: Path
) -> None:
    host, playbook = edge.host, Playbook(session_world.bed, tmp_path, edge.host)
    smaller = site.only("web", "chat")
    files = edge.put_leaves(authority, site.hosts)

    def variables(of: Site) -> dict[str, Any]:
        named = [each for each in files if each["host"] in of.hosts]
        return {**of.write(tmp_path / "site"), "edge_certificate_files": named}

    # first installation, as a dry run and then for good
    untouched = edge.state()
    dry = playbook.run(variables(smaller), "--check", "--diff")
    assert dry.changed(host)
    assert edge.state() == untouched
    assert playbook.run(variables(smaller)).changed(host)
    assert not edge.has(HTTP_FILE)
    assert edge.status(f"https://{WEB}/") == 200
    assert edge.refuses(CALLS)
    assert edge.status(f"https://{WEB}/", header=f"Host: {CALLS}") == 421

    # nothing to do
    workers = edge.state()
    again = playbook.run(variables(smaller))
    assert again.changed() == []
    assert edge.state() == workers

    # a new origin
    assert playbook.run(variables(site)).changed(host)
    edge.serves_everything()

    # a changed route
    moved = Site(site.gateway, web_path="/app")
    assert playbook.run(variables(moved)).changed(host)
    assert (edge.status(f"https://{WEB}/app/x"), edge.status(f"https://{WEB}/other")) == (200, 404)

    # a certificate that was swapped under the running nginx
    before = edge.serial(WEB)
    edge.put_leaf(WEB, authority.issue(WEB))
    assert edge.serial(WEB) == before
    assert playbook.run(variables(moved)).changed(host)
    assert edge.serial(WEB) == edge.stored_serial(f"/etc/ssl/edge/{WEB}.pem") != before
    assert playbook.run(variables(moved)).changed() == []
    edge.is_sound()


def test_what_an_existing_configuration_or_host_does_not_allow(
    session_world: World, edge: Edge, authority: Authority, site: Site, tmp_path: Path
) -> None:
    host, playbook = edge.host, Playbook(session_world.bed, tmp_path, edge.host)
    files = edge.put_leaves(authority, site.hosts)
    variables = {**site.write(tmp_path / "site"), "edge_certificate_files": files}

    def refused(code: str, *words: str) -> None:
        before = edge.state()
        run = playbook.run(variables, check=False)
        assert not run.ok
        assert code in run.codes()[host.name], run.said()
        for word in words:
            assert word in run.said()
        assert edge.state() == before

    # somebody else's second default server, named by file and line
    other = "/etc/nginx/conf.d/other.conf"
    host.put(
        "server {\n    listen 443 ssl default_server;\n    ssl_reject_handshake on;\n}\n",
        other,
    )
    host.run("systemctl reload nginx")
    refused("edge/second-default-server", f"{other}:2")

    # somebody else's broken file
    host.put("server {\n    listen 8081;\n    proxy_pass nowhere;\n}\n", other)
    refused("edge/broken-configuration", other)
    host.run(f"rm {other} && systemctl reload nginx")

    # a process on port 443
    with edge.occupied(443):
        refused("edge/port-held", "python3", "443")

    # certificates, each named by host and file
    good = f"/etc/ssl/edge/{WEB}.pem"
    edge.put_leaf(WEB, authority.issue(WEB, days=0.001))
    refused("certificate/expired", WEB, good)
    edge.put_leaf(WEB, authority.issue(CHAT))
    refused("certificate/host-mismatch", WEB, good)
    edge.put_leaf(WEB, authority.issue(WEB))
    host.put(authority.issue(WEB).key_pem, f"/etc/ssl/edge/{WEB}.key", mode=0o600)
    refused("certificate/key-mismatch", WEB, good)
    edge.put_leaf(WEB, authority.issue(WEB))

    playbook.run(variables)
    edge.serves_everything()


def test_two_edges_of_which_one_is_broken_are_both_untouched(
    session_world: World, bookworm: Host, trixie: Host, authority: Authority, site: Site, tmp_path: Path
) -> None:
    playbook = Playbook(session_world.bed, tmp_path, bookworm, trixie, user="admin")
    first, second = (edge_on(session_world, host, authority, tmp_path) for host in (bookworm, trixie))
    files = first.put_leaves(authority, site.hosts)
    second.put_leaves(authority, site.hosts)
    variables = {**site.write(tmp_path / "site"), "edge_certificate_files": files}
    trixie.put("broken {\n", "/etc/nginx/conf.d/other.conf")
    before = first.state(), second.state()
    run = playbook.run(variables, check=False)
    assert set(run.codes()) == {trixie.name}
    assert (first.state(), second.state()) == before

    trixie.run("rm /etc/nginx/conf.d/other.conf")
    both = playbook.run(variables)
    assert both.changed(bookworm)
    assert both.changed(trixie)
    for part in ("prepare | ", "install | "):
        order = [event["host"] for event in both.events if part in event["task"]]
        assert order == sorted(order), "one edge after the other, with all that is done to it"
    first.serves_everything()
    second.serves_everything()
    assert playbook.run(variables).changed() == []


def test_a_gateway_that_stalls_does_not_fail_an_installation(
    session_world: World, trixie: Host, authority: Authority, site: Site, tmp_path: Path
) -> None:
    edge, playbook = edge_on(session_world, trixie, authority, tmp_path), Playbook(session_world.bed, tmp_path, trixie)
    files = edge.put_leaves(authority, site.hosts)
    variables = {**site.write(tmp_path / "site"), "edge_certificate_files": files}
    session_world.gateway.pause()
    try:
        run = playbook.run(variables)
    finally:
        session_world.gateway.resume()
    (installed,) = [event["result"] for event in run.events if event["result"].get("changed")]
    told = [each for each in installed["diagnostics"] if each["code"] == "edge/upstream-silent"]
    assert {each["severity"] for each in told} == {"warning"}
    for name in site.hosts:
        assert f"`{name}/`" in "".join(each["message"] for each in told)
    edge.serves_everything()
    assert playbook.run(variables).changed() == []


def test_a_host_without_packages_and_without_ipv6(
    session_world: World, spare: Spare, authority: Authority, site: Site, tmp_path: Path
) -> None:
    host = spare("trixie", installed=False, ipv6=False)
    edge, playbook = edge_on(session_world, host, authority, tmp_path), Playbook(session_world.bed, tmp_path, host)
    files = edge.put_leaves(authority, site.hosts)
    variables = {**site.write(tmp_path / "site"), "edge_certificate_files": files}

    # ports are judged before the package is installed
    with edge.occupied(443):
        run = playbook.run(variables, check=False)
    assert "edge/port-held" in run.codes()[host.name]
    assert not edge.has("/usr/sbin/nginx")

    playbook.run(variables)
    assert host.run("systemctl is-enabled nginx").stdout.strip() == "enabled"
    assert "[::]" not in host.get(HTTPS_FILE)
    edge.serves_everything()
    assert playbook.run(variables).changed() == []

    # stopped, disabled and failed are states to start from
    host.run("systemctl disable --now nginx")
    assert playbook.run(variables).changed(host)
    assert edge.status(f"https://{WEB}/") == 200
    host.run("systemctl kill --signal=KILL nginx; sleep 0.2; systemctl is-failed nginx")
    assert playbook.run(variables).changed(host)
    assert edge.status(f"https://{WEB}/") == 200
    assert playbook.run(variables).changed() == []
