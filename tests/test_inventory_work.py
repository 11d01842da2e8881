"""How much Ansible is made to do for an inventory: what is the same for each host is done once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pharos
from platform_deploy import inventory
from sites.site import ROOT

HOSTS = 50

COUNTED = """
import builtins, copy, json, sys

from ansible._internal._templating._jinja_bits import AnsibleEnvironment
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import connection_loader

from platform_deploy._resolver import Resolver

counts = {}


def counting(owner, name):
    function = getattr(owner, name)

    def counted(*arguments, **options):
        counts[name] = counts.get(name, 0) + 1
        return function(*arguments, **options)

    setattr(owner, name, counted)


counting(AnsibleEnvironment, "_compile")
counting(DataLoader, "load")
counting(copy, "deepcopy")
counting(connection_loader, "all")
*_, last = Resolver(json.load(sys.stdin)).answer()
print(json.dumps({"counts": counts, **last}))
"""


def counted(path: Path) -> dict[str, Any]:
    """The resolver's answer on an inventory, and how often it did what takes the time."""
    request = {
        "inventory": str(path),
        "groups": pharos.cluster_groups(),
        "fields": inventory.FIELDS,
        "prefix": "pharos_",
        "known": pharos.inventory_variables(),
    }
    done = subprocess.run(
        [sys.executable, "-c", COUNTED],
        input=json.dumps(request),
        env=inventory.environment_of(dict(os.environ), ROOT),
        text=True,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["failures"] == []
    return answer


def hosts(*variables: str) -> str:
    """An inventory whose hosts have these variables in common."""
    lines = ["kube_node:", "  hosts:", *(f"    n{number}: {{unit: {number}}}" for number in range(HOSTS))]
    return "\n".join([*lines, "  vars:", *(f"    {each}" for each in variables), ""])


def test_what_is_the_same_for_each_host_is_done_once(tmp_path: Path) -> None:
    path = tmp_path / "hosts.yml"
    path.write_text(hosts("ip: '192.0.2.{{ unit }}'", "access_ip: '{{ ip }}'"), encoding="utf-8")
    answer = counted(path)
    assert answer["facts"]["hosts"]["n7"] == {"ip": "192.0.2.7", "access_ip": "192.0.2.7", "pharos": {}}
    counts = answer["counts"]
    assert counts["_compile"] == 2, "a template of all hosts is compiled once"
    assert counts["load"] == 1, "the source is read by the plugin of its kind alone"
    assert counts.get("deepcopy", 0) == 0, "what was read is not copied"
    assert counts.get("all", 0) < HOSTS, "without facts of a host there is nothing to clean"


def test_equal_texts_are_not_always_equal_templates(tmp_path: Path) -> None:
    path = tmp_path / "hosts.yml"
    header = "\"#jinja2: variable_start_string:'[%', variable_end_string:'%]'\\n{{ unit }}[% unit %]\""
    path.write_text(hosts("ip: '{{ unit }}[% unit %]'", f"access_ip: {header}"), encoding="utf-8")
    facts = counted(path)["facts"]["hosts"]["n7"]
    assert (facts["ip"], facts["access_ip"]) == ("7[% unit %]", "{{ unit }}7")


def test_a_plugin_is_found_however_its_key_is_written(tmp_path: Path) -> None:
    (tmp_path / "10-hosts.yml").write_text("kube_node: {hosts: {n1: }}\n", encoding="utf-8")
    made = tmp_path / "20-made.constructed.yml"
    for key in ("plugin", "'plugin'", '"plug\\x69n"'):
        made.write_text(f"{key}: constructed\nstrict: true\ngroups: {{etcd: true}}\n", encoding="utf-8")
        assert counted(tmp_path)["facts"]["groups"]["etcd"]["hosts"] == ["n1"], key
