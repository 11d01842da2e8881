"""The collection under each release of ansible-core that a Python of this machine runs: one play on a booted host."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bed import cores
from bed.hosts import Host
from bed.pki import Authority
from bed.world import World
from play.collection import REPOSITORY, real
from play.run import ANSIBLE, Player

pytestmark = pytest.mark.hosts

NAME = "pages.example.org"
MISSING = {"host": "a.example.org", "certificate": "/srv/{{ item }}.pem", "key": "/srv/{{ item }}.key"}
SERVED = {
    kind: f"/etc/letsencrypt/live/{NAME}/{file}" for kind, file in (("certificate", "fullchain.pem"), ("key", "privkey.pem"))
}
SERVED["host"] = NAME
RELEASES = ["pinned", *(core.version for core in cores.at_hand())]


def playbook_of(release: str) -> Path:
    """Its `ansible-playbook`; the pinned one is that of this project, beside its bindings."""
    return next((cores.ansible_playbook(core) for core in cores.at_hand() if core.version == release), ANSIBLE)


def module(name: str, arguments: Mapping[str, Any], **keywords: Any) -> dict[str, Any]:
    """A task of root's."""
    return {f"pharos.platform.{name}": dict(arguments), "become": True, **keywords}


@pytest.mark.parametrize("release", RELEASES)
def test_a_play_under_each_release(session_world: World, bookworm: Host, tmp_path: Path, release: str) -> None:
    def start(words: Sequence[str | Path], environment: Mapping[str, str]) -> tuple[int, str]:
        done = session_world.bed.control_exec(words, environment=environment, check=False)
        return done.code, done.stdout + done.stderr

    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    inventory = session_world.bed.write_inventory(home / "hosts.json", {"targets": [bookworm]}, user="admin")
    player = Player(home, real(tmp_path / "collections"), inventory, start, playbook_of(release))
    bookworm.run("useradd --create-home keeper")
    leaf = Authority.create("pages").issue(NAME)
    written = module("certificate_files", {"files": [{"host": NAME, "certificate": leaf.fullchain_pem, "key": leaf.key_pem}]})
    run = player.play(
        [
            {"pharos.platform.site_trust_render": {"catalogue_file": str(REPOSITORY / "catalogue" / "services.yaml")}},
            module("certificate_info", {"files": [MISSING]}, loop=["one", "two"]),
            written | {"check_mode": True, "diff": True},
            written | {"register": "first"},
            written | {"no_log": True},
            module("certificate_info", {"files": [SERVED]}, **{"async": 60, "poll": 1}),
            module("certificate_info", {"files": [MISSING]}, loop=["three"], become_user="keeper"),
            module("certificate_info", {"files": [MISSING]}, loop=["here"], become=False)
            | {"delegate_to": "localhost", "vars": {"ansible_connection": "local"}},
            module("certificate_info", {"fils": []}, ignore_errors=True),
        ],
        verbosity=4,
    )
    assert run.code == 0, run.output
    assert [each.outcome for each in run.results] == ["ok"] * 8 + ["failed"], run.output
    render, looped, foreseen, first, again, background, another, here, misspelt = run.results
    assert render["places"] and render["published"] is False
    assert [each["fit"] for each in looped["results"]] == [False, False]
    assert (foreseen["changed"], first["changed"], again["changed"]) == (True, True, False)
    assert foreseen["diff"], foreseen.result
    assert background["finished"] and NAME in str(background["diagnostics"]), background.result
    for each, place in ((another, "/srv/three.pem"), (here, "/srv/here.pem")):
        assert place in str(each["results"][0]["diagnostics"])
    assert bookworm.run("ls -A /home/keeper/.cache/pharos/modules").stdout
    assert {each["code"] for each in misspelt["diagnostics"]} == {"module/missing-option", "module/unknown-option"}
    assert leaf.key_pem.splitlines()[1] not in run.output
