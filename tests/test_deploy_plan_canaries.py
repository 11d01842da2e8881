"""Secrets planted in every private input of a plan, also on the very lines that are at fault, come out nowhere.

Each run is traced: what it and its children execute, with which arguments, and what they connect to. Everything that a run leaves
in the operator's home is searched, and so is what it prints.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bed.pki import Authority
from sites.inventories import LEGACY, STORAGE
from sites.site import CLIENTS, ROOT, Site, aai, authority

MARK = "canary"
VAULT = Path(sys.executable).with_name("ansible-vault")
PHAROS = Path(sys.executable).with_name("pharos")


def secret(of: str) -> str:
    """A secret that tells where it was planted."""
    return f"{MARK}-{of}-5d41402abc4b2a76"


@dataclass
class Run:
    """What a run said, left and did."""

    status: int
    said: str
    executed: list[str]
    connected: list[str]


@pytest.fixture
def home() -> Iterator[Path]:
    """An operator's home, not below /tmp."""
    path = ROOT / ".local/tests" / f"home-{os.getpid()}-{time.monotonic_ns()}"
    path.mkdir(parents=True)
    path.chmod(0o700)
    yield path
    shutil.rmtree(path)


def traced(site: Site, scratch: Path, **variables: str) -> Run:
    """One run under strace."""
    log = scratch / "trace"
    strace = ["strace", "-f", "--seccomp-bpf", "-qq", "-s", "65536", "-e", "trace=execve,connect", "-e", "signal=none"]
    done = subprocess.run(
        [*strace, "-o", str(log), *site.command()],
        cwd=ROOT,
        env=site.environ(**variables),
        text=True,
        capture_output=True,
        check=False,
        timeout=600,
    )
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return Run(
        done.returncode,
        done.stdout + done.stderr,
        [line for line in lines if "execve(" in line],
        [line for line in lines if "connect(" in line],
    )


def left_behind(site: Site, inputs: set[Path]) -> list[Path]:
    """The files of the operator's home that hold a planted secret, but for the inputs themselves."""
    files = [path for path in site.home.rglob("*") if path.is_file() and path not in inputs]
    assert files, "a run that got so far leaves something"
    return [path for path in files if MARK.encode() in path.read_bytes()]


def vault(text: str, password: Path) -> str:
    """A text, encrypted by Ansible itself."""
    done = subprocess.run(
        [VAULT, "encrypt", "--vault-password-file", password],
        input=text,
        text=True,
        capture_output=True,
        check=True,
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
    )
    return done.stdout


def inline(name: str, text: str, password: Path) -> str:
    """A variable whose value is a vault."""
    lines = "".join(f"  {line}\n" for line in vault(text, password).splitlines())
    return f"{name}: !vault |\n{lines}"


def planted(home: Path) -> Site:
    """A fit site with a secret in every private input."""
    site = Site(home, "example")
    password = site.put("vault-password", secret("vault-password") + "\n")
    site.variables["ANSIBLE_VAULT_PASSWORD_FILE"] = str(password)
    site.variables["INVENTORY"] = str(site.put("inventory/hosts.ini", LEGACY.replace("hunter2", secret("host-line"))))
    site.put(
        "inventory/group_vars/all/main.yml",
        "ansible_host: \"198.51.100.{{ inventory_hostname | regex_replace('[^0-9]', '') }}\"\n"
        'ip: "{{ ansible_host }}"\n'
        f"ansible_ssh_pass: {secret('group-vars')}\n"
        f"registry: {{user: site, password: {secret('registry')}}}\n"
        f"ansible_ssh_common_args: -o ProxyCommand={secret('proxy-command')}\n"
        + inline("smtp_password", secret("inline-vault"), password),
    )
    site.put("inventory/group_vars/all/vault.yml", vault(f"database_password: {secret('file-vault')}\n", password))
    site.put("inventory/group_vars/storage.yml", STORAGE)
    site.put("inventory/group_vars/services.yml", 'node_labels: {pharos.platform/services: "true", kubernetes.io/arch: amd64}\n')
    document = aai(authority(), CLIENTS)
    document["clients"] = {client: {"client_id": f"{client}-id", "client_secret": secret(f"aai-{client}")} for client in CLIENTS}
    file = site.identity(json.dumps(document, indent=2))
    site.put("inventory/host_vars/cn1.yml", f"pharos_external_aai_file: {file}\nbmc_password: {secret('host-vars')}\n")
    site.put("admin/kubeconfig", f"users: [{{name: admin, user: {{token: {secret('kubeconfig')}}}}}]\n")
    return site


def edit(path: Path, old: str, new: str) -> None:
    """Change a private file."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path} holds {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def values(site: Site) -> None:
    """Values at fault, beside secrets on their lines."""
    hosts = site.inventory / "hosts.ini"
    edit(hosts, "cn[1:3] ", f"cn[1:3] pharos_api_acces={secret('unknown-variable')} ")
    edit(hosts, "cn7 ", f"cn7 ip={secret('address')} ansible_password={secret('beside')} ")
    edit(
        site.inventory / "group_vars/storage.yml",
        'storage-node: "True"',
        f"storage-node: true  # {secret('comment')}",
    )
    edit(site.inventory / "host_vars/cn1.yml", "bmc_password", f"storage_devices: [{secret('device')}]\nbmc_password")


def templates(site: Site) -> None:
    """Templates that fail, with secrets in them."""
    main = site.inventory / "group_vars/all/main.yml"
    edit(main, 'ip: "', f'access_ip: "{{{{ nowhere | default(undefined_one) }}}}{secret("template")}"\nip6: "{{{{ 1 / 0 }}}}')
    edit(main, "{{ 1 / 0 }}", f"{{{{ '{secret('expression')}' | no_such_filter }}}}\"\nip: \"")


def locked(site: Site) -> None:
    """A vault that a plan needs and one that is a file, without their password."""
    main = site.inventory / "group_vars/all/main.yml"
    edit(main, 'ip: "{{ ansible_host }}"', 'ip: "{{ smtp_password }}"')
    edit(Path(site.variables["ANSIBLE_VAULT_PASSWORD_FILE"]), MARK, f"other-{MARK}")


def broken_variables(site: Site) -> None:
    """A file of variables that is no YAML, at a secret."""
    edit(site.inventory / "group_vars/all/main.yml", "ansible_ssh_pass: ", "ansible_ssh_pass: [")
    edit(site.inventory / "host_vars/cn1.yml", "bmc_password: ", "\tbmc_password: '")


def broken_inventory(site: Site) -> None:
    """An inventory that is no INI, at a secret."""
    edit(site.inventory / "hosts.ini", "cn[1:3] ansible_password=", "cn[1:3 ansible_password='")


def names(site: Site) -> None:
    """Variables on lines of their own below groups of hosts: Ansible takes each for a host."""
    hosts = site.inventory / "hosts.ini"
    text = hosts.read_text(encoding="utf-8")
    below = {"node": "kube-node", "edge": "platform-edge"}
    added = "".join(f"[{group}]\nansible_become_password={secret(f'{of}-name')}\n" for of, group in below.items())
    hosts.write_text(f"{text}\n{added}", encoding="utf-8")


def broken_identity(site: Site) -> None:
    """The external identity with faults on the lines of its secrets."""
    edit(site.private / "aai.json", "https://aai.example.org/", f"https://user:{secret('issuer')}@aai.example.org/")
    edit(site.private / "aai.json", secret("aai-pharos-tools"), secret("aai-pharos-tools") + "\\n")
    edit(site.private / "aai.json", "-----BEGIN CERTIFICATE", f"{secret('ca')}-----BEGIN PRIVATE KEY")


def cut_identity(site: Site) -> None:
    """The external identity, cut off inside a secret."""
    path = site.private / "aai.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index(secret("aai-pharos-gitlab")) + 12], encoding="utf-8")


def open_files(site: Site) -> None:
    """Private files that others may read."""
    (site.inventory / "group_vars/all/vault.yml").chmod(0o644)
    (site.inventory / "hosts.ini").chmod(0o604)


FAULTS: list[tuple[Callable[[Site], None], int, list[str]]] = [
    (lambda _: None, 0, []),
    (values, 1, ["inventory/unknown-variable", "inventory/label-value"]),
    (templates, 1, ["ansible/undefined", "ansible/template"]),
    (locked, 1, ["ansible/vault-file", "ansible/vault-variable"]),
    (broken_variables, 1, ["ansible/variables"]),
    (broken_inventory, 1, ["inventory/ini"]),
    (names, 1, ["inventory/no-name"]),
    (broken_identity, 1, ["identity/issuer", "identity/secret-form", "identity/private-key"]),
    (cut_identity, 1, ["identity/json"]),
    (open_files, 1, ["file/mode"]),
]


@pytest.mark.parametrize(("fault", "status", "codes"), FAULTS, ids=lambda value: getattr(value, "__name__", None))
def test_no_secret_comes_out(home: Path, tmp_path: Path, fault: Callable[[Site], None], status: int, codes: list[str]) -> None:
    site = planted(home)
    fault(site)
    inputs = {path for path in site.private.rglob("*") if path.is_file()}
    done = traced(site, tmp_path)
    assert done.status == status, done.said
    for code in codes:
        assert f"[{code}]" in done.said, done.said
    assert MARK not in done.said
    assert left_behind(site, inputs) == []
    assert done.executed, "the trace saw the programs"
    assert [line for line in done.executed if MARK in line] == [], "an argument or a path of a program"
    assert not any(re.search(r'"[^"]*/(ssh|sshpass|scp|sftp|kubectl|helm)"', line) for line in done.executed)
    assert [line for line in done.connected if "AF_INET" in line] == [], "an offline plan asks nobody"


@pytest.mark.parametrize("fault", [fault for fault, _, _ in FAULTS], ids=lambda value: getattr(value, "__name__", None))
@pytest.mark.parametrize("form", ["human", "json", "sarif"])
def test_no_secret_comes_out_of_the_command_inventory(home: Path, form: str, fault: Callable[[Site], None]) -> None:
    site = planted(home)
    fault(site)
    done = subprocess.run(
        [str(PHAROS), "inventory", site.variables["INVENTORY"], "--format", form],
        cwd=ROOT,
        env=site.environ(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode in (0, 1), done.stderr
    assert MARK not in done.stdout + done.stderr


def online(site: Site, server: str) -> set[bytes]:
    """Let a plan look at a site that gives no answer, with private keys beside its certificates: what nobody may see."""
    authority = Authority.create("cluster")
    own = authority.issue_client("administrator")
    other = authority.issue_client("other")  # its key stands where an authority alone belongs
    site.put("admin/own.pem", own.key_pem + own.fullchain_pem)
    user = {"client-certificate": "own.pem", "client-key-data": b64encode(own.key_pem.encode()).decode()}
    trust = b64encode((other.key_pem + authority.pem).encode()).decode()
    cluster = {"server": server, "certificate-authority-data": trust}
    context = {"name": "a", "context": {"cluster": "a", "user": "a"}}
    named = {"clusters": [{"name": "a", "cluster": cluster}], "users": [{"name": "a", "user": user}], "contexts": [context]}
    site.put("admin/kubeconfig", json.dumps(named | {"current-context": "a"}))
    double = site.put("double/ssh", "#!/bin/sh\nexit 255\n")
    double.chmod(0o700)
    site.variables |= {"OFFLINE": "", "PATH": f"{double.parent}:{site.environ()['PATH']}"}
    written = [line.encode() for key in (own.key_pem, other.key_pem) for line in key.splitlines() if "-----" not in line]
    encoded = [b64encode(key.encode())[at : at + 48] for key in (own.key_pem, other.key_pem) for at in range(48, 240, 48)]
    return {*written, *encoded, b"PRIVATE KEY"}


def test_no_key_beside_a_certificate_comes_out(home: Path, tmp_path: Path) -> None:
    site = planted(home)
    edit(site.inventory / "host_vars/cn1.yml", "bmc_password", "pharos_api_access: direct\nbmc_password")
    keys = online(site, "https://127.0.0.1:9")
    inputs = {path for path in site.private.rglob("*") if path.is_file()}
    done = traced(site, tmp_path)
    assert done.status == 3, done.said
    assert "[access/unreachable]" in done.said, done.said
    assert re.search(r"authority of the external AAI +\d+ days left", done.said), done.said
    assert re.search(r"authority of the cluster +\d+ days left", done.said), "it is seen although the API gives no answer"
    assert re.search(r"the administrator's own .*CN=administrator", done.said), done.said
    left = [path for path in site.home.rglob("*") if path.is_file() and path not in inputs]
    assert [path for path in left if path.suffix == ".html"], "the report is searched, too"
    for text in [done.said.encode(), *(line.encode() for line in done.executed), *(path.read_bytes() for path in left)]:
        assert [key for key in keys if key in text] == []
        assert MARK.encode() not in text


def test_a_locked_vault_says_what_needed_it(home: Path, tmp_path: Path) -> None:
    site = planted(home)
    locked(site)
    done = traced(site, tmp_path)
    assert "`smtp_password`" in done.said, "the inline vault, by the variable that holds it"
    assert f"{site.inventory}/group_vars/all/vault.yml" in done.said, "the other by its file"


def test_a_vault_that_no_plan_needs_stays_closed(home: Path, tmp_path: Path) -> None:
    site = planted(home)
    del site.variables["ANSIBLE_VAULT_PASSWORD_FILE"]
    (site.inventory / "group_vars/all/vault.yml").unlink()
    done = traced(site, tmp_path)
    assert done.status == 0, done.said
