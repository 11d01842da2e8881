"""The edge that owns its names: `edge_certificate_mode: certbot`, against a real ACME server."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from bed.hosts import Host
from bed.services import Acme
from bed.services.gateway import PLAIN
from bed.world import World
from edgebed import packages
from edgebed.documents import CALLS, CHAT, WEB, Site
from edgebed.edge import HTTP_FILE, HTTPS_FILE, Edge
from edgebed.playbook import Playbook

pytestmark = pytest.mark.hosts

LIVE = "/etc/letsencrypt/live"
HOOK = "nginx -t && systemctl reload nginx"


@pytest.fixture
def site(session_world: World) -> Site:
    return Site(f"{session_world.gateway.v4}:{PLAIN}")


@pytest.fixture
def names(session_world: World, site: Site) -> Iterator[None]:
    """The site's names have no address before and after a test."""
    yield
    for host in site.hosts:
        session_world.dns.forget(host)


def edge_on(world: World, host: Host, folder: Path) -> Edge:
    host.trust(world.acme.api_ca_pem, "acme-api")
    host.trust(world.acme.root_pem(), "acme-root")
    path = folder / "root.pem"
    path.write_text(world.acme.root_pem())
    return Edge(world, host, path)


def certbot(world: World, site: Site, folder: Path, **more: str | bool) -> dict[str, Any]:
    """The inventory's variables; renewal is not proven unless a test asks for it: it takes 3 s a name."""
    return {
        **site.write(folder / "site"),
        "edge_certificate_mode": "certbot",
        "edge_acme_server": world.acme.directory,
        "edge_acme_renewal_check": False,
        **more,
    }


@pytest.mark.usefixtures("names")
def test_an_edge_that_owns_its_names(session_world: World, trixie: Host, site: Site, tmp_path: Path) -> None:
    world, edge = session_world, edge_on(session_world, trixie, tmp_path)
    playbook = Playbook(world.bed, tmp_path, trixie)
    smaller = site.only("web", "chat")
    for host in smaller.hosts:
        world.dns.point(host, trixie)

    # the DNS fails for one name: nothing is asked of the authority, and port 80 stays as it is proven
    world.dns.fail(CHAT)
    earlier = len(world.acme.log())
    run = playbook.run(certbot(world, smaller, tmp_path), check=False)
    assert "edge/challenge-unreachable" in run.codes()[trixie.name], run.said()
    assert CHAT in run.said()
    assert not edge.has(HTTPS_FILE)
    assert not edge.has(f"{LIVE}/{WEB}")
    assert "/.well-known/acme-challenge/" not in world.acme.log()[earlier:]
    assert edge.status(f"http://{WEB}/") == 308
    edge.is_sound()

    # a name without an address is found out as well
    world.dns.mend(CHAT)
    world.dns.forget(CHAT)
    run = playbook.run(certbot(world, smaller, tmp_path), check=False)
    assert run.codes()[trixie.name] == ["edge/challenge-unreachable"]

    # first installation
    world.dns.point(CHAT, trixie)
    assert playbook.run(certbot(world, smaller, tmp_path)).changed(trixie)
    assert edge.status(f"https://{WEB}/") == 200
    assert edge.refuses(CALLS)
    trixie.put("token", f"{_webroot(trixie)}/.well-known/acme-challenge/probe")
    for address in edge.addresses:
        assert edge.curl(f"http://{WEB}/.well-known/acme-challenge/probe", address=address).stdout == "token"
        assert edge.status(f"http://{CHAT}/x", address=address) == 308
    for host in smaller.hosts:
        assert HOOK in trixie.get(f"/etc/letsencrypt/renewal/{host}.conf")
    assert not edge.has("/etc/nginx/sites-enabled/default")

    # nothing to do: renewal is tried and nothing changes; delivery leaves the trial out, and nothing is even reloaded
    run = playbook.run(certbot(world, smaller, tmp_path, edge_acme_renewal_check=True))
    assert (run.changed(), "Prove that certificates renew" in run.ran(trixie)[-1]) == ([], True)
    untouched = edge.state()
    assert playbook.run(certbot(world, smaller, tmp_path)).changed() == []
    assert edge.state() == untouched

    # a new origin is issued before the configuration names it
    serials = {host: edge.serial(host) for host in smaller.hosts}
    world.dns.point(CALLS, trixie)
    assert playbook.run(certbot(world, site, tmp_path)).changed(trixie)
    assert {host: edge.serial(host) for host in smaller.hosts} == serials
    edge.serves_everything()

    # renewal, by certbot alone
    trixie.run(f"certbot renew --cert-name {WEB} --force-renewal --no-random-sleep-on-renew")
    assert edge.stored_serial(f"{LIVE}/{WEB}/cert.pem") != serials[WEB]
    edge.serves_what_is_stored(WEB, f"{LIVE}/{WEB}/cert.pem")

    # a hook that fails leaves certbot content, and the playbook not
    trixie.put("broken\n", "/etc/nginx/conf.d/other.conf")
    trixie.run(f"certbot renew --cert-name {WEB} --force-renewal --no-random-sleep-on-renew")
    trixie.run("rm /etc/nginx/conf.d/other.conf")
    assert edge.serial(WEB) != edge.stored_serial(f"{LIVE}/{WEB}/cert.pem")
    assert playbook.run(certbot(world, site, tmp_path)).changed(trixie)
    assert edge.serial(WEB) == edge.stored_serial(f"{LIVE}/{WEB}/cert.pem")

    # nor does a hook that fails in the proof of renewal, which certbot calls a success
    broken = "/etc/systemd/system/nginx.service.d/broken.conf"
    trixie.put("[Service]\nExecReload=\nExecReload=/bin/false\n", broken)
    trixie.run("systemctl daemon-reload")
    run = playbook.run(certbot(world, site, tmp_path, edge_acme_renewal_check=True), check=False)
    assert set(run.codes()[trixie.name]) == {"certificate/hook-failed"}
    trixie.run(f"rm {broken} && systemctl daemon-reload")

    # a lineage whose hook was lost gets it back
    trixie.run(f"sed -i '/^renew_hook/d' /etc/letsencrypt/renewal/{CHAT}.conf")
    assert playbook.run(certbot(world, site, tmp_path)).changed(trixie)
    assert HOOK in trixie.get(f"/etc/letsencrypt/renewal/{CHAT}.conf")
    assert playbook.run(certbot(world, site, tmp_path)).changed() == []


@pytest.mark.usefixtures("names")
def test_staging_then_production(session_world: World, trixie: Host, site: Site, tmp_path: Path) -> None:
    world, edge = session_world, edge_on(session_world, trixie, tmp_path)
    playbook = Playbook(world.bed, tmp_path, trixie)
    site = site.only("web")
    world.dns.point(WEB, trixie)

    # a server for trial, whose authority no client trusts
    staging = Acme(world.bed, world.dns, number=1).start()
    trixie.trust(staging.api_ca_pem, "acme-staging-api")
    trial = certbot(world, site, tmp_path, edge_acme_staging=True, edge_acme_server=staging.directory)
    playbook.run(trial)
    assert edge.issuer(WEB) == _subject(staging.intermediate_pem())
    assert edge.status(f"https://{WEB}/") == 0
    assert playbook.run(trial).changed() == []

    # the server whose authority they trust: the certificate is requested anew, for the same lineage
    production = certbot(world, site, tmp_path)
    assert playbook.run(production).changed(trixie)
    assert edge.issuer(WEB) == _subject(world.acme.intermediate_pem())
    assert edge.status(f"https://{WEB}/") == 200
    assert f"server = {world.acme.directory}" in trixie.get(f"/etc/letsencrypt/renewal/{WEB}.conf")
    assert trixie.run("ls /etc/letsencrypt/renewal").stdout.split() == [f"{WEB}.conf"]
    staging.stop()
    assert playbook.run(production).changed() == []


@pytest.mark.usefixtures("names")
def test_port_80_of_somebody_else(session_world: World, bookworm: Host, site: Site, tmp_path: Path) -> None:
    world, edge = session_world, edge_on(session_world, bookworm, tmp_path)
    playbook = Playbook(world.bed, tmp_path, bookworm)
    site = site.only("web")
    world.dns.point(WEB, bookworm)
    variables = certbot(world, site, tmp_path)

    def refused(code: str, given: dict[str, Any], *words: str) -> None:
        before = edge.state()
        run = playbook.run(given, check=False)
        assert code in run.codes()[bookworm.name], run.said()
        for word in words:
            assert word in run.said()
        assert edge.state() == before

    # Debian 12's certbot cannot prove a renewal with its hooks
    refused(
        "certificate/certbot-too-old",
        certbot(world, site, tmp_path, edge_acme_renewal_check=True),
        "2.3.0",
        "edge_certbot_source",
    )

    other = "/etc/nginx/conf.d/other.conf"
    host = bookworm
    host.run("rm /etc/nginx/sites-enabled/default")
    host.put("server {\n    listen 80 default_server;\n    return 200 mine;\n}\n", other)
    host.run("systemctl reload nginx")
    refused("edge/second-default-server", variables, f"{other}:2")
    host.run(f"rm {other} && systemctl stop nginx")
    with edge.occupied(80):
        refused("edge/port-held", variables, "python3", "80")
    host.run("systemctl start nginx")

    # the welcome site is the package's own: it is retired
    host.run("ln -s /etc/nginx/sites-available/default /etc/nginx/sites-enabled/default && systemctl reload nginx")
    playbook.run(variables)
    assert not edge.has("/etc/nginx/sites-enabled/default")
    assert edge.status(f"https://{WEB}/") == 200
    assert playbook.run(variables).changed() == []
    assert edge.has(HTTP_FILE)
    edge.is_sound()


@pytest.mark.usefixtures("names")
def test_two_edges_share_one_issuer(session_world: World, bookworm: Host, trixie: Host, site: Site, tmp_path: Path) -> None:
    world, playbook = session_world, Playbook(session_world.bed, tmp_path, bookworm, trixie)
    first, second = edge_on(world, bookworm, tmp_path), edge_on(world, trixie, tmp_path)
    for name in site.hosts:
        world.dns.point(name, bookworm, trixie)
    before = first.state(), second.state()
    run = playbook.run(certbot(world, site, tmp_path), check=False)
    assert "edge/issuer-missing" in run.codes()[bookworm.name], run.said()
    assert (first.state(), second.state()) == before

    # a certificate of the follower's own is in the way of the one that it is given
    issuer = {"edge_acme_issuer": trixie.name, "edge_acme_issuer_address": trixie.v4}
    variables = certbot(world, site, tmp_path, **issuer)
    bookworm.put("mine\n", f"{LIVE}/{WEB}/README")
    run = playbook.run(variables, check=False)
    assert run.codes() == {bookworm.name: ["edge/lineage-in-the-way"]}
    assert second.state() == before[1]
    bookworm.run(f"rm -r {LIVE}/{WEB}")

    assert playbook.run(variables, "--check").changed(bookworm)
    assert (first.state(), second.state()) == before
    playbook.run(variables)
    for edge in (first, second):
        edge.serves_everything()
    assert {name: first.serial(name) for name in site.hosts} == {name: second.serial(name) for name in site.hosts}
    assert not first.has("/etc/letsencrypt/renewal")
    assert bookworm.run(f"stat -L -c '%a %U' {LIVE}/{WEB}/privkey.pem").stdout == "600 root\n"
    assert playbook.run(variables).changed() == []

    # a renewed certificate reaches the other edge with the next run
    trixie.run(f"certbot renew --cert-name {WEB} --force-renewal --no-random-sleep-on-renew")
    assert playbook.run(variables).changed(bookworm)
    assert first.serial(WEB) == second.serial(WEB) == second.stored_serial(f"{LIVE}/{WEB}/cert.pem")
    assert bookworm.run(f"ls /var/lib/pharos-edge/certificates/{WEB} | wc -l").stdout.strip() == "2"


@pytest.mark.usefixtures("names")
def test_certbot_of_the_python_package_index_proves_renewal_on_debian_12(
    session_world: World, bookworm: Host, site: Site, tmp_path: Path
) -> None:
    world, edge = session_world, edge_on(session_world, bookworm, tmp_path)
    playbook, site = Playbook(world.bed, tmp_path, bookworm), site.only("web")
    world.dns.point(WEB, bookworm)
    packages.offer(bookworm, "certbot==5.8.0")
    variables = certbot(world, site, tmp_path, edge_certbot_source="pypi", edge_acme_renewal_check=True)
    untouched = edge.state()
    assert playbook.run(variables, "--check").changed(bookworm)
    assert edge.state() == untouched
    run = playbook.run(variables)
    assert "install | Prove that certificates renew" in " ".join(run.ran(bookworm))
    assert edge.status(f"https://{WEB}/") == 200
    assert bookworm.run("systemctl is-enabled pharos-certbot.timer").stdout.strip() == "enabled"
    assert playbook.run(variables).changed() == []

    # its timer's own command renews
    before = edge.serial(WEB)
    bookworm.run(f"sed -i '1i renew_before_expiry = 100 days' /etc/letsencrypt/renewal/{WEB}.conf")
    bookworm.run("systemctl start pharos-certbot.service")
    assert edge.stored_serial(f"{LIVE}/{WEB}/cert.pem") != before
    edge.serves_what_is_stored(WEB, f"{LIVE}/{WEB}/cert.pem")


def _webroot(host: Host) -> str:
    found = re.search(r"^\s*root (\S+);", host.get(HTTP_FILE), re.MULTILINE)
    assert found
    return found.group(1)


def _subject(pem: str) -> str:
    return x509.load_pem_x509_certificate(pem.encode()).subject.rfc4514_string()
