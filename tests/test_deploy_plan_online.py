"""``deploy-plan`` that looks at the site: against the real API server, with a double of ssh that answers as hosts do."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bed.paths import cache
from bed.waiting import until
from cluster.control_plane import ControlPlane, control_plane
from cluster.nodes import NodeSpec, forget_all, register
from sites import inventories
from sites.site import ROOT, Site

pytestmark = pytest.mark.cluster

# Real ssh is what tests/test_observe_hosts.py is about.
SSH = r"""#!/bin/sh
# A double of ssh: no host is behind it. It notes whom it was asked for, and answers as a host does or leads on.
leads=
while [ "$1" != -- ]; do
  [ "$1" = -W ] && leads=$2
  shift
done
host=$2
echo "$host ${leads:+leads}" >>"${0%/*}/asked"
if [ -n "$leads" ] && [ -e "${0%/*}/leads-nowhere" ]; then
  cat "${0%/*}/leads-nowhere" >&2
  exit 255
fi
case "$*" in *lsblk*) exec cat "${0%/*}/devices-$host" ;; esac
[ -n "$leads" ] && exec PYTHON -I "${0%/*}/lead.py" "${leads%:*}" "${leads##*:}"
IFS=.
set -- $host
printf '/etc/machine-id:%08d%08d%08d%08d\n' "$1" "$2" "$3" "$4"
echo '/etc/os-release:PRETTY_NAME="Debian GNU/Linux 13 (trixie)"'
echo /proc/sys/kernel/arch:x86_64
echo /proc/sys/fs/inotify/max_user_instances:8192
echo /proc/sys/fs/inotify/max_user_watches:1048576
""".replace("PYTHON", sys.executable)

LEAD = """
import os, selectors, socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as there, selectors.SelectSelector() as ready:
    ready.register(there, selectors.EVENT_READ)
    ready.register(0, selectors.EVENT_READ)
    while True:
        for key, _ in ready.select():
            data = there.recv(65536) if key.fileobj is there else os.read(0, 65536)
            if not data:
                sys.exit()
            if key.fileobj is there:
                os.write(1, data)
            else:
                there.sendall(data)
"""


def machine(address: str) -> str:
    """The id of the machine at an address, as the double of ssh states it."""
    return "".join(f"{int(part):08}" for part in address.split("."))


class Online:
    """A site whose plan is not offline."""

    def __init__(self, site: Site, plane: ControlPlane) -> None:
        """Give it a kubeconfig of the control plane, and the double of ssh."""
        self.site = site
        self.plane = plane
        self.user = f"planner-{site.home.name}"
        self.double = site.home / "double"
        self.double.mkdir()
        (self.double / "lead.py").write_text(LEAD)
        (self.double / "ssh").write_text(SSH)
        (self.double / "ssh").chmod(0o755)
        self.site.put("admin/kubeconfig", plane.kubeconfig_for(self.user, "system:masters").read_text())

    def asked(self) -> set[str]:
        """Whom ssh was asked for."""
        path = self.double / "asked"
        return {line.split()[0] for line in path.read_text().splitlines()} if path.exists() else set()

    def plan(self, status: int, **variables: str) -> tuple[dict[str, Any], str]:
        """The recorded plan, and what was printed."""
        path = f"{self.double}:{self.site.environ()['PATH']}"
        done = self.site.plan(ROOT, OFFLINE="", PATH=path, **variables)
        said = done.stdout + done.stderr
        assert done.returncode == status, said
        assert "hunter2" not in said
        written = [path.read_text() for path in self.site.state.rglob("*") if path.is_file()]
        assert not any("hunter2" in text or "PRIVATE KEY" in text for text in written)
        newest = max((self.site.state / "plans").glob("*.json"), key=lambda each: each.stat().st_mtime_ns)
        return json.loads(newest.read_text(encoding="utf-8")), said


def refusals(said: str) -> list[str]:
    return re.findall(r"^\s*error\[([a-z/-]+)\]", said, re.MULTILINE)


@pytest.fixture
def home() -> Iterator[Path]:
    """An operator's home: no other user may change what is above it."""
    path = cache() / "clusters" / f"home-{time.monotonic_ns()}"
    path.mkdir(mode=0o700, parents=True)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def online(home: Path, session_cluster: ControlPlane) -> Iterator[Online]:
    """The three-node laboratory, whose nodes are in the cluster."""
    site = inventories.laboratory(Site(home, "icaruscloudlab"))
    addresses = [f"192.0.2.{11 + at}" for at in range(3)]
    labels = {"storage-node": "True", "storage-control": "True"}
    nodes = [
        NodeSpec(f"lab{at + 1}", address, machine_id=machine(address), labels=labels) for at, address in enumerate(addresses)
    ]
    register(session_cluster, nodes)
    yield Online(site, session_cluster)
    forget_all(session_cluster)


def test_a_site_is_seen_and_left_as_it_is(online: Online) -> None:
    plan, said = online.plan(0)
    assert plan["offline"] is False
    assert "cluster" not in plan["unseen"] and "hosts" not in plan["unseen"]
    assert plan["observations"]["cluster"]["version"] == "v1.33.13"
    assert {name: host["machine_id"] for name, host in plan["observations"]["hosts"].items()} == {
        f"lab{at}": machine(f"192.0.2.{10 + at}") for at in (1, 2, 3)
    }
    assert online.asked() == {"192.0.2.11", "192.0.2.12", "192.0.2.13"}, "a switch is never contacted"
    assert {event.verb for event in online.plane.audit(online.user)} == {"get", "list"}
    assert refusals(said) == []
    seen = {one["use"]: one for one in plan["certificates"]}
    assert list(seen) == ["cluster_authority", "administrator", "api_server"], "as they come into sight"
    assert online.user in seen["administrator"]["subject"]
    assert {one["issuer"] for one in seen.values()} == {seen["cluster_authority"]["subject"]}
    assert seen["cluster_authority"]["days_left"] > seen["administrator"]["days_left"] >= 0
    assert re.search(r"authority of the cluster +1 day left", said), said
    assert "plan/labels-differ" not in said
    assert not any("lsblk" in line for line in (online.double / "asked").read_text().splitlines())


def test_another_site_is_refused_with_every_difference(online: Online) -> None:
    online.plane.kubectl("delete", "node", "lab3")
    register(online.plane, [NodeSpec("stray", "192.0.2.99"), NodeSpec("lab3-new", "192.0.2.13", kubelet="v1.34.1")])
    expected = "00000000-0000-4000-8000-0000000000aa"
    text = inventories.LABORATORY.replace("lab1: {", f"lab1: {{pharos_expected_cluster_uid: {expected}, ")
    online.site.put("inventory/hosts.yml", text)
    _, said = online.plan(1)
    for code, words in (
        ("plan/other-cluster", "pharos_expected_cluster_uid"),
        ("plan/kubelet-skew", "v1.34.1"),
        ("plan/nodes-differ", "lab3"),
        ("plan/nodes-differ", "stray"),
    ):
        assert code in said
        assert words in said
    assert expected not in said, "what is expected is private"


def test_an_api_that_gives_no_answer_and_a_plugin_are_refusals_of_the_plan(online: Online) -> None:
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "hunter2-login"}}
    online.site.put("admin/kubeconfig", online.plane.write_kubeconfig("kubeconfig-exec", user).read_text())
    plan, said = online.plan(1)
    assert "access/exec-plugin" in said
    assert "cluster" in plan["unseen"]
    assert "PHAROS_KUBECONFIG_PLUGIN=" in said, "how it is allowed"
    assert online.asked(), "the hosts are read all the same"
    online.site.put("admin/kubeconfig", online.plane.kubeconfig.read_text().replace(str(online.plane.port), "9"))
    assert "access/unreachable" in online.plan(3)[1]


def test_labels_and_taints_of_nodes_are_held_against_the_inventory(online: Online) -> None:
    online.plane.kubectl("label", "node", "lab2", "storage-node-", "rack=a")
    online.plane.kubectl("label", "node", "lab3", "storage-control=true", "pharos.platform/services=true", "--overwrite")
    online.plane.kubectl("taint", "node", "lab3", "dedicated=batch:NoExecute")
    plan, said = online.plan(0)
    assert plan["observations"]["cluster"]["nodes"]["lab2"]["labels"] == {"rack": "a", "storage-control": "True"}
    found = {(each["message"], each["places"][0]) for each in plan["findings"] if each["code"].endswith("s-differ")}
    assert found == {
        ("label `storage-node=True` of the inventory is missing", "node lab2"),
        ("label `storage-control` is `true`, and `True` in the inventory", "node lab3"),
        ("label `pharos.platform/services=true` is not in the inventory", "node lab3"),
        ("taint `dedicated=batch:NoExecute` is not in the inventory", "node lab3"),
    }
    assert "kubectl label" in said


DEVICE = "/dev/disk/by-id/virtio-osd0"  # a name that a hypervisor gives, the same in every machine


def disk(online: Online, host: str, **block: Any) -> None:
    """What the double of a host answers about its one device."""
    listed = {"kname": "sdb", "path": "/dev/sdb", "type": "disk", "size": 2000398934016, "fstype": None, "mountpoints": [None]}
    answer = f"{DEVICE} ../../sdb\n" + json.dumps({"blockdevices": [listed | block]})
    (online.double / f"devices-{host}").write_text(answer)


def test_a_fresh_site_has_no_kubeconfig_yet(online: Online) -> None:
    (online.site.private / "admin/kubeconfig").unlink()
    plan, said = online.plan(1)
    assert set(refusals(said)) == {"inventory/no-devices"}, "an installation writes to devices: each host names its own"
    online.site.put("inventory/group_vars/kube_node.yml", inventories.STORAGE + f"storage_devices: [{DEVICE}]\n")
    for host in ("192.0.2.11", "192.0.2.12", "192.0.2.13"):
        disk(online, host)
    plan, said = online.plan(0)
    assert "cluster" in plan["unseen"]
    found = plan["observations"]["hosts"]["lab2"]["devices"]
    assert found == {DEVICE: {"path": "/dev/sdb", "kind": "disk", "bytes": 2000398934016}}
    assert "/dev/sdb, 1.8 TiB, free" in said
    _, said = online.plan(3, KUBECONFIG=str(online.site.private / "admin/kubeconfig"))
    assert "file/io" in said, "one that is named has to be there"
    assert "/dev/sdb" not in said, "who cannot see the API does not know that nothing is installed"


def test_a_site_that_is_expected_is_never_a_fresh_one(online: Online) -> None:
    (online.site.private / "admin/kubeconfig").unlink()
    expected = "00000000-0000-4000-8000-0000000000aa"
    for variable in ("pharos_expected_cluster_uid", "pharos_expected_ceph_fsid"):
        text = inventories.LABORATORY.replace("lab1: {", f"lab1: {{{variable}: {expected}, ")
        online.site.put("inventory/hosts.yml", text)
        plan, said = online.plan(1)
        assert refusals(said) == ["plan/unconfirmed-identity"], "and nothing of what a fresh one needs"
        assert variable in said and expected not in said
        assert plan["layers"][0]["state"] == "undecided"
    assert "lsblk" not in (online.double / "asked").read_text()


def test_a_site_of_which_nothing_was_seen_is_not_fresh(online: Online) -> None:
    (online.site.private / "admin/kubeconfig").unlink()
    (online.double / "ssh").write_text("#!/bin/sh\n# A double of ssh that reaches nothing.\nexit 255\n")
    plan, said = online.plan(3)
    assert set(refusals(said)) == {"access/host-unreachable"}, "no device is asked for"
    assert plan["layers"][0]["state"] == "undecided"


def test_a_host_whose_connection_lacks_a_variable_is_not_contacted(online: Online) -> None:
    vault = "$ANSIBLE_VAULT;1.2;AES256;elsewhere\n" + "61" * 40
    lines = "".join(f"\n          {line}" for line in vault.splitlines())
    text = inventories.LABORATORY.replace("lab2: {", 'lab2: {ansible_user: "{{ hunter2_of_nobody }}", ')
    text = text.replace(
        "    lab3: {ansible_host: 192.0.2.13}\n",
        f"    lab3:\n      ansible_host: 192.0.2.13\n      ansible_port: !vault |{lines}\n",
    )
    online.site.put("inventory/hosts.yml", text)
    plan, said = online.plan(1)
    assert online.asked() == {"192.0.2.11"}
    assert plan["observations"]["hosts"].keys() == {"lab1"}
    found = {each["code"]: each for each in plan["findings"] if each["code"].startswith("ansible/")}
    assert set(found) == {"ansible/undefined", "ansible/vault-variable"}, said
    for code, host, variable, line in (("undefined", "lab2", "ansible_user", 4), ("vault-variable", "lab3", "ansible_port", 7)):
        finding = found[f"ansible/{code}"]
        assert f"`{variable}` of `{host}`" in finding["message"]
        assert f"hosts.yml:{line}:" in finding["places"][0]
    assert "hunter2_of_nobody" not in said and "616161" not in said


def test_a_primary_whose_connection_lacks_a_variable_leads_nowhere(online: Online) -> None:
    text = inventories.LABORATORY.replace("lab1: {", 'lab1: {pharos_api_access: ssh, ansible_user: "{{ hunter2_of_nobody }}", ')
    online.site.put("inventory/hosts.yml", text)
    plan, said = online.plan(1)
    assert refusals(said) == ["ansible/undefined"]
    assert online.asked() == {"192.0.2.12", "192.0.2.13"}
    assert "cluster" in plan["unseen"]


def test_a_fresh_installation_takes_no_device_that_is_not_free(online: Online) -> None:
    (online.site.private / "admin/kubeconfig").unlink()
    online.site.put("inventory/group_vars/kube_node.yml", inventories.STORAGE + f"storage_devices: [{DEVICE}]\n")
    disk(online, "192.0.2.11", fstype="ext4", mountpoints=["/srv"])
    disk(online, "192.0.2.12", kname="sda", path="/dev/sda")
    (online.double / "devices-192.0.2.13").write_text("sh: lsblk: not found\n")
    plan, said = online.plan(1)
    assert sorted(refusals(said)) == ["access/host-answer", "plan/device-in-use", "plan/device-missing"]
    assert "is used by /srv" in said
    assert "devices" not in plan["observations"]["hosts"]["lab3"]


def test_the_api_is_reached_by_way_of_the_primary(online: Online) -> None:
    text = inventories.LABORATORY.replace("lab1: {ansible_host", "lab1: {pharos_api_access: ssh, ansible_host")
    online.site.put("inventory/hosts.yml", text)
    before = (online.site.private / "admin/kubeconfig").read_text()
    plan, _ = online.plan(0)
    assert plan["observations"]["cluster"]["version"] == "v1.33.13"
    assert "192.0.2.11 leads" in (online.double / "asked").read_text()
    assert (online.site.private / "admin/kubeconfig").read_text() == before


def test_a_primary_that_leads_nowhere_is_a_refusal_of_the_plan(online: Online) -> None:
    text = inventories.LABORATORY.replace("lab1: {ansible_host", "lab1: {pharos_api_access: ssh, ansible_host")
    online.site.put("inventory/hosts.yml", text)
    complaint = "hunter2: channel 0: open failed: administratively prohibited: open failed\nstdio forwarding failed\n"
    (online.double / "leads-nowhere").write_text(complaint)
    plan, said = online.plan(1)
    assert refusals(said) == ["access/no-forward"]
    (finding,) = (each for each in plan["findings"] if each["code"] == "access/no-forward")
    assert "its sshd forwards nothing" in finding["message"]
    assert finding["places"][0].split(": ")[0].endswith("hosts.yml:3:12")
    assert plan["observations"]["hosts"].keys() == {"lab1", "lab2", "lab3"}, "the hosts are read all the same"
    online.site.put("inventory/hosts.yml", text.replace("lab1: {", "lab1: {ansible_connection: winrm, "))
    assert "its connection is not ssh" in online.plan(3)[1], "a host that cannot be asked is the world's failure"


def test_a_killed_plan_leaves_no_process(online: Online) -> None:
    (online.double / "ssh").write_text('#!/bin/sh\n# A double of ssh that never ends.\ntouch "${0%/*}/asked"\nexec sleep 600\n')
    path = f"{online.double}:{online.site.environ()['PATH']}"
    child = subprocess.Popen(
        online.site.command(),
        cwd=ROOT,
        env=online.site.environ(OFFLINE="", PATH=path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: (online.double / "asked").exists(), "a host is asked", seconds=120)
    assert len(of_home(online.site.home)) > 1
    child.kill()
    child.wait()
    until(lambda: not of_home(online.site.home), "everything that the plan started has ended")


def of_home(home: Path) -> list[int]:
    """The processes whose home this is."""
    found = []
    for each in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if f"HOME={home}".encode() in each.read_bytes().split(b"\0"):
                found.append(int(each.parent.name))
    return found


def test_five_thousand_nodes_are_planned(home: Path) -> None:
    count = 5000
    with control_plane(parent=cache() / "clusters") as plane:
        site = inventories.generated(Site(home, "icaruscloudlab"), count)
        addresses = {f"n{at:05}": inventories.address(at) for at in range(1, count + 1)}
        register(plane, (NodeSpec(name, address, machine_id=machine(address)) for name, address in addresses.items()))
        online = Online(site, plane)
        plan, _ = online.plan(0)
        assert plan["observations"]["cluster"]["nodes"].keys() == addresses.keys()
        assert plan["observations"]["hosts"].keys() == addresses.keys()
        assert online.asked() == set(addresses.values())
        asked = plane.audit(online.user)
        assert {event.verb for event in asked} == {"get", "list"}
        pages = [event.uri for event in asked if event.uri.startswith("/api/v1/nodes?")]
        assert len(pages) == count // 500
        assert all("limit=500" in uri for uri in pages)
