"""Renders the edge of every committed environment and checks what the policy lets one expect; no mail is sent.

    uv run --project devops --frozen python scripts/distributed_edge_smoke.py

For each distributed environment with origins: exactly the policy's host names, exactly their certificate files, one
HTTPS listener with one default server in each address family, and nothing of a development box (its port, a redirect).
A real nginx then tests the files, where there is one: nginx on PATH, or the test bed's when run as root.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

import pharos

REPOSITORY = Path(__file__).resolve().parents[1]
CATALOGUE = REPOSITORY / "catalogue" / "services.yaml"
LINEAGES = "/etc/letsencrypt/live"
WEBROOT = "/var/lib/pharos-edge/acme"
NGINX_VERSIONS = ("1.22.1", "1.26.3")


@dataclass(frozen=True)
class Nginx:
    """An nginx that can test a configuration."""

    version: str
    argv: tuple[str, ...]


def main() -> int:
    """Check every environment; the exit status is 1 if one is not as expected."""
    programs = list(real_nginx())
    failed = False
    for policy in sorted(REPOSITORY.glob("environments/*/policy.yaml")):
        name = policy.parent.name
        document = yaml.safe_load(policy.read_text())
        expected = public_hosts(document)
        if document.get("mode") != "distributed" or not expected:
            print(f"{name}: no public edge")
            continue
        faults = [fault for version in NGINX_VERSIONS for fault in check(policy, expected, version)]
        tested = [program.version for program in programs]
        for program in programs:
            faults += judged_by(program, render(policy, program.version))
        for fault in sorted(set(faults)):
            failed = True
            print(f"{name}: {fault}")
        if not faults:
            by = f"nginx {' and '.join(tested)} accept it" if tested else "no nginx here to test it"
            print(f"{name}: {len(expected)} hosts, their certificates, one HTTPS listener; {by}")
    return int(failed)


def public_hosts(policy: dict[str, Any]) -> set[str]:
    """The host names that a policy binds."""
    edge = policy.get("edge") or {}
    origins = {**(edge.get("origins") or {}), **(edge.get("bindings") or {})}
    return {re.sub("^https://", "", origin) for origin in origins.values()}


def render(policy: Path, version: str) -> dict[str, str]:
    """Both files of the edge, by path."""
    texts = [(str(path.relative_to(REPOSITORY)), path.read_text()) for path in (CATALOGUE, policy)]
    files: dict[str, str] = pharos.edge_render(*texts, nginx=version, webroot=WEBROOT)
    return files


def check(policy: Path, expected: set[str], version: str) -> Iterator[str]:
    """What is not as expected, in words."""
    files = render(policy, version)
    plain, secured = (files[path] for path in sorted(files, key=lambda path: "-http." not in path))
    named = set(re.findall(r"^\s*server_name ([^_;\s][^;]*);", secured, re.MULTILINE))
    names = {name for group in named for name in group.split()}
    if names != expected:
        yield f"nginx {version}: serves {sorted(names ^ expected)} other than the policy"
    certificates = set(re.findall(r"^\s*ssl_certificate (\S+);", secured, re.MULTILINE))
    if certificates != {f"{LINEAGES}/{host}/fullchain.pem" for host in expected}:
        yield f"nginx {version}: certificate files {sorted(certificates)}"
    yield from (f"nginx {version}: {fault}" for fault in listeners(secured))
    if re.search(r"\b8443\b", plain + secured) or re.search(r"\breturn 30\d\b", secured):
        yield f"nginx {version}: a development port or redirect"


def listeners(text: str) -> Iterator[str]:
    """What is wrong with the listeners of the HTTPS file."""
    overview, report = pharos.edge_inspect([("pharos-platform.conf", text.encode())])
    yield from (f"{each.code}: {each.message}" for each in report.diagnostics if each.severity == "error")
    listens = re.findall(r"^\s*listen ([^;]+);", text, re.MULTILINE)
    ports = {re.sub(r".*:", "", listen.split()[0]) for listen in listens}
    if ports != {"443"}:
        yield f"listens on {sorted(ports)}"
    defaults = [listen.split()[0] for listen in listens if "default_server" in listen.split()]
    if sorted(defaults) != sorted(set(defaults)) or len(defaults) != len(overview["configurations"][0]["listeners"]):
        yield f"default servers {defaults}"


def real_nginx() -> Iterator[Nginx]:
    """Every nginx that can be run here: it has to bind port 443 to test a configuration."""
    if os.geteuid() != 0:
        return
    if found := shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin"):
        said = subprocess.run([found, "-v"], capture_output=True, text=True, check=True).stderr
        yield Nginx(said.strip().rpartition("nginx/")[2], (found,))
        return
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pharos" / "testbed" / "roots"
    for release, series, version in (("bookworm", "1.22", NGINX_VERSIONS[0]), ("trixie", "1.26", NGINX_VERSIONS[1])):
        if any(path.is_dir() for path in cache.glob(f"{release}-*")):
            yield Nginx(version, (str(REPOSITORY / "tests" / "bin" / "nginx-of"), series))


def judged_by(nginx: Nginx, files: dict[str, str]) -> Iterator[str]:
    """What `nginx -t` refuses or warns of; certificates are made up, the network is a namespace of its own."""
    with tempfile.TemporaryDirectory(prefix="edge-smoke-") as name:
        folder = Path(name)
        text = "\n".join(files.values())
        for old, new in ((LINEAGES, f"{name}/live"), ("/var/log/nginx/", f"{name}/")):
            text = text.replace(old, new)
        self_signed(folder / "gateway")
        trust = f"\\1 {name}/gateway/fullchain.pem;"
        text = re.sub(r"(\w+_ssl_trusted_certificate) \S+;", trust, text)
        for host in set(re.findall(rf"{re.escape(name)}/live/([^/]+)/", text)):
            self_signed(folder / "live" / host)
        main = folder / "nginx.conf"
        main.write_text(f"pid {name}/nginx.pid;\nevents {{}}\nhttp {{\n{text}\n}}\n")
        words = ["unshare", "--net", "--", *nginx.argv, "-e", "stderr", "-t", "-q", "-c", str(main)]
        tested = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)
        if tested.returncode or tested.stderr.strip():
            yield f"nginx {nginx.version} says {tested.stderr.strip() or tested.returncode}"


def self_signed(folder: Path) -> None:
    """A key with a certificate where a lineage has its files."""
    folder.mkdir(parents=True)
    subject = ["-subj", "/CN=smoke", "-days", "2"]
    key = [
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-keyout",
        str(folder / "privkey.pem"),
    ]
    subprocess.run(
        ["openssl", "req", "-x509", *key, *subject, "-out", str(folder / "fullchain.pem")],
        capture_output=True,
        check=True,
    )


if __name__ == "__main__":
    sys.exit(main())
