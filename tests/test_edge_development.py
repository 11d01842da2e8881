"""The edge of a development box: `playbooks/edge.yml` on booted hosts, with an authority of their own."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

import pharos
from bed.hosts import Host
from bed.pki import Authority
from bed.world import World
from edgebed import reloads
from edgebed.box import LIVE, PLAYBOOK, TLS, Box, DevelopmentSite, variables
from edgebed.playbook import REPOSITORY, Playbook, Run

pytestmark = pytest.mark.hosts

MARKERS = "/var/lib/pharos-edge/transactions"
WELCOME = "/etc/nginx/sites-enabled/default"
COMPLETES = ["reload", "prove", "clear"]
_STATE = """
find /etc/nginx /opt/pharos-edge /var/lib/pharos-edge -printf '%p %m %l\\n' 2>/dev/null | sort
find /etc/nginx /opt/pharos-edge /var/lib/pharos-edge -type f 2>/dev/null | grep -v '/lock$' | sort | xargs -r sha256sum
pgrep -P "$(cat /run/nginx.pid)" nginx
"""


@pytest.fixture
def site() -> DevelopmentSite:
    return DevelopmentSite.small()


def box_on(world: World, host: Host, folder: Path) -> tuple[Box, Playbook]:
    box = Box(world, host, folder)
    box.start_gateway()
    return box, Playbook(world.bed, folder, host, playbook=PLAYBOOK)


def steps(run: Run, task: str) -> list[str]:
    """The steps of the one transaction that changed something in this task."""
    (found,) = [e["result"]["steps"] for e in run.events if e["task"].endswith(task) and e["result"].get("changed")]
    return list(found)


def reasons(run: Run) -> list[str]:
    """Why a certificate was issued."""
    (found,) = [e["result"] for e in run.events if e["task"].endswith("issue the certificate")]
    return [each["kind"] for each in found["reasons"]]


@pytest.mark.parametrize("release", ["bookworm", "trixie"])
def test_the_committed_box_from_its_first_installation_on(
    session_world: World, request: pytest.FixtureRequest, release: str, tmp_path: Path
) -> None:
    host: Host = request.getfixturevalue(release)
    box, playbook = box_on(session_world, host, tmp_path)
    documents = [
        (name, (REPOSITORY / name).read_text()) for name in ("catalogue/services.yaml", "environments/devbox/policy.yaml")
    ]
    environment = pharos.edge_environment(*documents)
    document = tmp_path / "edge.json"
    document.write_text(json.dumps(environment))
    given = {"edge_environment_file": str(document)}
    hosts = sorted(origin.removeprefix("https://").removesuffix(":8443") for origin in environment["origins"].values())

    # a dry run says what would be made, and makes nothing
    untouched = host.run(_STATE).stdout
    assert playbook.run(given, "--check", "--diff").changed(host)
    assert host.run(_STATE).stdout == untouched

    first = playbook.run(given)
    assert reasons(first) == ["missing"]
    assert box.names() == hosts
    for name in hosts:
        assert box.status(name) != 0, f"{name} is served, and its certificate verifies"
    short = box.echo("pharos.127.0.0.1.sslip.io", "/anything")
    assert short == {"path": "/anything", "host": "pharos.127.0.0.1.sslip.io:8443", "gateway": True}
    assert not host.run(f"test -e {WELCOME}", check=False).ok, "the package's welcome site is gone"
    assert not host.run("ss -Hltn 'sport = :80' | grep .", check=False).ok, "nothing listens on port 80"

    # only what clients are to trust can be read by others
    modes = dict(line.split() for line in host.run(f"find {TLS} -type f -printf '%p %m\\n'").stdout.splitlines())
    assert modes.pop(f"{TLS}/ca.pem") == "644"
    assert set(modes.values()) == {"600"}
    assert host.run(f"stat -c %a {TLS}/private").stdout.strip() == "700"

    # nothing to do
    whole, workers = box.digest("."), host.run(_STATE).stdout
    assert playbook.run(given).changed() == []
    assert (box.digest("."), host.run(_STATE).stdout) == (whole, workers)
    host.run("nginx -t && systemctl restart nginx")
    assert box.status(hosts[0]) != 0


def test_the_certificate_follows_what_is_wanted_and_the_authority_stays(
    session_world: World, trixie: Host, site: DevelopmentSite, tmp_path: Path
) -> None:
    box, playbook = box_on(session_world, trixie, tmp_path)
    playbook.run(variables(site, tmp_path / "site"))
    authority = box.authority_digest()

    # another host
    more = DevelopmentSite.small(web="web.box.test", chat="talk.box.test")
    run = playbook.run(variables(more, tmp_path / "site"))
    assert reasons(run) == ["names"]
    assert box.names() == more.hosts
    assert [box.status(name) for name in more.hosts] == [200, 200]
    assert box.served("web.box.test") == box.stored()

    def replaced(reason: str) -> None:
        """The certificate that was put there is replaced, and what replaces it is served."""
        before = box.stored()
        run = playbook.run(variables(more, tmp_path / "site"))
        assert reasons(run) == [reason]
        assert box.stored() != before
        assert box.served("web.box.test") == box.stored()
        assert box.status("web.box.test") == 200
        assert box.authority_digest() == authority
        assert playbook.run(variables(more, tmp_path / "site")).changed() == []

    # renewal is due: less than a third of its lifetime is left
    began = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=290)
    box.put_leaf(box.authority().issue(*more.hosts, days=397, not_before=began))
    replaced("expiring")
    # of another authority
    box.put_leaf(Authority.create("another").issue(*more.hosts))
    replaced("unfit")
    # the key of another
    trixie.put(Authority.create("another").issue("x.test").key_pem, LIVE.replace("fullchain", "privkey"), mode=0o600)
    replaced("key_mismatch")
    # lost
    trixie.run(f"rm -r {LIVE.rpartition('/')[0]}")
    run = playbook.run(variables(more, tmp_path / "site"))
    assert (reasons(run), box.authority_digest()) == (["missing"], authority)


def test_an_authority_that_cannot_be_used_is_refused_and_nothing_is_touched(
    session_world: World, bookworm: Host, site: DevelopmentSite, tmp_path: Path
) -> None:
    box, playbook = box_on(session_world, bookworm, tmp_path)
    given = variables(site, tmp_path / "site")
    playbook.run(given)
    certificate, key = f"{TLS}/private/authority/ca.pem", f"{TLS}/private/authority/ca-key.pem"
    bookworm.run(f"cp -a {TLS} /root/tls")
    assert box.status("web.box.test") == 200

    def refused(code: str, damage: str) -> None:
        bookworm.run(damage)
        before = bookworm.run(_STATE).stdout
        run = playbook.run(variables(DevelopmentSite.small(web="new.box.test"), tmp_path / "other"), check=False)
        assert code in run.codes()[bookworm.name], run.said()
        assert "PRIVATE KEY" not in run.said()
        assert bookworm.run(_STATE).stdout == before
        assert box.status("web.box.test") == 200, "what was served is served on"
        bookworm.run(f"rm -r {TLS} && cp -a /root/tls {TLS}")

    refused("certificate/development-authority-unreadable", f"echo nothing > {certificate}; cp {certificate} {TLS}/ca.pem")
    refused("certificate/development-authority-unreadable", f"head -c 60 /root/tls/private/authority/ca-key.pem > {key}")
    refused("certificate/development-authority-incomplete", f"rm {key}")
    refused("certificate/development-authority-incomplete", f"rm {certificate}")
    refused("certificate/development-authority-incomplete", f"rm -r {TLS}/private/authority")
    refused("certificate/development-authority-key", f"openssl ecparam -name prime256v1 -genkey -noout > {key}")
    refused("certificate/development-authority-unfit", f"cp {LIVE} {certificate}; cp {LIVE} {TLS}/ca.pem")
    refused("file/mode", f"chmod 644 {key}")
    assert playbook.run(given).changed() == []

    # a site that clients of the world reach has no authority of its own
    public = DevelopmentSite.small()
    public_variables = variables(public, tmp_path / "public")
    document = Path(public_variables["edge_environment_file"])
    document.write_text(document.read_text().replace('"development"', '"distributed"').replace(":8443", ""))
    run = playbook.run(public_variables, check=False)
    assert "edge/not-development" in run.codes()[bookworm.name], run.said()


def test_a_reload_that_did_not_happen_is_completed_first(
    session_world: World, trixie: Host, site: DevelopmentSite, tmp_path: Path
) -> None:
    box, playbook = box_on(session_world, trixie, tmp_path)

    def fails(given: Any) -> None:
        """The reload fails twice; what was validated stays, under its marker."""
        for _ in range(2):
            run = playbook.run(given, check=False)
            assert run.codes() == {trixie.name: ["edge/reload-failed"]}, run.said()
        assert json.loads(trixie.get(f"{MARKERS}/https.json"))["stage"] == "validated"

    def completes(given: Any) -> None:
        run = playbook.run(given)
        assert steps(run, "Install the HTTPS listener") == COMPLETES
        assert not trixie.run(f"test -e {MARKERS}/https.json", check=False).ok
        assert playbook.run(given).changed() == []

    # a removed welcome site: nginx goes on serving it until the reload
    given = variables(site, tmp_path / "site")
    with reloads.reload_is(trixie, "/bin/false"):
        fails(given)
        assert not trixie.run(f"test -e {WELCOME}", check=False).ok
        assert trixie.run("curl -s http://127.0.0.1/ | grep -qi nginx", check=False).ok
    completes(given)
    assert box.status("web.box.test") == 200
    assert not trixie.run("curl -s http://127.0.0.1/", check=False).ok

    # a renewed certificate
    before = box.served("web.box.test")
    trixie.run(f"rm {LIVE}")
    with reloads.reload_is(trixie, "/bin/false"):
        fails(given)
        assert box.served("web.box.test") == before != box.stored()
    completes(given)
    assert box.served("web.box.test") == box.stored() != before

    # a changed route
    moved = variables(site.moved("/app"), tmp_path / "site")
    with reloads.reload_is(trixie, "/bin/false"):
        fails(moved)
        assert box.status("web.box.test", "/other") == 200
    completes(moved)
    assert [box.status("web.box.test", path) for path in ("/app", "/other")] == [200, 404]


RUNTIME = "pharos-site-runtime.service"
RUNTIME_FILE = "/etc/pharos/site-runtime.env"
_RUNTIME = f"""
[Service]
EnvironmentFile={RUNTIME_FILE}
ExecStart=/bin/sh -c 'echo "$SITE_API_URL $TOKEN" > /run/runtime; exec sleep infinity'
"""
_ENVIRONMENT = "# the operator's\nTOKEN=\"a secret\"\nSITE_API_URL='https://old.box.test'\nCURSOR=7\n"


def test_a_service_is_sent_to_the_edge_once_it_serves(
    session_world: World, trixie: Host, site: DevelopmentSite, tmp_path: Path
) -> None:
    box, playbook = box_on(session_world, trixie, tmp_path)

    def given(origin: str) -> Any:
        settings = [{"name": "SITE_API_URL", "value": origin}]
        bindings = [{"unit": RUNTIME, "file": RUNTIME_FILE, "settings": settings}]
        return variables(site, tmp_path / "site", edge_development_bindings=bindings)

    def reads() -> str:
        trixie.run("until test -s /run/runtime; do sleep 0.05; done", timeout=20)
        return trixie.get("/run/runtime").strip()

    # a service that is not installed is left alone
    playbook.run(given("https://web.box.test:8443"))
    assert playbook.run(given("https://web.box.test:8443")).changed() == []

    trixie.put(_RUNTIME, f"/etc/systemd/system/{RUNTIME}")
    trixie.put(_ENVIRONMENT, RUNTIME_FILE, mode=0o640)
    trixie.run(f"systemctl daemon-reload && systemctl start {RUNTIME}")
    assert reads() == "https://old.box.test a secret"

    # not before the edge serves what was validated
    moved = {**given("https://web.box.test:8443"), **site.moved("/app").write(tmp_path / "site")}
    with reloads.reload_is(trixie, "/bin/false"):
        run = playbook.run(moved, check=False)
        assert run.codes() == {trixie.name: ["edge/reload-failed"]}, run.said()
        assert (trixie.get(RUNTIME_FILE), reads()) == (_ENVIRONMENT, "https://old.box.test a secret")
    run = playbook.run(moved, "--diff")
    assert trixie.get(RUNTIME_FILE) == _ENVIRONMENT.replace("'https://old.box.test'", "https://web.box.test:8443")
    assert trixie.run(f"stat -c %a {RUNTIME_FILE}").stdout.strip() == "640"
    assert reads() == "https://web.box.test:8443 a secret"
    assert "a secret" not in run.result.stdout + run.result.stderr + json.dumps(run.events)
    assert playbook.run(moved).changed() == []

    # a restart that fails leaves its marker, and is completed
    marker = f"{MARKERS}/binding-{RUNTIME}.json"
    broken = f"/etc/systemd/system/{RUNTIME}.d/broken.conf"
    other = {**given("https://chat.box.test:8443"), **site.moved("/app").write(tmp_path / "site")}
    trixie.put("[Service]\nExecStartPre=/bin/false\n", broken)
    trixie.run("systemctl daemon-reload")
    for _ in range(2):
        run = playbook.run(other, check=False)
        assert run.codes() == {trixie.name: ["edge/binding-restart-failed"]}, run.said()
        assert json.loads(trixie.get(marker))["running"] is True
        assert "https://chat.box.test:8443" in trixie.get(RUNTIME_FILE)
    trixie.run(f"rm {broken} && systemctl daemon-reload")
    assert playbook.run(other).changed(trixie)
    assert reads() == "https://chat.box.test:8443 a secret"
    assert not trixie.run(f"test -e {marker}", check=False).ok
    assert playbook.run(other).changed() == []

    # a service that ends at once was not restarted
    trixie.put("[Service]\nExecStart=\nExecStart=/bin/true\n", broken)
    trixie.run("systemctl daemon-reload")
    run = playbook.run(moved, check=False)
    assert run.codes() == {trixie.name: ["edge/binding-restart-failed"]}, run.said()
    assert box.status("web.box.test", "/app") == 200, "the edge is not concerned"
