"""A misspelt variable of a role is refused before a cluster is asked: no other kubeconfig is taken for it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bed.commands import run
from edgebed.playbook import REPOSITORY, program

POLICY = str(REPOSITORY / "environments" / "devbox" / "policy.yaml")
MESH = {"mesh_policy_file": POLICY, "mesh_charts": "/charts", "mesh_nodes": []}
RELEASE = "- {hosts: localhost, connection: local, gather_facts: false, roles: [helm_release]}\n"


@pytest.mark.parametrize(
    ("playbook", "given", "slip", "meant"),
    [
        ("routes.yml", {"gateway_routes_policy_file": POLICY}, "gateway_routes_kubecofig", "gateway_routes_kubeconfig"),
        ("routes.yml", {"gateway_routes_policy_file": POLICY}, "helm_release_kubecofig", "helm_release_kubeconfig"),
        ("edge-final.yml", {}, "site_trust_kubecofig", "site_trust_kubeconfig"),
        ("mesh.yml", MESH, "mesh_kubecofig", "mesh_kubeconfig"),
        (RELEASE, {"helm_release_wanted": {}}, "helm_release_kubecofig", "helm_release_kubeconfig"),
    ],
)
def test_a_slip_is_refused_with_what_was_meant(
    tmp_path: Path, playbook: str, given: dict[str, Any], slip: str, meant: str
) -> None:
    path = REPOSITORY / "playbooks" / playbook
    if playbook == RELEASE:
        path = tmp_path / "release.yml"
        path.write_text(RELEASE)
    asked = tmp_path / "asked"
    for name in ("kubectl", "helm"):
        tool = tmp_path / name
        tool.write_text(f"#!/bin/sh\necho asked >> {asked}\nexit 1\n")
        tool.chmod(0o755)
    environment = {
        "ANSIBLE_CONFIG": str(REPOSITORY / "ansible.cfg"),
        "ANSIBLE_ROLES_PATH": str(REPOSITORY / "roles"),
        "ANSIBLE_FORCE_COLOR": "0",
        "HOME": str(tmp_path),
        "PATH": os.pathsep.join((str(tmp_path), str(Path(program("ansible-playbook")).parent), os.environ["PATH"])),
    }
    argv = [program("ansible-playbook"), "-i", "localhost,", "-e", json.dumps(given | {slip: "/elsewhere"}), str(path)]
    refused = run(argv, check=False, environment=environment, cwd=REPOSITORY)
    assert not refused.ok
    assert "name/role-variable" in refused.stdout, refused.stdout
    assert f"did you mean `{meant}`?" in refused.stdout
    assert not asked.exists(), "nothing was asked"
