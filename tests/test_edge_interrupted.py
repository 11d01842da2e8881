"""A run of the playbook that is killed while it changes a host: the host stays sound, the next run completes."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from bed import waiting
from bed.hosts import Host
from bed.pki import Authority
from bed.services.gateway import PLAIN
from bed.world import World
from edgebed.documents import WEB, Site
from edgebed.edge import HTTP_FILE, Edge
from edgebed.playbook import Playbook

pytestmark = pytest.mark.hosts

MARKERS = "/var/lib/pharos-edge/transactions"


def _kill_in_the_middle(playbook: Playbook, host: Host, variables: dict[str, Any], listener: str) -> None:
    """Kill Ansible and what it runs on the host as soon as the listener's transaction has left its marker."""
    running = playbook.begin(variables)

    def marked() -> bool:
        if running.poll() is not None:
            raise RuntimeError(f"the playbook ended before it was killed:\n{running.communicate()[0]}")
        return host.run(f"test -e {MARKERS}/{listener}.json && pkill --signal KILL pharos-modules", check=False).ok

    waiting.until(marked, "a transaction under way", seconds=120, pause=0.005)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()


def test_existing(session_world: World, trixie: Host, tmp_path: Path) -> None:
    authority = Authority.create("test bed edge")
    path = tmp_path / "authority.pem"
    path.write_text(authority.pem)
    site = Site(f"{session_world.gateway.v4}:{PLAIN}")
    edge, playbook = Edge(session_world, trixie, path), Playbook(session_world.bed, tmp_path, trixie)
    files = edge.put_leaves(authority, site.hosts)
    variables = {**site.write(tmp_path / "site"), "edge_certificate_files": files}
    _kill_in_the_middle(playbook, trixie, variables, "https")
    edge.is_sound()
    playbook.run(variables)
    edge.serves_everything()
    assert playbook.run(variables).changed() == []


def test_certbot(session_world: World, trixie: Host, tmp_path: Path) -> None:
    world, site = session_world, Site(f"{session_world.gateway.v4}:{PLAIN}").only("web")
    trixie.trust(world.acme.api_ca_pem, "acme-api")
    trixie.trust(world.acme.root_pem(), "acme-root")
    path = tmp_path / "root.pem"
    path.write_text(world.acme.root_pem())
    edge, playbook = Edge(world, trixie, path), Playbook(world.bed, tmp_path, trixie)
    world.dns.point(WEB, trixie)
    variables = {
        **site.write(tmp_path / "site"),
        "edge_certificate_mode": "certbot",
        "edge_acme_server": world.acme.directory,
        "edge_acme_renewal_check": False,
    }
    _kill_in_the_middle(playbook, trixie, variables, "http")
    edge.is_sound()
    playbook.run(variables)
    assert edge.status(f"https://{WEB}/") == 200
    assert playbook.run(variables).changed() == []

    # a change of the challenge listener: what certificates answer from is never half of each
    moved = {**variables, "edge_acme_webroot": "/srv/answers"}
    _kill_in_the_middle(playbook, trixie, moved, "http")
    edge.is_sound()
    assert (edge.status(f"http://{WEB}/"), edge.status(f"https://{WEB}/")) == (308, 200)
    playbook.run(moved)
    assert "root /srv/answers;" in trixie.get(HTTP_FILE)
    assert f"{WEB} = /srv/answers" in trixie.get(f"/etc/letsencrypt/renewal/{WEB}.conf")
    assert playbook.run(moved).changed() == []
    world.dns.forget(WEB)
