"""What Ansible resolves, as it is handed to the core: every kind of source, and nothing that was not asked for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from platform_deploy import inventory
from sites.site import ROOT, Site

VAULT = Path(sys.executable).with_name("ansible-vault")


@pytest.fixture
def site() -> Iterator[Site]:
    """A site without files, not below /tmp."""
    home = ROOT / ".local/tests" / f"home-{os.getpid()}-{time.monotonic_ns()}"
    home.mkdir(parents=True)
    home.chmod(0o700)
    yield Site(home, "example")
    shutil.rmtree(home)


def load(site: Site, path: Path) -> inventory.Inventory:
    """The inventory at a path."""
    root = site.home / ".config/pharos/environments"
    return inventory.load(path, environment="example", private_root=root, checkout=ROOT, progress=lambda _: None)


def facts(site: Site, path: Path) -> dict[str, Any]:
    """The facts of a fit inventory."""
    loaded = load(site, path)
    assert loaded.facts is not None, loaded.report.human()
    return loaded.facts


def codes(loaded: inventory.Inventory) -> list[str]:
    """The codes of what is refused."""
    assert loaded.facts is None
    return [finding.code for finding in loaded.report.diagnostics]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("cloud.example.servers\ntoken: hunter2\n", "names the plugin `cloud.example.servers`, which is not installed"),
        ("constructed\ngroups: [hunter2]\n", "plugin `constructed` cannot read this inventory: its option `groups` has a value"),
        ("constructed\nstrict: true\ncompose: {ip: gone.hunter2}\n", "inventory: a template in it fails, or names a variable"),
        ("constructed\nkeyed_groups: [{prefix: hunter2}]\nstrict: true\n", "plugin `constructed` cannot read this inventory"),
    ],
)
def test_a_plugin_that_cannot_read_a_source_is_named_with_its_reason(site: Site, source: str, said: str) -> None:
    site.put("inventory/10-hosts.yml", "kube-master: {hosts: {n1: {ansible_host: 192.0.2.1}}}\n")
    site.put("inventory/20-cloud.yml", f"plugin: {source}")
    loaded = load(site, site.inventory)
    assert codes(loaded)[:1] == ["ansible/source"]
    assert said in loaded.report.human()
    assert "hunter2" not in loaded.report.human()


def test_a_folder_of_sources_is_read_by_their_plugins(site: Site) -> None:
    site.put("inventory/10-hosts.yml", "kube-master: {hosts: {n1: {ansible_host: 192.0.2.1}}}\n")
    site.put("inventory/20-hosts.ini", "[etcd]\nn1\n[kube-node]\nn[2:3]\n[k8s_cluster:children]\nkube-node\nkube-master\n")
    listing = {"kube-node": {"hosts": ["n9"]}, "_meta": {"hostvars": {"n9": {"ansible_host": "192.0.2.9", "token": "hunter2"}}}}
    script = site.put("inventory/30-cloud", f"#!/bin/sh\ncat <<'END'\n{json.dumps(listing)}\nEND\n")
    script.chmod(0o700)
    site.put(
        "inventory/40-made.constructed.yml",
        "plugin: constructed\nstrict: true\ngroups: {calico_rr: inventory_hostname == 'n3'}\n",
    )
    found = facts(site, site.inventory)
    plugins = {Path(source["path"]).name: source["plugin"] for source in found["sources"]}
    wanted = {"10-hosts.yml": "yaml", "20-hosts.ini": "ini", "30-cloud": "script", "40-made.constructed.yml": "constructed"}
    assert plugins == wanted
    assert found["groups"]["kube-node"]["hosts"] == ["n2", "n3", "n9"]
    assert found["groups"]["k8s_cluster"]["children"] == ["kube-node", "kube-master"]
    assert found["groups"]["calico_rr"]["hosts"] == ["n3"]
    assert found["hosts"]["n9"] == {"address": "192.0.2.9", "pharos": {}}


def test_only_members_and_only_named_variables(site: Site) -> None:
    path = site.put(
        "inventory/hosts.yml",
        "kube_node:\n  hosts:\n    n1:\n      ansible_host: 192.0.2.1\n      ansible_user: root\n      secret: hunter2\n"
        "      node_labels: {a: true, b: 'True'}\n      node_taints: ['a=b:NoSchedule']\n      pharos_unheard_of: hunter2\n"
        "      pharos_api_access: ssh\n"
        "switches: {hosts: {sw1: {ansible_host: 192.0.2.254}}}\n",
    )
    found = facts(site, path)
    assert found["hosts"] == {
        "n1": {
            "address": "192.0.2.1",
            "labels": {"a": True, "b": "True"},
            "taints": ["a=b:NoSchedule"],
            "pharos": {"pharos_unheard_of": None, "pharos_api_access": "ssh"},
        }
    }
    assert found["groups"]["switches"]["hosts"] == ["sw1"]
    assert "hunter2" not in json.dumps(found)


def test_variables_have_ansibles_precedence_and_templates(site: Site) -> None:
    path = site.put(
        "inventory/hosts.ini",
        "[kube-node]\nn1 ip=192.0.2.1\nn2\n[rack]\nn[1:2]\n[all:vars]\nnet=198.51.100\nip={{ net }}.250\n",
    )
    site.put("inventory/group_vars/all.yml", "ip6: '2001:db8::{{ groups[\"rack\"].index(inventory_hostname) + 1 }}'\n")
    site.put("inventory/group_vars/rack/one.yml", "access_ip: \"{{ hostvars['n1'].ip }}\"\n")
    site.put("inventory/group_vars/rack/two.json", '{"net": "203.0.113"}')
    site.put("inventory/host_vars/n2.yml", "access_ip: 192.0.2.2\n")
    found = facts(site, path)["hosts"]
    assert found["n1"] == {"ip": "192.0.2.1", "access_ip": "192.0.2.1", "ip6": "2001:db8::1", "pharos": {}}
    assert found["n2"] == {"ip": "203.0.113.250", "access_ip": "192.0.2.2", "ip6": "2001:db8::2", "pharos": {}}


def test_vaults_of_several_identities_are_opened_by_the_operators_programs(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    identities = []
    for name in ("lab", "prod"):
        program = site.put(f"{name}-password", f"#!/bin/sh\necho {name}-secret\n")
        program.chmod(0o700)
        identities.append(f"{name}@{program}")
    monkeypatch.setenv("ANSIBLE_VAULT_IDENTITY_LIST", ",".join(identities))
    path = site.put("inventory/hosts.yml", "kube_node: {hosts: {n1: }}\n")
    for name, text in (("lab", "ip: 192.0.2.1\n"), ("prod", "access_ip: 192.0.2.2\n")):
        encrypted = subprocess.run(
            [VAULT, "encrypt", "--encrypt-vault-id", name],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
        )
        site.put(f"inventory/group_vars/kube_node/{name}.yml", encrypted.stdout)
    loaded = load(site, path)
    assert loaded.facts is not None, loaded.report.human()
    assert loaded.facts["hosts"]["n1"] == {"ip": "192.0.2.1", "access_ip": "192.0.2.2", "pharos": {}}
    assert [Path(name).name for name, _ in loaded.files] == ["hosts.yml"], "a vault has no places"
    monkeypatch.setenv("ANSIBLE_VAULT_IDENTITY_LIST", identities[0])
    refused = load(site, path)
    assert codes(refused) == ["ansible/vault-file", "inventory/absent-group", "inventory/absent-group"]
    assert "`prod`" in refused.report.human()


def test_the_operators_settings_take_no_part(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANSIBLE_INVENTORY_ENABLED", "host_list")
    monkeypatch.setenv("ANSIBLE_LOG_PATH", str(tmp_path / "log"))
    monkeypatch.setenv("ANSIBLE_CONFIG", "/nowhere/ansible.cfg")
    (tmp_path / "group_vars").mkdir()
    (tmp_path / "group_vars/all.yml").write_text("ip: 192.0.2.66\n")
    (tmp_path / "ansible").mkdir()
    (tmp_path / "ansible/__init__.py").write_text("raise SystemExit(9)\n")
    monkeypatch.chdir(tmp_path)
    path = site.put("inventory/hosts.yml", "kube_node: {hosts: {n1: }}\n")
    assert facts(site, path)["hosts"] == {"n1": {"pharos": {}}}
    assert not (tmp_path / "log").exists()


def test_all_that_cannot_be_resolved_is_said_at_once(site: Site) -> None:
    path = site.put(
        "inventory/hosts.yml", "kube_node:\n  hosts:\n    n1: {ip: '{{ nowhere }}', access_ip: '{{ 1 +  }}'}\n    n2: \n"
    )
    site.put("inventory/group_vars/all.yml", "a: [1\nb: 2\n")
    site.put("inventory/host_vars/n2.yml", "- no\n- mapping\n")
    site.put("inventory/group_vars/kube_node.yml", "ip6: '{{ another }}'\n")
    loaded = load(site, path)
    assert sorted(codes(loaded)) == [
        "ansible/template",
        "ansible/undefined",
        "ansible/undefined",
        "ansible/variables",
        "ansible/variables",
        "inventory/absent-group",
        "inventory/absent-group",
    ], "and what can be judged all the same is"
    text = loaded.report.human()
    assert f"{path}:3:14" in text
    assert "`n1` and `n2`" in text, "one finding for one place"


def test_the_writing_of_the_files_is_judged_beside_a_template_that_fails(site: Site) -> None:
    lines = "[kube_node]\nn1 ip='{{ nowhere }}'\nn1 access_ip=192.0.2.1\nn1 access_ip=192.0.2.2\n"
    path = site.put("inventory/hosts", lines)
    loaded = load(site, path)
    assert {"ansible/undefined", "inventory/written-twice"} <= set(codes(loaded)), loaded.report.human()
    assert f"{path}:4:4" in loaded.report.human()


@pytest.mark.parametrize("place", ["group_vars/all.yml", "host_vars/n1/vars", "group_vars/all/here.yml"])
def test_what_ansible_would_wait_for_is_refused_before_it_is_started(
    site: Site, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = site.put("inventory/hosts.yml", "kube_node: {hosts: {n1: }}\n")
    pipe = path.parent / place
    pipe.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    pipe.parent.parent.chmod(0o700)
    os.mkfifo(pipe, 0o600)
    monkeypatch.setattr(inventory, "resolve", lambda *_: pytest.fail("Ansible is started"))
    loaded = load(site, path)
    assert loaded.facts is None and "file/" in loaded.report.human() and str(pipe) in loaded.report.human()
    # The command follows links, as Ansible does where nothing is private.
    (path.parent / "elsewhere").mkdir()
    (path.parent / "elsewhere" / "zero.yml").symlink_to("/dev/zero")
    (path.parent / "elsewhere" / "back").symlink_to(".")
    (path.parent / "elsewhere" / ".hidden").symlink_to("/dev/zero")
    (path.parent / "elsewhere" / "gone").symlink_to("nowhere")
    (path.parent / "group_vars").mkdir(exist_ok=True)
    (path.parent / "group_vars" / "linked").symlink_to("../elsewhere")
    command: list[str | Path] = [Path(sys.executable).with_name("pharos"), "inventory", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 3, done.stderr
    assert f"not a regular file, but a pipe\n--> {pipe}\n" in done.stderr
    assert f"but a device\n--> {path.parent}/group_vars/linked/zero.yml\n" in done.stderr
    assert done.stderr.count("error[") == 2, done.stderr


def test_a_source_that_nobody_reads_is_refused(site: Site) -> None:
    path = site.put("inventory/hosts.yml", "kube_node:\n  hosts:\n   n1:\n  n2: [\n")
    assert codes(load(site, path)) == ["ansible/source"]
    site.put("inventory/hosts.yml", "plugin: nobody.knows.this\n")
    assert codes(load(site, path)) == ["ansible/source"]
