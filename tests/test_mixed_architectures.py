"""One play over an x86_64 and an aarch64 host: each gets its program, and both the same edge."""

import json
from pathlib import Path
from typing import Any

import pytest

from bed.hosts import Host
from bed.pki import Authority
from bed.services.gateway import PLAIN
from bed.spare import Spare
from bed.world import World
from edgebed import aarch64
from edgebed.documents import Site
from edgebed.edge import HTTPS_FILE, Edge
from edgebed.playbook import Playbook, Run
from play.collection import SOURCE

pytestmark = [pytest.mark.hosts, pytest.mark.architectures]


def answers(run: Run, host: Host) -> Any:
    """What each task answered, without the host's own name and addresses."""
    told = json.dumps([(event["task"], event["outcome"], event["result"]) for event in run.events if event["host"] == host.name])
    for own, common in ((host.name, "HOST"), (host.v4, "V4"), (host.v6 or "no IPv6", "V6")):
        told = told.replace(own, common)
    return json.loads(told)


def test_one_play_over_both_architectures(session_world: World, bookworm: Host, spare: Spare, tmp_path: Path) -> None:
    world, site = session_world, Site(f"{session_world.gateway.v4}:{PLAIN}")
    other = spare("bookworm")
    aarch64.become(other)
    assert [host.ssh("uname -sm").stdout.strip() for host in (bookworm, other)] == ["Linux x86_64", "Linux aarch64"]

    authority = Authority.create("test bed edge")
    (tmp_path / "authority.pem").write_text(authority.pem)
    edges = [Edge(world, host, tmp_path / "authority.pem") for host in (bookworm, other)]
    leaves = {name: authority.issue(name) for name in site.hosts}
    for edge in edges:
        edge.host.trust(authority.pem, "edge")
        files = [edge.put_leaf(name, leaf) for name, leaf in leaves.items()]
    playbook = Playbook(world.bed, tmp_path, bookworm, other)
    variables = {**site.write(tmp_path / "site"), "edge_certificate_files": files}

    first = playbook.run(variables)
    assert first.changed(bookworm) == first.changed(other) != []
    again = playbook.run(variables)
    assert again.changed() == []
    for run in (first, again):
        assert answers(run, bookworm) == answers(run, other)
    assert bookworm.get(HTTPS_FILE) == other.get(HTTPS_FILE)
    for edge in edges:
        edge.serves_everything()

    # each has its own program and no other
    programs = json.loads((SOURCE / "files" / "manifest.json").read_text())["programs"]
    for host, architecture in ((bookworm, "x86_64"), (other, "aarch64")):
        assert host.run("ls ~/.cache/pharos/modules").stdout.split() == [programs[architecture]]
