"""The trust of backends in a real API server: the stage `edge-final`, and that no route is qualified before it."""

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bed.commands import Result, run
from bed.pki import Authority
from cluster.control_plane import ControlPlane
from cluster.tools import program as tool
from edgebed.playbook import REPOSITORY, program

pytestmark = pytest.mark.cluster

SOURCE = ("pharos", "site-api-trust")
PUBLISHED = ("istio-system", "pharos-site-api-trust")
_CHECK = """
- hosts: localhost
  connection: local
  gather_facts: false
  vars:
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
  tasks:
    - ansible.builtin.import_role:
        name: site_trust
        tasks_from: check
"""


@pytest.fixture
def plane(session_cluster: ControlPlane) -> Iterator[ControlPlane]:
    there = session_cluster.kubectl("get", "namespace", "--output=name").stdout.split()
    for namespace in {SOURCE[0], PUBLISHED[0]} - {name.removeprefix("namespace/") for name in there}:
        session_cluster.kubectl("create", "namespace", namespace)
    yield session_cluster
    # the namespaces stay: other tests of the session use them, and one that is being deleted takes no object
    for kind, (namespace, name) in (("configmap", SOURCE), ("configmap", PUBLISHED), ("secret", PUBLISHED)):
        session_cluster.kubectl("delete", kind, name, f"--namespace={namespace}", "--ignore-not-found")


def play(plane: ControlPlane, folder: Path, playbook: str | None = None, *arguments: str) -> Result:
    """Run `edge-final.yml`, or another playbook, against the cluster."""
    path = REPOSITORY / "playbooks" / "edge-final.yml"
    if playbook is not None:
        path = folder / "check.yml"
        path.write_text(playbook)
    environment = {
        "ANSIBLE_CONFIG": str(REPOSITORY / "ansible.cfg"),
        "ANSIBLE_ROLES_PATH": str(REPOSITORY / "roles"),
        "ANSIBLE_FORCE_COLOR": "0",
        # what kubectl keeps between two runs
        "HOME": str(folder),
        "PATH": os.pathsep.join((str(tool("kubectl").parent), str(Path(program("ansible-playbook")).parent), os.environ["PATH"])),
    }
    argv = [
        program("ansible-playbook"),
        "-i",
        "localhost,",
        "-e",
        f"site_trust_kubeconfig={plane.kubeconfig}",
        *arguments,
        str(path),
    ]
    return run(argv, check=False, environment=environment, cwd=REPOSITORY)


def recap(result: Result) -> tuple[int, int]:
    """How many tasks changed something, and how many failed."""
    line = next(line for line in result.stdout.splitlines() if line.startswith("localhost "))
    counts = dict(word.split("=") for word in line.split(":")[1].split())
    return int(counts["changed"]), int(counts["failed"])


def bring(plane: ControlPlane, data: dict[str, str]) -> None:
    """What the Application of namespace pharos does."""
    namespace, name = SOURCE
    metadata = {"namespace": namespace, "name": name}
    plane.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})


def published(plane: ControlPlane, kind: str) -> dict[str, Any]:
    namespace, name = PUBLISHED
    said = plane.kubectl("get", kind, name, f"--namespace={namespace}", "--ignore-not-found", "--output=json").stdout
    found: dict[str, Any] = json.loads(said or "{}")
    return found


def test_no_route_is_qualified_before_the_trust_is_published(plane: ControlPlane, tmp_path: Path) -> None:
    authority = Authority.create("site api")

    # the first installation that answered 503: the edge is rendered, and nobody has brought the authority yet
    refused = play(plane, tmp_path, _CHECK)
    assert recap(refused)[1] == 1
    assert "trust/not-published" in refused.stdout
    early = play(plane, tmp_path)
    assert "trust/not-published" in early.stdout
    assert "stage `argo`" in early.stdout
    assert published(plane, "configmap") == published(plane, "secret") == {}

    # the Application is there, and edge-final has not run
    bring(plane, {"ca.crt": authority.pem})
    refused = play(plane, tmp_path, _CHECK)
    assert recap(refused) == (0, 1), refused.stdout
    assert "foundation/trust-not-published" in refused.stdout
    assert "route-check" in refused.stdout

    # what kubectl complains about is told, and nothing of what it was asked for
    lost = play(plane, tmp_path, None, "-e", "site_trust_kubeconfig=/nowhere/kubeconfig")
    assert recap(lost) == (0, 1)
    assert "error[trust/unreadable]: ConfigMap pharos/site-api-trust cannot be read: " in lost.stdout, lost.stdout
    assert "/nowhere/kubeconfig: no such file or directory" in lost.stdout

    # stages that were not done are told before anything is published, and a dry run says what would be
    unready = play(plane, tmp_path, None, "-e", '{"site_trust_stages_done": ["kubernetes"]}')
    assert "foundation/" in unready.stdout and recap(unready) == (0, 1), unready.stdout
    dry = play(plane, tmp_path, None, "--check", "--diff")
    assert recap(dry) == (1, 0), dry.stdout
    assert f"ConfigMap {PUBLISHED[1]} would be applied" in dry.stdout
    assert published(plane, "configmap") == published(plane, "secret") == {}

    # edge-final, and then the routes
    first = play(plane, tmp_path)
    assert recap(first) == (1, 0), first.stdout
    assert published(plane, "configmap")["data"] == {"ca.crt": authority.pem}
    assert base64.b64decode(published(plane, "secret")["data"]["ca.crt"]).decode() == authority.pem
    assert play(plane, tmp_path, _CHECK).ok

    # a reconciliation of the same changes nothing
    before = [published(plane, kind)["metadata"]["resourceVersion"] for kind in ("configmap", "secret")]
    assert recap(play(plane, tmp_path)) == recap(play(plane, tmp_path, None, "--check")) == (0, 0)
    assert [published(plane, kind)["metadata"]["resourceVersion"] for kind in ("configmap", "secret")] == before

    # a reconciliation of a cluster that has lost it, and one whose authority was renewed
    plane.kubectl("delete", "secret", PUBLISHED[1], f"--namespace={PUBLISHED[0]}")
    assert "foundation/trust-not-published" in play(plane, tmp_path, _CHECK).stdout
    assert recap(play(plane, tmp_path)) == (1, 0)
    renewed = Authority.create("site api")
    bring(plane, {"ca.crt": renewed.pem})
    assert recap(play(plane, tmp_path, None, "--check")) == (1, 0)
    assert "foundation/trust-not-published" in play(plane, tmp_path, _CHECK).stdout
    assert recap(play(plane, tmp_path)) == (1, 0)
    assert published(plane, "configmap")["data"] == {"ca.crt": renewed.pem}


def test_what_cannot_be_published_is_refused_and_what_was_stays(plane: ControlPlane, tmp_path: Path) -> None:
    authority = Authority.create("site api")
    bring(plane, {"ca.crt": authority.pem})
    assert play(plane, tmp_path).ok
    before = published(plane, "configmap"), published(plane, "secret")

    def refused(code: str, data: dict[str, str]) -> None:
        bring(plane, data)
        said = play(plane, tmp_path)
        assert code in said.stdout, said.stdout
        assert "PRIVATE KEY" not in said.stdout + said.stderr
        assert (published(plane, "configmap"), published(plane, "secret")) == before

    leaf = authority.issue("site-api.pharos.svc")
    refused("trust/private-key", {"ca.crt": authority.pem, "ca.key": leaf.key_pem})
    refused("trust/expired", {"ca.crt": Authority.create("old", days=0.01).pem})
    refused("certificate/not-an-authority", {"ca.crt": leaf.fullchain_pem})
    refused("trust/bundle-missing", {"ca.pem": authority.pem})

    # an object that somebody else keeps there
    bring(plane, {"ca.crt": Authority.create("site api").pem})
    plane.kubectl("label", "secret", PUBLISHED[1], f"--namespace={PUBLISHED[0]}", "pharos.platform/trust-")
    before = published(plane, "configmap"), published(plane, "secret")
    said = play(plane, tmp_path)
    assert "trust/foreign-object" in said.stdout
    assert (published(plane, "configmap"), published(plane, "secret")) == before
