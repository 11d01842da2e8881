"""The control plane of the test bed: what other tests stand on works as they take it to."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from bed.commands import run
from bed.paths import cache
from bed.waiting import until
from cluster.control_plane import ControlPlane
from cluster.nodes import NodeSpec, register, wait_ready
from cluster.tools import TOOLS, program

TESTS = Path(__file__).resolve().parent


@pytest.mark.cluster
def test_programs_are_of_the_pinned_releases() -> None:
    kubernetes = next(tool for tool in TOOLS if tool.name == "kubernetes")
    assert run([program("kube-apiserver"), "--version"]).stdout.strip() == f"Kubernetes {kubernetes.version}"
    assert run([program("etcd"), "--version"]).stdout.startswith("etcd Version: 3.")
    assert run([program("helm"), "version", "--short"]).stdout.startswith("v3.")


@pytest.mark.cluster
def test_kwok_makes_nodes_ready_and_keeps_what_they_said(session_cluster: ControlPlane) -> None:
    register(session_cluster, [NodeSpec("bed-1", "10.0.0.1", kubelet="v1.32.7", ready=False, labels={"storage-node": "True"})])
    try:
        wait_ready(session_cluster, 1)
        said = session_cluster.kubectl("get", "node", "bed-1", "--output", "jsonpath={.status.nodeInfo.kubeletVersion}").stdout
        assert said == "v1.32.7"
    finally:
        session_cluster.kubectl("delete", "node", "bed-1")


@pytest.mark.cluster
def test_controllers_run_and_helm_installs(session_cluster: ControlPlane, tmp_path: Path) -> None:
    chart = tmp_path / "chart"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: probe\nversion: 0.1.0\n")
    (chart / "templates" / "settings.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n")
    helm: list[str | Path] = [program("helm"), f"--kubeconfig={session_cluster.kubeconfig}", "--namespace=probe"]
    run([*helm, "install", "probe", chart, "--create-namespace", "--wait"])
    names = ["get", "configmaps", "--namespace=probe", "--output=name"]
    assert "configmap/settings" in session_cluster.kubectl(*names).stdout.split()
    until(
        lambda: "configmap/kube-root-ca.crt" in session_cluster.kubectl(*names).stdout.split(),
        "the controller manager gives the namespace the authority's certificate",
    )
    session_cluster.kubectl("delete", "namespace", "probe", "--wait")  # the controller manager empties it


@pytest.mark.cluster
def test_the_audit_log_has_what_users_ask_and_nothing_of_the_control_plane(session_cluster: ControlPlane) -> None:
    asking = session_cluster.kubeconfig_for("bed-asker", "system:masters")
    run([program("kubectl"), f"--kubeconfig={asking}", "get", "--raw=/api/v1/namespaces?limit=1"])
    asked = session_cluster.audit("bed-asker")
    assert [(event.verb, event.uri, event.code) for event in asked] == [("list", "/api/v1/namespaces?limit=1", 200)]
    assert session_cluster.audit("system:kube-controller-manager") == []


@pytest.mark.cluster
@pytest.mark.parametrize("killed", ["caller", "guard"])
def test_a_killed_run_leaves_neither_processes_nor_files(killed: str) -> None:
    program("kwok")
    script = """
        import sys, time
        from pathlib import Path
        from cluster.control_plane import control_plane
        with control_plane(parent=Path(sys.argv[1])) as plane:
            print(plane.guard.pid, *plane.guard.pids.values(), plane.folder, flush=True)
            sys.stdin.read()
    """
    argv = [sys.executable, "-c", dedent(script), str(cache() / "clusters")]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=TESTS, text=True) as caller:
        assert caller.stdin
        assert caller.stdout
        *pids, folder = caller.stdout.readline().split()
        assert Path(folder).is_dir()
        if killed == "caller":
            caller.kill()
        else:
            os.kill(int(pids[0]), signal.SIGKILL)
            caller.stdin.close()
    until(lambda: not any(_runs(int(pid)) for pid in pids), "every program has ended")
    until(lambda: not Path(folder).exists(), "the folder is gone")


def _runs(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
