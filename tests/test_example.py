"""`examples/small-company`: a site that is not Pharos is judged, rendered and served by the same program, from its data alone."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pharos
from bed.commands import Result
from bed.hosts import Host
from bed.pki import Authority
from bed.services.gateway import PLAIN
from bed.world import World
from edgebed.edge import HTTP_FILE, HTTPS_FILE, Edge
from edgebed.playbook import REPOSITORY, program
from edgebed.smoke import judged_by, real_nginx
from pages.page import Page

COMPANY = REPOSITORY / "examples" / "small-company"
COLLECTION = REPOSITORY / "dist" / "pharos-platform-0.1.0.tar.gz"
DOCUMENTS = ("catalogue/services.yaml", "environments/production/policy.yaml")
ACTIVATE = "source ~/pharos/bin/activate"
SHOP, STOCK, WIKI = (f"{name}.example.com" for name in ("shop", "stock", "wiki"))


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """One run of `pharos` in a site."""
    return subprocess.run([program("pharos"), *words], cwd=folder, capture_output=True, text=True, check=False)


def company(folder: Path, *changes: tuple[str, str, str]) -> Path:
    """A copy of the company's site, with (file, old, new) replaced."""
    return altered(shutil.copytree(COMPANY, folder / "company"), *changes)


def altered(site: Path, *changes: tuple[str, str, str]) -> Path:
    """A site, with (file, old, new) replaced."""
    for name, old, new in changes:
        text = (site / name).read_text()
        assert old in text, (name, old)
        (site / name).write_text(text.replace(old, new))
    return site


def test_it_is_fit_and_names_nothing_of_pharos() -> None:
    judged = command(COMPANY, "check")
    assert (judged.returncode, judged.stdout) == (0, "2 documents fit\n"), judged.stdout + judged.stderr
    for path in COMPANY.rglob("*.yml"), COMPANY.rglob("*.yaml"):
        for document in path:
            said = "\n".join(line for line in document.read_text().splitlines() if "$schema=" not in line)
            assert not re.search("pharos|argo|istio-system|ceph|waldur", said, re.IGNORECASE), document


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [
        (
            DOCUMENTS[0],
            "service: wiki, namespace: wiki, port: 3000}",
            "service: wiki, namespace: wiki, port: 9090}",
            "catalogue/",
        ),
        (DOCUMENTS[1], "    shop: https://shop.example.com\n", "", "policy/required-service"),
        (DOCUMENTS[1], "edges: [192.0.2.11/32, 192.0.2.12/32]", "edges: []", "gateway/management-unprotected"),
    ],
)
def test_a_slip_is_refused_at_its_place(tmp_path: Path, name: str, old: str, new: str, code: str) -> None:
    judged = command(company(tmp_path, (name, old, new)), "check")
    assert judged.returncode == 1, judged.stdout
    assert f"error[{code}" in judged.stdout
    assert f"--> {name}:" in judged.stdout


@pytest.mark.hosts
def test_both_releases_of_nginx_take_its_edge() -> None:
    texts = [(name, (COMPANY / name).read_text()) for name in DOCUMENTS]
    programs = list(real_nginx())
    assert programs
    for nginx in programs:
        files = pharos.edge_render(*texts, nginx=nginx.version, webroot="/var/lib/pharos-edge/acme")
        assert list(judged_by(nginx, files)) == []


@pytest.mark.hosts
def test_it_serves_all_three_services_on_two_hosts(session_world: World, bookworm: Host, trixie: Host, tmp_path: Path) -> None:
    around = session_world
    office = around.bed.net.v4(3)
    site = company(tmp_path)
    install(tmp_path / "home")
    prepare, (preview, change), remove = readme()
    assert "2 documents fit" in typed(around, site, *prepare).check().stdout
    altered(
        site,
        ("inventory/hosts.yml", "192.0.2.11", bookworm.name),
        ("inventory/hosts.yml", "192.0.2.12", trixie.name),
        (DOCUMENTS[1], "198.51.100.0/24", f"{office}/32"),
        (DOCUMENTS[1], "127.0.0.1:30080", f"{around.gateway.v4}:{PLAIN}"),
    )
    authority = Authority.create("the company")
    (tmp_path / "authority.pem").write_text(authority.pem)
    edges = [Edge(around, host, tmp_path / "authority.pem") for host in (bookworm, trixie)]
    for edge in edges:
        edge.host.trust(authority.pem, "company")
        for name in (SHOP, WIKI, STOCK):
            leaf, file = authority.issue(name), f"/etc/ssl/company/{name.partition('.')[0]}"
            edge.host.put(leaf.fullchain_pem, f"{file}.pem")
            edge.host.put(leaf.key_pem, f"{file}.key", mode=0o600)
    typed(around, site, ACTIVATE, prepare[-1]).check()

    slip = '{"edge_certificate_files": [], "edge_listen_adresses": ["192.0.2.1"]}'
    refused = typed(around, site, ACTIVATE, f"{change} -e '{slip}'")
    assert refused.code != 0
    assert "did you mean `edge_listen_addresses`?" in refused.stdout
    assert not any(edge.has(HTTPS_FILE) for edge in edges)

    untouched = [edge.state() for edge in edges]
    assert changes(typed(around, site, ACTIVATE, preview).check()) == {"edge1": True, "edge2": True}
    assert [edge.state() for edge in edges] == untouched
    assert changes(typed(around, site, ACTIVATE, change).check()) == {"edge1": True, "edge2": True}
    for edge in edges:
        is_served(around, edge, office)
    assert changes(typed(around, site, ACTIVATE, change).check()) == {"edge1": False, "edge2": False}

    shutil.copy(site / "certbot/platform-edge.yml", site / "inventory/group_vars/platform-edge.yml")
    untouched = [edge.state() for edge in edges]
    # here the inventory has names for addresses, and Debian 12's certbot cannot prove renewal
    more = f" -e edge_acme_issuer_address={bookworm.v4} -e edge_acme_renewal_check=false"
    assert changes(typed(around, site, ACTIVATE, preview + more).check()) == {"edge1": True, "edge2": True}
    assert [edge.state() for edge in edges] == untouched

    edges[0].host.run("\n".join(remove))
    edges[0].state()  # the workers from before the reload are gone
    assert edges[0].refuses(SHOP)


def readme() -> list[list[str]]:
    """The lines that the company's README has, of each of its blocks."""
    return [[command.line for command in block.commands()] for block in Page(COMPANY / "README.md").consoles()]


def install(home: Path) -> None:
    """What docs/guide/install.md leaves in an operator's home; the environment is the one that runs the tests."""
    home.mkdir()
    (home / "pharos").symlink_to(sys.prefix)
    words = [program("ansible-galaxy"), "collection", "install", "--offline", str(COLLECTION)]
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    subprocess.run(words, cwd=home, env=environment, check=True, stdout=subprocess.DEVNULL)


def typed(around: World, site: Path, *lines: str) -> Result:
    """Lines of the company's README in the company's folder, by somebody who has nothing but what was installed."""
    environment = {
        "ANSIBLE_SSH_COMMON_ARGS": f"-F {around.bed.ssh_config}",
        "ANSIBLE_SSH_CONTROL_PATH_DIR": str(around.bed.folder / "ssh"),
        "HOME": str(site.parent / "home"),
        "LC_ALL": "C.UTF-8",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    }
    words = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), "bash", "-euc", "\n".join(lines)]
    return around.bed.control_exec(words, check=False, cwd=site)


def changes(run: Result) -> dict[str, bool]:
    """Whether a run changed something, by host."""
    recap = re.findall(r"^(\w+) +: ok=\d+ +changed=(\d+)", run.stdout, re.MULTILINE)
    return {host: int(count) > 0 for host, count in recap}


def is_served(around: World, edge: Edge, office: str) -> None:
    """The shop for everybody, the wiki for the office, and of the API the one service."""
    assert edge.echo(f"https://{SHOP}/basket?x=1")["path"] == "/basket?x=1"
    (answer,) = around.websocket(f"wss://{SHOP}/live", "left?", connect=edge.host.v4, ca=edge.authority)
    assert answer["message"] == "left?"
    called = around.grpc(f"{STOCK}:443", "how many", connect=edge.host.v4, ca=edge.authority, method="/stock.v1.Stock/Unary")
    assert called["answers"]
    assert edge.status(f"https://{STOCK}/grpc.reflection.v1.ServerReflection/") == 404
    assert edge.status(f"https://{WIKI}/") == 403
    assert edge.curl(f"https://{WIKI}/", "--fail", "--interface", office).ok
    assert edge.refuses("intranet.example.com")
    assert not edge.has(HTTP_FILE)
