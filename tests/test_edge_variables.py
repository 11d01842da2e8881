"""What the inventory may say of an edge: each variable of the role, through the playbook, by what it changes on the host."""

from pathlib import Path
from typing import Any

import pytest

from bed.hosts import Host
from bed.pki import Authority
from bed.services.gateway import PLAIN
from bed.world import World
from edgebed.documents import WEB, Site
from edgebed.edge import HTTP_FILE, Edge
from edgebed.playbook import Playbook
from test_edge_certbot import certbot, edge_on

pytestmark = pytest.mark.hosts

MAIL = "operators@example.org"


def _main_process(host: Host) -> str:
    return host.run("systemctl show nginx --property=MainPID").stdout


def test_trust_listen_addresses_and_restarts(session_world: World, trixie: Host, tmp_path: Path) -> None:
    authority = Authority.create("a laboratory's own")
    path = tmp_path / "authority.pem"
    path.write_text(authority.pem)
    edge, playbook = Edge(session_world, trixie, path), Playbook(session_world.bed, tmp_path, trixie)
    site = Site(f"{session_world.gateway.v4}:{PLAIN}").only("web")
    narrow: dict[str, Any] = {
        **site.write(tmp_path / "site"),
        "edge_certificate_files": [edge.put_leaf(WEB, authority.issue(WEB))],
        "edge_listen_addresses": [trixie.v4],
    }

    # an authority that the host does not know, until its bundle is named
    untouched = edge.state()
    run = playbook.run(narrow, check=False)
    assert run.codes() == {trixie.name: ["certificate/missing-intermediate"]}, run.said()
    assert edge.state() == untouched
    narrow["edge_certificate_trust"] = "/etc/ssl/edge/laboratory.pem"
    trixie.put(authority.pem, narrow["edge_certificate_trust"])
    playbook.run(narrow)

    # the one address, and no other
    v4, v6 = edge.addresses
    assert [edge.status(f"https://{WEB}/", address=address) for address in (v4, v6)] == [200, 0]
    wide = {**narrow, "edge_listen_addresses": []}
    before, main = edge.state(), _main_process(trixie)
    run = playbook.run(wide, check=False)
    assert run.codes() == {trixie.name: ["edge/restart-needed"]}, run.said()
    assert "edge_allow_restart" in run.said()
    assert edge.state() == before

    # all addresses, when a restart is allowed; with nothing to do it is not used
    allowed = {**wide, "edge_allow_restart": True}
    playbook.run(allowed)
    assert [edge.status(f"https://{WEB}/", address=address) for address in (v4, v6)] == [200, 200]
    restarted = _main_process(trixie)
    assert restarted != main
    assert playbook.run(allowed).changed() == []
    assert _main_process(trixie) == restarted


def test_webroot_mail_address_and_proof_of_renewal(session_world: World, trixie: Host, tmp_path: Path) -> None:
    world, edge = session_world, edge_on(session_world, trixie, tmp_path)
    playbook = Playbook(world.bed, tmp_path, trixie)
    site = Site(f"{world.gateway.v4}:{PLAIN}").only("web")
    world.dns.point(WEB, trixie)
    variables = certbot(world, site, tmp_path, edge_acme_webroot="/srv/answers", edge_acme_email=MAIL)
    del variables["edge_acme_renewal_check"]
    run = playbook.run(variables)
    assert edge.status(f"https://{WEB}/") == 200

    # the webroot, where port 80 and renewals look for answers
    trixie.put("token", "/srv/answers/.well-known/acme-challenge/probe")
    assert edge.curl(f"http://{WEB}/.well-known/acme-challenge/probe").stdout == "token"
    renewal = trixie.get(f"/etc/letsencrypt/renewal/{WEB}.conf")
    assert f"{WEB} = /srv/answers" in renewal
    assert not edge.has("/var/lib/pharos-edge/acme")

    # whom the authority writes to
    account = trixie.run(f"certbot show_account --non-interactive --server {world.acme.directory}").stdout
    assert f"Email contact: {MAIL}" in account

    # renewal is proven unless the inventory says otherwise
    assert [task for task in run.ran(trixie) if "Prove that certificates renew" in task]
    unproven = playbook.run({**variables, "edge_acme_renewal_check": False})
    assert (unproven.changed(), [task for task in unproven.ran(trixie) if "Prove" in task]) == ([], [])

    # another webroot: port 80 and the lineage follow
    moved = {**variables, "edge_acme_webroot": "/srv/elsewhere", "edge_acme_renewal_check": False}
    assert playbook.run(moved).changed(trixie)
    assert "root /srv/elsewhere;" in trixie.get(HTTP_FILE)
    assert f"{WEB} = /srv/elsewhere" in trixie.get(f"/etc/letsencrypt/renewal/{WEB}.conf")
    assert playbook.run(moved).changed() == []
    world.dns.forget(WEB)
