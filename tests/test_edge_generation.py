"""Two administration machines: what one has installed since the other judged is not replaced unseen."""

from pathlib import Path
from typing import Any

import pytest

from bed.hosts import Host
from bed.pki import Authority
from bed.services.gateway import PLAIN
from bed.world import World
from edge import site as module_site
from edge.machine import FILES, Machine
from edgebed import reloads
from edgebed.documents import WEB, Site
from edgebed.edge import Edge
from edgebed.playbook import Playbook

pytestmark = pytest.mark.hosts


def test_a_host_that_was_changed_since_it_was_judged(session_world: World, bookworm: Host) -> None:
    machine = Machine(session_world.bed, bookworm, module_site.Site(f"{session_world.gateway.v4}:{PLAIN}"))
    judged = machine.run("http", check=True).ok().said["generation"]
    changed = machine.run("https", generation=judged).ok().said["generation"]
    assert changed == judged + 1
    refused = machine.run("http", generation=judged)
    assert refused.codes == ["edge/changed-meanwhile"], refused.text
    assert "edge_config https" in refused.text
    assert not machine.exists(FILES["http"]) and not machine.marker("http")
    assert machine.run("http", generation=changed).ok().changed
    assert not machine.run("http", generation=judged).ok().changed, "with nothing to do there is nothing to compare"


def test_an_edge_that_a_second_machine_changed_meanwhile(
    session_world: World, bookworm: Host, trixie: Host, tmp_path: Path
) -> None:
    authority = Authority.create("test bed edge")
    path = tmp_path / "authority.pem"
    path.write_text(authority.pem)
    first, second = Edge(session_world, bookworm, path), Edge(session_world, trixie, path)
    site = Site(f"{session_world.gateway.v4}:{PLAIN}").only("web")
    files, _ = (edge.put_leaves(authority, site.hosts) for edge in (first, second))
    variables: dict[str, Any] = {**site.write(tmp_path / "site"), "edge_certificate_files": files}
    moved = {**variables, **Site(site.gateway, site.origins, web_path="/app").write(tmp_path / "moved")}
    both = Playbook(session_world.bed, tmp_path, bookworm, trixie)

    # both edges were judged, and while the first is being reloaded another run installs another site on the second
    with reloads.reload_is(bookworm, "/bin/sh -c 'until [ -e /run/go ]; do sleep 0.1; done; nginx -s reload'"):
        running = both.begin(variables)
        reloads.wait_for_reload(bookworm, running)
        Playbook(session_world.bed, tmp_path, trixie).run(moved)
        bookworm.run("touch /run/go")
        said = running.communicate()[0]
    assert running.returncode == 2, said
    assert "edge/changed-meanwhile" in said
    assert first.status(f"https://{WEB}/other") == 200
    assert second.status(f"https://{WEB}/other") == 404, "what the other run has installed stands"
    assert both.run(variables).changed(trixie)
    assert second.status(f"https://{WEB}/other") == 200
