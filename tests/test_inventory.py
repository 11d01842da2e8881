"""Inventories: what Ansible makes of those that the core is tested with, and the command that shows what they mean."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import pharos
from platform_deploy.inventory import resolve

ROOT = Path(__file__).parents[1]
ACCEPTED = ROOT / "core/tests/inventories"
REFUSED = ROOT / "core/tests/rejected/inventory"
COMMAND = Path(sys.executable).with_name("pharos")
# What Ansible itself refuses has no facts but those that nothing was read.
INI = REFUSED / "ini"
FIXTURES = sorted({path.parent for root in (ACCEPTED, REFUSED) for path in root.glob("*/facts.json")} - {INI})
CANARY = "canary"


@pytest.fixture(autouse=True)
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vaults of the fixtures are opened with one word."""
    file = tmp_path / "vault-password"
    file.write_text("open\n", encoding="utf-8")
    monkeypatch.setenv("ANSIBLE_VAULT_PASSWORD_FILE", str(file))


def hosts_of(folder: Path) -> Path:
    return next(path for name in ("hosts.yml", "hosts.ini", "hosts") if (path := folder / name).exists())


def copy(folder: Path, to: Path) -> Path:
    """The inventory alone, without what lies beside it for other tests."""
    shutil.copytree(folder, to, ignore=shutil.ignore_patterns("facts.json", "*.snap"))
    return hosts_of(to)


def pharos_inventory(*arguments: str | Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [str(COMMAND), "inventory", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, text=True, capture_output=True, check=False, timeout=120)


@pytest.mark.parametrize("folder", FIXTURES, ids=lambda folder: folder.name)
def test_facts_are_what_ansible_resolves(folder: Path, tmp_path: Path) -> None:
    hosts = copy(folder, tmp_path / "inventory")
    facts, failures = resolve(hosts, ROOT, lambda line: None)
    assert failures == []
    for source in facts["sources"]:
        source["path"] = Path(source["path"]).relative_to(hosts.parent).as_posix()
    groups = {name: group for name, group in facts["groups"].items() if name not in {"all", "ungrouped"}}
    recorded: dict[str, Any] = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    if os.environ.get("PHAROS_UPDATE"):
        recorded = {**facts, "groups": groups}
        text = json.dumps(recorded, indent=2, ensure_ascii=False) + "\n"
        (folder / "facts.json").write_text(text, encoding="utf-8")
    assert {**facts, "groups": groups} == recorded


def test_the_command_shows_where_a_membership_came_from() -> None:
    done = pharos_inventory(ACCEPTED.relative_to(ROOT) / "lab/hosts.yml")
    assert (done.returncode, done.stderr) == (0, "")
    assert "lab2 is kube_node: core/tests/inventories/lab/hosts.yml:36 by way of kube-node" in done.stdout
    assert "inventory/not-ha" in done.stdout and CANARY not in done.stdout


def test_the_command_answers_programs() -> None:
    done = pharos_inventory(ACCEPTED / "nine/hosts.yml", "--format", "json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["topology"]["primary"] == {"node": "ctl1", "because": "group"}
    assert set(answer["topology"]["aliases"]) == {"etcd", "k8s_cluster", "kube_control_plane", "kube_node"}
    assert "pdu1" not in done.stdout and "0b2f4c1e" not in done.stdout and CANARY not in done.stdout


@pytest.mark.parametrize("form", ["svg", "dot"])
def test_the_command_draws(form: str) -> None:
    done = pharos_inventory(ACCEPTED / "lab/hosts.yml", "--graph", form)
    assert (done.returncode, done.stderr) == (0, "")
    if form == "svg":
        assert ElementTree.fromstring(done.stdout).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 (our own output)
    recorded = (ACCEPTED / f"lab.{form}.snap").read_text(encoding="utf-8")
    assert done.stdout.strip() == re.split(r"^---\n", recorded, flags=re.MULTILINE)[2].strip()


@pytest.mark.parametrize("name", ["label-value.several", "variable-value", "unknown-variable", "taint"])
def test_a_refusal_shows_no_secret(name: str, tmp_path: Path) -> None:
    hosts = copy(REFUSED / name, tmp_path / "inventory")
    assert CANARY in hosts.read_text(encoding="utf-8")
    for form, said in (("human", "stderr"), ("json", "stdout"), ("sarif", "stdout"), ("junit", "stdout")):
        done = pharos_inventory(hosts, "--format", form)
        assert done.returncode == 1, done.stderr
        assert f"inventory/{name.split('.')[0]}" in getattr(done, said)
        assert CANARY not in done.stdout + done.stderr


def test_what_ansible_refuses_is_shown_by_its_place(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts.ini"
    hosts.write_text(f"[kube_node]\nn1 ansible_password={CANARY} stray\n", encoding="utf-8")
    done = pharos_inventory(hosts)
    assert done.returncode == 1 and "inventory/ini" in done.stderr and f"{hosts}:2:28" in done.stderr, done.stderr
    assert CANARY not in done.stdout + done.stderr


def test_every_line_that_ansible_refuses_is_shown(tmp_path: Path) -> None:
    hosts = copy(INI, tmp_path / "inventory")
    _, failures = resolve(hosts, ROOT, lambda line: None)
    assert failures == [{"kind": "source", "plugin": "ini", "file": str(hosts)}], "Ansible tells no line"
    done = pharos_inventory(hosts)
    assert done.returncode == 1 and CANARY not in done.stdout + done.stderr
    lines = re.findall(rf"--> {re.escape(str(hosts))}:(\d+):", done.stderr)
    assert lines == ["28"], "what looks like YAML is told by its first line"
    text = hosts.read_text(encoding="utf-8").replace("rack: canary-5e1f\n---\n", "")
    hosts.write_text(text, encoding="utf-8")
    done = pharos_inventory(hosts)
    assert re.findall(rf"--> {re.escape(str(hosts))}:(\d+):", done.stderr) == ["8", "13", "16", "19", "24", "27", "30"]


def test_an_inventory_that_is_not_there(tmp_path: Path) -> None:
    done = pharos_inventory(tmp_path / "hosts.yml")
    assert done.returncode == 3 and done.stdout == "" and "No such file" in done.stderr


def test_a_fresh_installation_needs_devices_by_id() -> None:
    done = pharos_inventory(ACCEPTED / "nine/hosts.yml", "--fresh")
    assert done.returncode == 1
    assert "inventory/device-by-id" in done.stderr and "inventory/no-devices" in done.stderr


def test_a_plugin_is_named_where_there_is_no_line(tmp_path: Path) -> None:
    script = tmp_path / "cloud"
    groups = {"kube_control_plane": ["n1"], "etcd": ["n1"], "kube_node": ["n1", "n2", "n3"]}
    labels = {"node_labels": {"storage-node": "True", "storage-control": "True"}}
    answer = {**groups, "_meta": {"hostvars": dict.fromkeys(("n1", "n2", "n3"), labels)}}
    script.write_text(f"#!{sys.executable}\nprint('''{json.dumps(answer)}''')\n", encoding="utf-8")
    script.chmod(0o755)
    done = pharos_inventory(script)
    assert done.returncode == 0, done.stderr
    assert f"n2 is kube_node: {script} (plugin script)" in done.stdout


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (f"#!/bin/sh\necho {CANARY} >&2\nexit 3\n", "this inventory program ended with status 3"),
        (f"#!/bin/sh\necho {CANARY}\nkill -9 $$\n", "signal 9 ended this inventory program"),
        (f"#!/bin/sh\necho {CANARY}\n", "ended well, and what it printed is no inventory"),
        ("#!/nowhere/python\nprint {}\n", "this inventory program cannot be started"),
        ("#!/nowhere/python\n# an empty inventory in INI\n", "this inventory program cannot be started"),
        ("-#!/bin/sh\necho {}\n", "this inventory program may not be executed"),
    ],
)
def test_a_program_that_gives_no_inventory_is_named(tmp_path: Path, script: str, said: str) -> None:
    program = tmp_path / "cloud"
    program.write_text(script.removeprefix("-"), encoding="utf-8")
    program.chmod(0o644 if script.startswith("-") else 0o755)
    done = pharos_inventory(program)
    assert (done.returncode, done.stdout) == (3, "")
    assert "error[ansible/program]" in done.stderr and said in done.stderr and f"--> {program}\n" in done.stderr, done.stderr
    assert CANARY not in done.stderr and "plugin" not in done.stderr


def test_what_is_no_text_is_no_fault_of_ours(tmp_path: Path) -> None:
    done = pharos_inventory("/bin/true")
    assert done.returncode == 3 and "error[ansible/program]" in done.stderr, done.stderr
    for name, content in (("hosts.ini", b"\xff\n"), ("hosts.yml", b"\xff"), ("\udcff.ini", b"n1\n")):
        (tmp_path / name).write_bytes(content)
        done = pharos_inventory(tmp_path / name)
        assert done.returncode == 1 and "inventory/absent-group" in done.stderr, done.stderr


def test_a_text_that_may_be_executed_is_no_program(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts.ini"
    hosts.write_text("[kube_node]\nn1 stray\n", encoding="utf-8")
    hosts.chmod(0o755)
    done = pharos_inventory(hosts)
    assert done.returncode == 1 and "inventory/ini" in done.stderr and f"{hosts}:2:4" in done.stderr, done.stderr


def test_an_inventory_of_edges_alone_is_told_as_that() -> None:
    folder = ROOT / "examples" / "small-company" / "inventory"
    for hosts in (folder / "hosts.yml", folder):
        done = pharos_inventory(hosts)
        assert done.returncode == 1 and done.stderr.endswith("\n1 error\n")
        assert "has the hosts of the edge (`platform-edge`)" in done.stderr and "edge-distributed.yml" in done.stderr
        assert f"--> {folder}/hosts.yml\n" in done.stderr, done.stderr


def test_an_inventory_is_read_outside_a_checkout(tmp_path: Path) -> None:
    hosts = copy(ACCEPTED / "lab", tmp_path / "inventory")
    here = pharos_inventory(hosts)
    done = pharos_inventory(hosts.relative_to(tmp_path), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == here.stdout.replace(str(hosts), str(hosts.relative_to(tmp_path)))


def test_the_binding_hands_over_plain_values() -> None:
    folder = ACCEPTED / "nine"
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    topology, notes = pharos.inventory(facts, [("hosts.yml", (folder / "hosts.yml").read_bytes())])
    assert not notes.refuses and topology["nodes"]["w1"]["devices"] == ["sdb", "sdc"]
    bindings = pharos.inventory_bindings(facts, [])
    assert bindings["api_access"] == "ssh" and bindings["external_aai_file"] is None
    with pytest.raises(ValueError, match="svg"):
        pharos.inventory_graph(topology, "png")
    with pytest.raises(pharos.RejectedError) as refusal:
        pharos.inventory({"groups": {}}, [])
    assert {finding.code for finding in refusal.value.diagnostics} == {"inventory/absent-group"}
