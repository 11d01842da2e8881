"""The mesh and its routes in a real API server, from Istio's own charts by real Helm; and a node's preflight on booted hosts.

No pod runs: KWOK stands for kubelets, `cluster.attendant` for the scheduler and for what webhooks would ask.
"""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

import pharos
from bed.commands import Result, run
from bed.hosts import Host
from bed.paths import cache
from bed.pki import Authority
from bed.waiting import until
from bed.world import World
from cluster.attendant import Attendant, attendant
from cluster.control_plane import ControlPlane, control_plane
from cluster.istio import package_charts
from cluster.nodes import NodeSpec, register
from cluster.tools import program as tool
from edgebed.playbook import REPOSITORY, Playbook, program

RELEASES = ["istio-base", "istiod", "istio-cni", "istio-ingressgateway"]
NODE = {
    "name": "box",
    "cni_binaries": "/var/lib/pharos-metallo/k3s/data/cni",
    "cni_configuration": "/var/lib/pharos-metallo/k3s/agent/etc/cni/net.d",
}
MOVED = {"mesh_nodes": [NODE | {"cni_binaries": "/opt/cni/bin"}], "mesh_images": "mirror.example.org/istio"}
"""New images and another folder of CNI."""

POLICY = REPOSITORY / "environments" / "devbox" / "policy.yaml"
_PREPARE = """
- hosts: all
  gather_facts: false
  become: true
  tasks:
    - ansible.builtin.import_role: {name: mesh, tasks_from: node}
    - name: Show what was found
      ansible.builtin.debug: {var: mesh_node}
"""


@dataclass
class Site:
    """A cluster whose pods become ready, and Istio's charts."""

    plane: ControlPlane
    helper: Attendant
    charts: Path

    def play(self, name: str, *arguments: str, **variables: Any) -> Result:
        """Run a playbook of the repository where the operator would."""
        return run(self._words(name, *arguments, **variables), check=False, environment=self._environment(), cwd=REPOSITORY)

    def begin(self, name: str, **variables: Any) -> "subprocess.Popen[str]":
        """Start one."""
        return subprocess.Popen(
            self._words(name, **variables),
            env={**os.environ, **self._environment()},
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def mesh(self, *arguments: str, **variables: Any) -> Result:
        """Run `mesh.yml`; the nodes were looked at."""
        return self.play("mesh.yml", *arguments, **self.mesh_variables(**variables))

    def mesh_variables(self, **others: Any) -> dict[str, Any]:
        """What `mesh.yml` is given."""
        given = {"mesh_policy_file": str(POLICY), "mesh_charts": str(self.charts), "mesh_nodes": [NODE]}
        return given | {"mesh_kubeconfig": str(self.plane.kubeconfig), "mesh_helm": str(tool("helm"))} | others

    def routes(self, *arguments: str, **variables: Any) -> Result:
        """Run `routes.yml`; the Applications are still to come."""
        given = {"gateway_routes_policy_file": str(POLICY), "gateway_routes_kubeconfig": str(self.plane.kubeconfig)}
        given |= {"gateway_routes_helm": str(tool("helm"))}
        stages = {"gateway_routes_stages_done": ["kubernetes", "storage", "mesh"]}
        return self.play("routes.yml", *arguments, **(given | stages | variables))

    def helm(self, *words: str) -> Any:
        """What Helm answers."""
        return json.loads(self.helm_says(*words, "--output=json"))

    def helm_says(self, *words: str) -> str:
        """What Helm says to people."""
        where = (f"--kubeconfig={self.plane.kubeconfig}", "--namespace=istio-system")
        return run([tool("helm"), *words, *where]).stdout

    def revisions(self) -> dict[str, int]:
        """The revision of each release; all of them stand."""
        listed = self.helm("list", "--all")
        assert {each["status"] for each in listed} <= {"deployed"}, listed
        return {each["name"]: int(each["revision"]) for each in listed}

    @staticmethod
    def _words(name: str, *arguments: str, **variables: Any) -> list[str]:
        path = str(REPOSITORY / "playbooks" / name)
        return [program("ansible-playbook"), "-i", "localhost,", "-e", json.dumps(variables), *arguments, path]

    def _environment(self) -> dict[str, str]:
        folders = (str(tool("kubectl").parent), str(Path(program("ansible-playbook")).parent), os.environ["PATH"])
        return {
            "ANSIBLE_CONFIG": str(REPOSITORY / "ansible.cfg"),
            "ANSIBLE_FORCE_COLOR": "0",
            # what kubectl and helm keep between two runs
            "HOME": str(self.charts.parent),
            "PATH": os.pathsep.join(folders),
        }


def recap(result: Result) -> tuple[int, int]:
    """How many tasks changed something, and how many failed."""
    line = next(line for line in result.stdout.splitlines() if line.startswith("localhost "))
    counts = dict(word.split("=") for word in line.split(":")[1].split())
    return int(counts["changed"]), int(counts["failed"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A cluster of this module's own, for Istio's kinds are Helm's here; the mesh is installed in it."""
    (version,) = re.findall(r'ISTIO: &str = "(.+)"', (REPOSITORY / "core/src/mesh/component.rs").read_text())
    charts = package_charts(tmp_path_factory.mktemp("charts"), version)
    with control_plane(parent=cache() / "clusters") as plane:
        register(plane, [NodeSpec(NODE["name"], "10.42.0.2")])
        with attendant(plane, NODE["name"]) as helper:
            yield Site(plane, helper, charts)


@pytest.mark.cluster
def test_the_mesh_is_installed_in_its_order_and_then_left_alone(site: Site) -> None:
    # a proxy would be put into an application at its next restart
    site.plane.kubectl("label", "namespace", "default", "istio-injection=enabled")
    assert "mesh/namespace-injected" in site.mesh().stdout
    site.plane.kubectl("label", "namespace", "default", "istio-injection-")
    dry = site.mesh("--check")
    assert recap(dry) == (4, 0), dry.stdout
    assert site.helm("list", "--all") == []

    first = site.mesh()
    assert recap(first) == (4, 0), first.stdout
    assert site.revisions() == dict.fromkeys(RELEASES, 1)
    times = {name: site.helm("status", name)["info"]["first_deployed"] for name in RELEASES}
    assert sorted(RELEASES, key=lambda name: times[name]) == RELEASES
    # what the routes and policies rely on is what Istio's own chart makes of the values
    said = site.plane.kubectl("get", "configmap", "istio", "--namespace=istio-system", "--output=jsonpath={.data.mesh}").stdout
    rendered = pharos.gateway_render(
        *((name, (REPOSITORY / name).read_text()) for name in ("catalogue/services.yaml", "environments/devbox/policy.yaml"))
    )["mesh_config"]
    configured = yaml.safe_load(said)
    assert configured["pathNormalization"] == rendered["pathNormalization"]
    assert configured["defaultConfig"]["gatewayTopology"] == {"numTrustedProxies": 1}
    assert configured["accessLogFormat"] == rendered["accessLogFormat"]
    mounts = site.plane.kubectl("get", "daemonset", "istio-cni-node", "--namespace=istio-system", "--output=json").stdout
    paths = {each.get("hostPath", {}).get("path") for each in json.loads(mounts)["spec"]["template"]["spec"]["volumes"]}
    assert {NODE["cni_binaries"], NODE["cni_configuration"]} <= paths
    ready = site.plane.kubectl("get", "daemonset", "istio-ingressgateway", "--namespace=istio-system", "--output=json").stdout
    assert json.loads(ready)["status"]["numberReady"] == 1
    services = site.plane.kubectl("get", "services", "--all-namespaces", "--output=json").stdout
    assert [each for each in json.loads(services)["items"] if each["spec"]["type"] != "ClusterIP"] == []

    assert recap(site.mesh()) == (0, 0)
    assert site.revisions() == dict.fromkeys(RELEASES, 1)


def states(site: Site, release: str) -> list[str]:
    """The state of each revision."""
    return [each["status"] for each in site.helm("history", release)]


def pending(site: Site, release: str) -> bool:
    """Whether the first revision of a release waits."""
    listed = {each["name"]: each["status"] for each in site.helm("list", "--all")}
    return listed.get(release) == "pending-install"


def applying(plane: ControlPlane) -> int:
    """The process of a Helm that installs or upgrades in this cluster."""
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if words and words[0] == str(tool("helm")) and "upgrade" in words and f"--kubeconfig={plane.kubeconfig}" in words:
            return int(entry.name)
    raise LookupError("no Helm installs or upgrades")


@pytest.mark.cluster
def test_what_differs_alone_is_upgraded_and_a_killed_helm_is_taken_up_again(site: Site) -> None:
    # control plane and CNI differ, and nothing becomes ready
    site.helper.binds.clear()
    given = site.mesh_variables(**MOVED)
    child = site.begin("mesh.yml", **given)
    until(lambda: states(site, "istiod")[-1] == "pending-upgrade", "an upgrade waits", seconds=120, pause=0.5)
    os.kill(applying(site.plane), signal.SIGKILL)
    said, _ = child.communicate()
    assert "release/not-applied" in said
    assert "revision 2 is pending-upgrade" in said

    site.helper.binds.set()
    resumed = site.play("mesh.yml", **given)
    assert resumed.ok, resumed.stdout
    # rolled back to what stood, then upgraded
    assert states(site, "istiod") == ["superseded", "pending-upgrade", "superseded", "deployed"]
    assert site.helm("get", "values", "istiod")["global"]["hub"] == "mirror.example.org/istio"
    assert site.revisions() == dict.fromkeys(RELEASES, 1) | {"istiod": 4, "istio-cni": 2}


@pytest.mark.cluster
def test_a_first_installation_that_was_killed_is_removed_and_done_again(site: Site) -> None:
    site.helm_says("uninstall", "istiod", "--wait")
    # no pod is placed, and Helm waits for a Deployment's: of a DaemonSet it lets one be missing, which here is all of them
    site.helper.binds.clear()
    child = site.begin("mesh.yml", **site.mesh_variables(**MOVED))
    until(lambda: pending(site, "istiod"), "an installation waits", seconds=120, pause=0.5)
    os.kill(applying(site.plane), signal.SIGKILL)
    said, _ = child.communicate()
    assert "release/not-applied" in said
    assert "revision 1 is pending-install" in said

    site.helper.binds.set()
    resumed = site.mesh(**MOVED)
    assert resumed.ok, resumed.stdout
    assert states(site, "istiod") == ["deployed"]
    assert recap(site.mesh(**MOVED)) == (0, 0)


@pytest.mark.cluster
def test_routes_are_one_release_and_a_refused_one_is_rolled_back(site: Site, tmp_path: Path) -> None:
    # documents and release are judged before the trust is published; and a dry run says all that a run then does
    applications = {"gateway_routes_stages_done": ["kubernetes", "storage", "mesh", "edge", "argo"]}
    metadata = {"namespace": "pharos", "name": "site-api-trust"}
    data = {"ca.crt": Authority.create("site api").pem}
    site.plane.kubectl("create", "namespace", "pharos")
    site.plane.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    unfit = tmp_path / "policy.yaml"
    unfit.write_text(POLICY.read_text().replace("profiles:", "pharso: []\nprofiles:", 1))
    published = ("get", "configmap,secret", "--namespace=istio-system", "--selector=pharos.platform/trust", "--output=name")
    for fault, words in (
        ({"gateway_routes_policy_file": str(unfit)}, "`pharso`"),
        ({"gateway_routes_helm": "/nowhere/helm"}, "the program was not found"),
    ):
        refused = site.routes(**applications, **fault)
        assert recap(refused) == (0, 1) and words in refused.stdout, refused.stdout
        assert site.plane.kubectl(*published).stdout == ""
    dry = site.routes("--check", **applications)
    assert site.plane.kubectl(*published).stdout == ""
    first = site.routes(**applications)
    assert recap(first) == recap(dry) and recap(first)[0] >= 2, dry.stdout + first.stdout
    assert len(site.plane.kubectl(*published).stdout.split()) == 2
    assert site.revisions()["routes"] == 1
    site.plane.kubectl("delete", "configmap", "site-api-trust", "--namespace=pharos")
    service = site.plane.kubectl("get", "service", "platform", "--namespace=istio-system", "--output=json").stdout
    spec = json.loads(service)["spec"]
    assert (spec["externalTrafficPolicy"], spec["ports"][0]["nodePort"]) == ("Local", 30088)
    assert recap(site.routes()) == (0, 0)
    assert site.revisions()["routes"] == 1

    # the Applications are there, and what they bring is not
    assert "trust/not-published" in site.routes(**applications).stdout

    # the API server refuses a part of the next release
    broken = tmp_path / "routes"
    shutil.copytree(REPOSITORY / "charts" / "routes", broken)
    (broken / "templates" / "broken.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: broken, namespace: absent}\n"
    )
    refused = site.routes(gateway_routes_chart=str(broken))
    assert recap(refused)[1] == 1
    assert "release/not-applied" in refused.stdout
    assert "stands again, as revision 3" in refused.stdout
    assert 'namespaces "absent" not found' in refused.stdout
    assert site.revisions()["routes"] == 3


@pytest.mark.hosts
def test_a_node_has_its_limits_raised_and_higher_ones_stay(
    session_world: World, bookworm: Host, trixie: Host, tmp_path: Path
) -> None:
    path = tmp_path / "node.yml"
    path.write_text(_PREPARE)
    playbook = Playbook(session_world.bed, tmp_path, bookworm, trixie, playbook=path)
    hosts = (bookworm, trixie)
    limits = {"bookworm": (128, 192536), "trixie": (8192, 1048576)}
    for host in hosts:
        # The kernel's own are those of this machine: these are a folder in their place.
        instances, watches = limits[host.name]
        host.run(
            "mkdir /run/inotify && cd /run/inotify && echo 16384 > max_queued_events && "
            f"echo {instances} > max_user_instances && echo {watches} > max_user_watches && "
            "mount --bind /run/inotify /proc/sys/fs/inotify"
        )
    try:
        # no containerd yet, and then one whose folders are not there
        assert set(map(tuple, playbook.run({}, check=False).codes().values())) == {("mesh/no-containerd",)}
        bookworm.run("mkdir -p /var/lib/pharos-metallo/k3s/agent/etc/containerd/config.toml.d")
        folder = "/var/lib/pharos-metallo/k3s/agent/etc/containerd"
        bookworm.put('version = 2\nimports = ["config.toml.d/*.toml"]\n', f"{folder}/config.toml")
        bookworm.put(
            '[plugins."io.containerd.grpc.v1.cri".cni]\n  bin_dir = "/var/lib/pharos-metallo/k3s/data/cni"\n',
            f"{folder}/config.toml.d/cni.toml",
        )
        trixie.run("mkdir -p /etc/containerd /opt/cni/bin /etc/cni/net.d && touch /etc/containerd/config.toml")
        assert playbook.run({}, check=False).codes() == {"bookworm": ["mesh/cni-folder", "mesh/cni-folder"]}
        bookworm.run("mkdir -p /var/lib/pharos-metallo/k3s/data/cni /etc/cni/net.d; rm -f /etc/sysctl.d/10-pharos-mesh.conf")

        kept = "/etc/sysctl.d/10-pharos-mesh.conf"
        dry = playbook.run({}, "--check", "--diff")
        assert dry.changed(bookworm)
        assert not bookworm.run(f"test -e {kept}", check=False).ok
        assert playbook.run({}).changed(bookworm)
        assert bookworm.run("cat /proc/sys/fs/inotify/max_user_*").stdout.split() == ["1024", "524288"]
        assert trixie.run("cat /proc/sys/fs/inotify/max_user_*").stdout.split() == ["8192", "1048576"]
        assert "fs.inotify.max_user_watches = 524288\n" in bookworm.get(kept)
        assert "fs.inotify.max_user_watches = 1048576\n" in trixie.get(kept)
        assert bookworm.run(f"stat -c '%a %U' {kept}").stdout == "644 root\n"
        again = playbook.run({})
        assert again.changed() == []
        found = next(each["result"]["mesh_node"] for each in again.events if "mesh_node" in each["result"])
        assert found["cni_binaries"] in ("/var/lib/pharos-metallo/k3s/data/cni", "/opt/cni/bin")

        # somebody raises them, and a file lowers them at the next boot
        bookworm.run("echo 4096 > /proc/sys/fs/inotify/max_user_instances")
        bookworm.put("fs.inotify.max_user_instances = 256\n", "/etc/sysctl.d/50-other.conf")
        warned = playbook.run({})
        assert "mesh/limit-lowered" in warned.result.stdout + warned.result.stderr
        assert "fs.inotify.max_user_instances = 4096\n" in bookworm.get(kept)
    finally:
        for host in hosts:
            host.run("umount /proc/sys/fs/inotify", check=False)
