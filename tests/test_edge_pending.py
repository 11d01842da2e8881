"""A reload that did not happen: the validated file and its marker stay, and the next run begins with that reload."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from bed.hosts import Host
from bed.pki import Authority
from bed.services.gateway import PLAIN
from bed.world import World
from edgebed import reloads
from edgebed.documents import WEB, Site
from edgebed.edge import HTTP_FILE, HTTPS_FILE, Edge
from edgebed.playbook import Playbook, Run
from test_edge_certbot import certbot, edge_on

pytestmark = pytest.mark.hosts

MARKERS = "/var/lib/pharos-edge/transactions"
COMPLETES = ["reload", "prove", "clear"]


def _stage(host: Host, listener: str) -> str | None:
    """How far an unfinished transaction has come."""
    text = host.run(f"cat {MARKERS}/{listener}.json", check=False).stdout
    return str(json.loads(text)["stage"]) if text else None


def _steps(run: Run, host: Host) -> list[tuple[str, list[str]]]:
    """What changed the host, in order: each task with the steps of its transaction, if it is one."""
    return [
        (event["task"].rpartition("| ")[2], event["result"].get("steps", []))
        for event in run.events
        if event["host"] == host.name and event["result"].get("changed")
    ]


def test_https(session_world: World, bookworm: Host, trixie: Host, tmp_path: Path) -> None:
    authority = Authority.create("test bed edge")
    path = tmp_path / "authority.pem"
    path.write_text(authority.pem)
    first, second = Edge(session_world, bookworm, path), Edge(session_world, trixie, path)
    site = Site(f"{session_world.gateway.v4}:{PLAIN}").only("web")
    files, _ = (edge.put_leaves(authority, site.hosts) for edge in (first, second))
    playbook = Playbook(session_world.bed, tmp_path, bookworm, trixie)
    variables: dict[str, Any] = {**site.write(tmp_path / "site"), "edge_certificate_files": files}
    untouched = second.state()

    # the reload fails: the first edge keeps what was validated, and the second is not reached
    with reloads.reload_is(bookworm, "/bin/false"):
        for _ in range(2):
            run = playbook.run(variables, check=False)
            assert run.codes() == {bookworm.name: ["edge/reload-failed"]}, run.said()
            assert (first.has(HTTPS_FILE), _stage(bookworm, "https")) == (True, "validated")
            assert first.status(f"https://{WEB}/") == 0
    assert second.state() == untouched

    # the next run completes it
    run = playbook.run(variables)
    assert _steps(run, bookworm) == [("Install the HTTPS listener", COMPLETES)]
    assert [edge.status(f"https://{WEB}/") for edge in (first, second)] == [200, 200]
    assert (_stage(bookworm, "https"), playbook.run(variables).changed()) == (None, [])

    # a run that is killed between validation and reload leaves the same
    playbook = Playbook(session_world.bed, tmp_path, bookworm)
    variables |= Site(site.gateway, site.origins, web_path="/app").write(tmp_path / "site")
    with reloads.reload_is(bookworm, "/bin/sleep 600"):
        running = playbook.begin(variables)
        reloads.wait_for_reload(bookworm, running)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        bookworm.run("pkill --signal KILL pharos-modules; pkill --full --exact '/bin/sleep 600'")
    assert _stage(bookworm, "https") == "validated"
    assert first.status(f"https://{WEB}/other") == 200, "what nginx had read is served on"
    assert _steps(playbook.run(variables), bookworm) == [("Install the HTTPS listener", COMPLETES)]
    assert first.status(f"https://{WEB}/other") == 404
    assert playbook.run(variables).changed() == []


def test_no_certificate_is_requested_before_a_pending_reload(session_world: World, trixie: Host, tmp_path: Path) -> None:
    world, edge = session_world, edge_on(session_world, trixie, tmp_path)
    playbook = Playbook(world.bed, tmp_path, trixie)
    site = Site(f"{world.gateway.v4}:{PLAIN}").only("web")
    world.dns.point(WEB, trixie)
    variables = certbot(world, site, tmp_path)

    # port 80: nothing is asked of the authority as long as the reload fails
    with reloads.reload_is(trixie, "/bin/false"):
        asked = len(world.acme.log())
        for _ in range(2):
            run = playbook.run(variables, check=False)
            assert run.codes() == {trixie.name: ["edge/reload-failed"]}, run.said()
            assert (edge.has(HTTP_FILE), _stage(trixie, "http")) == (True, "validated")
            assert edge.status(f"http://{WEB}/") != 308
        assert "/order-plz" not in world.acme.log()[asked:]
    tasks = _steps(playbook.run(variables), trixie)
    assert tasks[0] == ("Install the challenge listener", COMPLETES)
    assert [task for task, _ in tasks[1:]] == ["Request certificates", "Install the HTTPS listener"]
    assert edge.status(f"https://{WEB}/") == 200

    # port 443: a certificate is due as well, and waits
    variables |= Site(site.gateway, site.origins, web_path="/app").write(tmp_path / "site")
    with reloads.reload_is(trixie, "/bin/false"):
        run = playbook.run(variables, check=False)
        assert run.codes() == {trixie.name: ["edge/reload-failed"]}, run.said()
        trixie.run(f"sed -i '/^renew_hook/d' /etc/letsencrypt/renewal/{WEB}.conf")
        serial = edge.stored_serial(f"/etc/letsencrypt/live/{WEB}/cert.pem")
        run = playbook.run(variables, check=False)
        assert run.codes() == {trixie.name: ["edge/reload-failed"]}, run.said()
        assert edge.stored_serial(f"/etc/letsencrypt/live/{WEB}/cert.pem") == serial
    tasks = _steps(playbook.run(variables), trixie)
    assert tasks[0][1] == COMPLETES, tasks
    assert "Request certificates" in [task for task, _ in tasks[1:]]
    assert edge.status(f"https://{WEB}/other") == 404
    assert playbook.run(variables).changed() == []
    world.dns.forget(WEB)
