"""What is seen of a cluster: from the real API server, with GET requests alone, and refused in time when nothing can be seen."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pharos
from bed.pki import Authority
from cluster.control_plane import ControlPlane
from cluster.nodes import NodeSpec, forget_all, register
from cluster.pretender import Answers, pretender
from cluster.rook import CEPH_CLUSTER, install_ceph_cluster

pytestmark = pytest.mark.cluster

TAINT = {"key": "dedicated", "value": "batch", "effect": "NoExecute"}
CORDON = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}

NODES = [
    NodeSpec("n1", "10.0.0.1", machine_id="f00d1", labels={"storage-node": "True", "topology.kubernetes.io/zone": "b"}),
    NodeSpec("n2", "10.0.0.2", kubelet="v1.32.7", architecture="arm64"),
    NodeSpec("n3", "fd00::3", ready=False, managed=False),
    NodeSpec("n4", "10.0.0.4", taints=[TAINT, CORDON]),
    NodeSpec("n5", "10.0.0.5"),
]

# What the page of access/denied says is enough.
ROLE = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRole",
    "metadata": {"name": "bed-planner"},
    "rules": [
        {"apiGroups": [""], "resources": ["nodes", "namespaces"], "verbs": ["get", "list"]},
        {"apiGroups": ["ceph.rook.io"], "resources": ["cephclusters"], "verbs": ["get", "list"]},
    ],
}


def binding(user: str) -> dict[str, Any]:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": user},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "bed-planner"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
    }


@pytest.fixture(scope="module")
def plane(session_cluster: ControlPlane) -> Iterator[ControlPlane]:
    """The control plane with five nodes, and a role for whoever reads."""
    session_cluster.apply(ROLE)
    register(session_cluster, NODES)
    yield session_cluster
    forget_all(session_cluster)


def planner(plane: ControlPlane, user: str) -> Path:
    """The kubeconfig of a user who may read what a plan needs, and nothing else."""
    plane.apply(binding(user))
    return plane.kubeconfig_for(user)


def refused(kubeconfig: Path, **options: Any) -> list[str]:
    """The codes that an observation is refused with. No message holds anything of a credential."""
    with pytest.raises(pharos.RejectedError) as refusal:
        pharos.observe_cluster(kubeconfig, **options)
    report = refusal.value.report
    for text in (report.human(), report.json()):
        assert "PRIVATE KEY" not in text
        assert "hunter2" not in text
    return [each.code for each in report.diagnostics]


def test_a_cluster_is_seen(plane: ControlPlane) -> None:
    seen = pharos.observe_cluster(planner(plane, "seer"))
    uid = plane.kubectl("get", "namespace", "kube-system", "--output", "jsonpath={.metadata.uid}").stdout
    assert set(seen) == {"cluster"}  # no kind of Ceph's here
    assert seen["cluster"]["uid"] == uid
    assert seen["cluster"]["version"] == "v1.33.13"
    nodes = seen["cluster"]["nodes"]
    assert {name: node["kubelet"] for name, node in nodes.items()} == {node.name: node.kubelet for node in NODES}
    assert nodes["n1"]["machine_id"] == "f00d1"
    assert nodes["n1"]["os"] == "Debian GNU/Linux 13 (trixie)"
    assert nodes["n1"]["runtime"] == "containerd://2.1.4"
    assert [nodes[name]["architecture"] for name in ("n1", "n2")] == ["amd64", "arm64"]
    assert [nodes[name]["ready"] for name in ("n1", "n3")] == [True, False]
    assert nodes["n3"]["addresses"] == ["fd00::3"]
    assert nodes["n1"]["labels"] == {"storage-node": "True", "topology.kubernetes.io/zone": "b"}, "a kubelet's own are left out"
    assert nodes["n4"]["taints"] == [TAINT], "how a node is comes and goes"
    assert "labels" not in nodes["n4"]
    assert "taints" not in nodes["n1"]
    live = plane.kubectl("get", "node", "n4", "--output", "jsonpath={.metadata.uid}").stdout
    assert nodes["n4"]["uid"] == live


def test_it_is_read_by_pages_with_get_alone(plane: ControlPlane) -> None:
    pharos.observe_cluster(planner(plane, "pager"), page=2)
    asked = plane.audit("pager")
    assert {event.verb for event in asked} == {"get", "list"}
    pages = [event.uri for event in asked if event.uri.startswith("/api/v1/nodes?")]
    assert [uri.split("&")[0] for uri in pages] == ["/api/v1/nodes?limit=2"] * 3
    assert ["continue" in uri for uri in pages] == [False, True, True]
    assert [event.uri for event in asked][:2] == ["/version", "/api/v1/namespaces/kube-system"]


def test_the_kubeconfig_stays_as_it_is(plane: ControlPlane) -> None:
    kubeconfig = planner(plane, "keeper")
    before = (kubeconfig.read_bytes(), kubeconfig.stat())
    pharos.observe_cluster(kubeconfig)
    after = (kubeconfig.read_bytes(), kubeconfig.stat())
    assert (before[0], before[1].st_mtime_ns, before[1].st_ino) == (after[0], after[1].st_mtime_ns, after[1].st_ino)
    kubeconfig.chmod(0o640)
    assert refused(kubeconfig) == ["file/mode"]
    kubeconfig.chmod(0o600)
    link = kubeconfig.with_name("link-to-kubeconfig")
    link.symlink_to(kubeconfig)
    assert refused(link) == ["file/link"]
    assert refused(kubeconfig.with_name("none")) == ["file/io"]


def test_files_that_it_names_are_found_beside_it(plane: ControlPlane) -> None:
    leaf = plane.authority.issue_client("beside")
    plane.apply(binding("beside"))
    leaf.write(plane.folder, "beside")
    user = {"client-certificate": "beside.pem", "client-key": "beside.key"}
    cluster = {"certificate-authority-data": None, "certificate-authority": "ca.pem"}
    kubeconfig = plane.write_kubeconfig("kubeconfig-of-files", user, cluster)
    assert len(pharos.observe_cluster(kubeconfig)["cluster"]["nodes"]) == len(NODES)
    (plane.folder / "beside.key").unlink()
    assert refused(kubeconfig) == ["access/kubeconfig"]


def plugin(plane: ControlPlane, name: str, script: str) -> tuple[Path, str]:
    """A kubeconfig whose user's credentials come from a program; returns it with the program's name."""
    program = plane.folder / name
    program.write_text(f"#!/bin/sh\ntouch {program}.ran\n{script}\n")
    program.chmod(0o700)
    execute = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(program), "interactiveMode": "IfAvailable"}
    return plane.write_kubeconfig(f"kubeconfig-{name}", {"exec": execute}), str(program)


def test_a_plugin_runs_only_when_it_is_allowed_by_name(plane: ControlPlane) -> None:
    leaf = plane.authority.issue_client("plugged")
    plane.apply(binding("plugged"))
    status = {"clientCertificateData": leaf.fullchain_pem, "clientKeyData": leaf.key_pem}
    credential = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}
    answer = plane.folder / "credential.json"
    answer.write_text(json.dumps(credential))
    kubeconfig, name = plugin(plane, "login", f"cat {answer}")
    assert refused(kubeconfig) == ["access/exec-plugin"]
    assert refused(kubeconfig, allowed_plugin="login") == ["access/exec-plugin"]
    assert not Path(f"{name}.ran").exists()
    assert len(pharos.observe_cluster(kubeconfig, allowed_plugin=name)["cluster"]["nodes"]) == len(NODES)
    assert Path(f"{name}.ran").exists()
    assert {event.verb for event in plane.audit("plugged")} == {"get", "list"}


def test_a_plugin_that_fails_is_not_quoted(plane: ControlPlane) -> None:
    kubeconfig, name = plugin(plane, "broken-login", "echo hunter2; echo hunter2 >&2; exit 1")
    assert refused(kubeconfig, allowed_plugin=name) == ["access/exec-failed"]
    kubeconfig, name = plugin(plane, "chatty-login", "echo 'hunter2: ['")
    assert refused(kubeconfig, allowed_plugin=name) == ["access/exec-failed"]


def test_a_plugin_that_is_not_there_is_named(plane: ControlPlane) -> None:
    execute = {"apiVersion": "client.authentication.k8s.io/v1", "command": "login-of-nobody", "interactiveMode": "IfAvailable"}
    kubeconfig = plane.write_kubeconfig("kubeconfig-no-login", {"exec": execute})
    with pytest.raises(pharos.RejectedError) as caught:
        pharos.observe_cluster(kubeconfig, allowed_plugin="login-of-nobody")
    assert [each.code for each in caught.value.diagnostics] == ["access/exec-failed"]
    assert "`login-of-nobody`" in str(caught.value) and "not there" in str(caught.value)


def test_who_may_not_read_is_told_so(plane: ControlPlane) -> None:
    assert refused(plane.kubeconfig_for("stranger")) == ["access/denied"]
    assert refused(plane.write_kubeconfig("kubeconfig-token", {"token": "hunter2"})) == ["access/denied"]


def test_another_authority_is_not_trusted(plane: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> None:
    trusted = plane.folder / "ca.pem"
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))  # the machine's own trust takes no part
    other = Authority.create("another cluster")
    (plane.folder / "other-ca.pem").write_text(other.pem)
    user = plane.user_entry(plane.authority.issue_client("seer"))
    cluster = {"certificate-authority-data": None, "certificate-authority": "other-ca.pem"}
    assert refused(plane.write_kubeconfig("kubeconfig-other", user, cluster)) == ["access/unreachable"]
    elsewhere = {"server": f"https://localhost.localdomain:{plane.port}"}
    assert refused(plane.write_kubeconfig("kubeconfig-elsewhere", user, elsewhere)) == ["access/unreachable"]
    named = {"server": f"https://127.0.0.1:{plane.port}", "tls-server-name": "another.example"}
    assert refused(plane.write_kubeconfig("kubeconfig-named", user, named)) == ["access/unreachable"]


def test_the_environments_proxy_takes_no_part(plane: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("KUBE_RS_DEBUG_OVERRIDE_URL", "http://127.0.0.1:9")
    assert pharos.observe_cluster(planner(plane, "direct"))["cluster"]["uid"]


def test_no_answer_ends_in_time_and_lets_other_threads_run(plane: ControlPlane) -> None:
    kubeconfig = planner(plane, "waiter")
    api = plane.guard.pids["kube-apiserver"]
    os.kill(api, signal.SIGSTOP)
    try:
        assert refused(kubeconfig, timeout=1) == ["access/unreachable"]
        seen: list[dict[str, Any]] = []
        reader = threading.Thread(target=lambda: seen.append(pharos.observe_cluster(kubeconfig, timeout=60)))
        reader.start()  # this thread would not go on if the reader held the interpreter
    finally:
        os.kill(api, signal.SIGCONT)
    reader.join()
    assert len(seen[0]["cluster"]["nodes"]) == len(NODES)


def state_ceph(plane: ControlPlane, name: str) -> None:
    """Make a Ceph cluster with the status that Rook's operator would write, each field held against Rook's definition."""
    cluster = {
        "apiVersion": "ceph.rook.io/v1",
        "kind": "CephCluster",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"mon": {"count": 3}},
        "status": {
            "phase": "Ready",
            "ceph": {
                "fsid": "2f7a5d7e-7a0c-4d6e-9a51-0d1a6c1f6b1e",
                "health": "HEALTH_WARN",
                "versions": {"overall": {"ceph version 19.2.3": 3}},
            },
            "version": {"image": "quay.io/ceph/ceph:v19.2.3", "version": "19.2.3-0"},
        },
    }
    plane.apply(cluster)
    text = json.dumps(cluster)
    plane.kubectl("apply", "--server-side", "--validate=strict", "--subresource=status", "--filename=-", stdin=text)


def test_ceph_is_seen_where_rook_is(plane: ControlPlane) -> None:
    kubeconfig = planner(plane, "ceph-seer")
    install_ceph_cluster(plane)
    try:
        assert "ceph" not in pharos.observe_cluster(kubeconfig)
        state_ceph(plane, "rook-ceph")
        assert pharos.observe_cluster(kubeconfig)["ceph"] == {
            "fsid": "2f7a5d7e-7a0c-4d6e-9a51-0d1a6c1f6b1e",
            "health": "HEALTH_WARN",
            "phase": "Ready",
            "version": "19.2.3-0",
        }
        state_ceph(plane, "another")
        assert refused(kubeconfig) == ["access/several-ceph-clusters"]
    finally:
        plane.kubectl("delete", "crd", CEPH_CLUSTER)


def node_page(next_page: str, *names: str) -> str:
    items = [{"metadata": {"name": name, "uid": name}, "status": {"nodeInfo": {"kubeletVersion": "v1.33.1"}}} for name in names]
    return json.dumps({"metadata": {"continue": next_page} if next_page else {}, "items": items})


def test_a_list_whose_pages_expired_is_begun_anew(plane: ControlPlane) -> None:
    expired = json.dumps({"kind": "Status", "status": "Failure", "message": "expired", "reason": "Expired", "code": 410})
    answers = {
        "/version": [(200, '{"gitVersion": "v1.33.1"}')],
        "/api/v1/namespaces/kube-system": [(200, '{"metadata": {"uid": "u"}}')],
        "/api/v1/nodes?limit=500": [(200, node_page("a/b=", "gone")), (200, node_page("c", "n1"))],
        "/api/v1/nodes?limit=500&continue=a%2Fb%3D": [(410, expired)],
        "/api/v1/nodes?limit=500&continue=c": [(200, node_page("", "n2"))],
    }
    with pretender(plane.folder, plane.authority, answers) as api:
        server = {"server": f"https://127.0.0.1:{api.port}"}
        seen = pharos.observe_cluster(plane.write_kubeconfig("kubeconfig-pretender", {"token": "t"}, server))
    assert list(seen["cluster"]["nodes"]) == ["n1", "n2"]
    assert all(request.startswith("GET ") for request in api.asked)


BUSY = json.dumps({"kind": "Status", "status": "Failure", "reason": "TooManyRequests", "message": "busy", "code": 429})


def test_an_api_server_that_asks_to_come_back_later_is_asked_later(plane: ControlPlane) -> None:
    answers: Answers = {
        "/version": [(429, BUSY, {"retry-after": "1"}), (429, BUSY, {}), (200, '{"gitVersion": "v1.33.1"}', {})],
        "/api/v1/namespaces/kube-system": [(200, '{"metadata": {"uid": "u"}}', {})],
        "/api/v1/nodes?limit=500": [(200, node_page("", "n1"), {})],
    }
    with pretender(plane.folder, plane.authority, answers) as api:
        server = {"server": f"https://127.0.0.1:{api.port}"}
        seen = pharos.observe_cluster(plane.write_kubeconfig("kubeconfig-pretender", {"token": "t"}, server))
    assert list(seen["cluster"]["nodes"]) == ["n1"]
    assert api.asked.count("GET /version") == 3


@pytest.mark.parametrize(("later", "asked", "told"), [("1", 5, "5 times"), ("3600", 1, "once")])
def test_it_is_asked_a_bounded_number_of_times(plane: ControlPlane, later: str, asked: int, told: str) -> None:
    with pretender(plane.folder, plane.authority, {"/version": [(429, BUSY, {"retry-after": later})]}) as api:
        server = {"server": f"https://127.0.0.1:{api.port}"}
        with pytest.raises(pharos.RejectedError, match=f"after {later} s .429., and was asked {told}") as error:
            pharos.observe_cluster(plane.write_kubeconfig("kubeconfig-pretender", {"token": "t"}, server))
    assert error.value.report.exit_status == 3
    assert api.asked == ["GET /version"] * asked


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (500, '{"kind": "Status", "message": "etcdserver: request timed out", "code": 500}', "access/answer"),
        (200, "<html>a portal wants a login: hunter2</html>", "access/answer"),
        (200, '{"gitVersion": ["hunter2"]}', "access/answer"),
        (401, '{"kind": "Status", "message": "Unauthorized", "code": 401}', "access/denied"),
        (404, "nothing here", "access/answer"),
        (503, "{}", "access/answer"),
    ],
)
def test_what_is_no_answer_is_refused(plane: ControlPlane, status: int, body: str, code: str) -> None:
    with pretender(plane.folder, plane.authority, {"/version": [(status, body)]}) as api:
        server = {"server": f"https://127.0.0.1:{api.port}"}
        assert refused(plane.write_kubeconfig("kubeconfig-pretender", {"token": "t"}, server)) == [code]


def test_a_forward_is_verified_against_the_address_of_the_kubeconfig(plane: ControlPlane) -> None:
    user = plane.user_entry(plane.authority.issue_client("administrator", "system:masters"))
    named = plane.write_kubeconfig("kubeconfig-named-in-certificate", user, {"server": "https://kubernetes.default.svc:6443"})
    assert pharos.api_address(named) == "kubernetes.default.svc:6443"
    assert refused(named) == ["access/unreachable"]
    assert pharos.observe_cluster(named, forward=plane.port)["cluster"]["uid"]
    other = plane.write_kubeconfig("kubeconfig-of-another-name", user, {"server": "https://elsewhere.example:6443"})
    assert refused(other, forward=plane.port) == ["access/unreachable"]


def test_only_a_file_that_may_be_missing_is(plane: ControlPlane) -> None:
    missing = plane.folder / "absent" / "kubeconfig"
    assert pharos.observe_cluster(missing, may_be_missing=True) == {}
    assert refused(missing) == ["file/io"]
