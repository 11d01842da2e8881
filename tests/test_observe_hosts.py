"""Hosts, read over real ssh by way of Ansible's inventory: they are told, and nothing is left, asked, shared or learnt."""

import json
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from bed.commands import Result
from bed.host import Host
from bed.world import World

pytestmark = pytest.mark.hosts

CHECKOUT = Path(__file__).resolve().parents[1]

READ = """
    import json, sys
    from pathlib import Path
    from platform_deploy import hosts
    seen, report = hosts.read(Path(sys.argv[1]), sys.argv[3:], files=[], checkout=Path(sys.argv[2]), progress=lambda text: None)
    print(json.dumps({"seen": seen, "codes": [each.code for each in report.diagnostics], "said": report.human()}))
"""


class Inventory:
    """An inventory of the bed's hosts, and reads by it on the bed's control side."""

    def __init__(self, world: World, path: Path) -> None:
        """Begin without hosts."""
        self.world = world
        self.path = path

    def write(self, hosts: list[Host], **variables: Any) -> None:
        """Reach the hosts with these variables beside those that the bed needs."""
        own = {host.name: {"ansible_host": host.name} for host in hosts}
        common = {"ansible_ssh_common_args": f"-F {self.world.bed.ssh_config}", "ansible_user": "admin", **variables}
        document = {"all": {"vars": common, "children": {"kube_node": {"hosts": own}}}}
        self.path.write_text(json.dumps(document))

    def read(self, *names: str) -> dict[str, Any]:
        """What is seen of the hosts."""
        argv: list[str | Path] = [sys.executable, "-P", "-c", dedent(READ), self.path, CHECKOUT, *names]
        done: Result = self.world.bed.control_exec(argv, environment={"HOME": str(self.path.parent)})
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


@pytest.fixture
def inventory(session_world: World, tmp_path: Path) -> Inventory:
    return Inventory(session_world, tmp_path / "hosts.json")


def files(host: Host) -> set[str]:
    """Everything on a host's disk, but what sshd itself and the journal write at each login."""
    found = host.run("find / -xdev -path /var/log -prune -o -path /run -prune -o -print").stdout.splitlines()
    return set(found)


def test_hosts_are_what_they_state(inventory: Inventory, bookworm: Host, trixie: Host) -> None:
    inventory.write([bookworm, trixie])
    trixie.run("mkdir -p /etc/containerd /etc/kubernetes; chmod 755 /etc/kubernetes")
    trixie.put('[plugins."io.containerd.grpc.v1.cri".cni]\n  bin_dir = "/opt/cni/bin"\n', "/etc/containerd/config.toml")
    trixie.put("secret: hunter2\n", "/etc/kubernetes/kubelet.conf", mode=0o600)
    before = {host.name: files(host) for host in (bookworm, trixie)}
    answer = inventory.read(bookworm.name, trixie.name)
    assert answer["codes"] == []
    for host, system in ((bookworm, "(bookworm)"), (trixie, "(trixie)")):
        seen = answer["seen"][host.name]
        assert seen["machine_id"] == host.run("cat /etc/machine-id").stdout.strip()
        assert seen["os"].endswith(system)
        assert seen["kernel"] == host.run("uname -r").stdout.strip()
        assert seen["architecture"] == host.run("uname -m").stdout.strip()
        instances = host.run("cat /proc/sys/fs/inotify/max_user_instances").stdout
        assert seen["sysctls"]["fs.inotify.max_user_instances"] == int(instances)
    assert answer["seen"][trixie.name]["cni_binaries"] == "/opt/cni/bin"
    assert answer["seen"][trixie.name]["occupied"] is True
    assert "occupied" not in {k for k, v in answer["seen"][bookworm.name].items() if v is True}
    assert "hunter2" not in json.dumps(answer)
    assert {host.name: files(host) for host in (bookworm, trixie)} == before


def test_what_cannot_be_read_is_told_for_every_host(inventory: Inventory, trixie: Host) -> None:
    inventory.write([trixie], ansible_user="nobody-hunter2")
    document = json.loads(inventory.path.read_text())
    hosts = document["all"]["children"]["kube_node"]["hosts"]
    hosts["unknown-key"] = {"ansible_host": trixie.v4, "ansible_user": "admin"}
    hosts["by-winrm"] = {"ansible_connection": "winrm", "ansible_password": "hunter2"}
    hosts["by-trick"] = {"ansible_ssh_extra_args": "-E /tmp/log"}
    inventory.path.write_text(json.dumps(document))
    names = [trixie.name, "unknown-key", "by-winrm", "by-trick", "absent"]
    answer = inventory.read(*names)
    assert answer["seen"] == {}
    assert answer["codes"] == ["access/host-unreachable"] * len(names)
    assert "hunter2" not in answer["said"]
    for name, cause in ((trixie.name, "accepts no key"), ("unknown-key", "host key")):
        line = next(each for each in answer["said"].splitlines() if f"host {name} cannot" in each)
        assert cause in line


def test_a_login_that_runs_something_else_is_no_answer(inventory: Inventory, trixie: Host) -> None:
    inventory.write([trixie])
    trixie.put("Match User admin\n  ForceCommand echo This account is for hunter2 alone\n", "/etc/ssh/sshd_config.d/forced.conf")
    trixie.run("systemctl reload ssh")
    answer = inventory.read(trixie.name)
    assert answer["codes"] == ["access/host-answer"]
    assert "hunter2" not in answer["said"]


def test_arguments_of_processes_hold_no_connection_variable(inventory: Inventory, trixie: Host, tmp_path: Path) -> None:
    # A program of ssh's name notes what it was started with, and then is ssh.
    (tmp_path / "bin").mkdir()
    noted = tmp_path / "noted"
    ssh = tmp_path / "bin" / "ssh"
    settings = tmp_path / "settings"
    ssh.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >>{noted}\n/usr/bin/ssh -G "$@" >{settings}\nexec /usr/bin/ssh "$@"\n')
    ssh.chmod(0o755)
    sharing = f"-o ControlMaster=auto -o ControlPath={tmp_path}/shared -o ControlPersist=60 -o ForwardAgent=yes"
    inventory.write(
        [trixie],
        ansible_password="hunter2-password",  # noqa: S106
        ansible_become_password="hunter2-become",  # noqa: S106
        ansible_ssh_extra_args=sharing,
    )
    path = f"{tmp_path / 'bin'}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    argv: list[str | Path] = [sys.executable, "-P", "-c", dedent(READ), inventory.path, CHECKOUT, trixie.name]
    inventory.world.bed.control_exec(argv, environment={"PATH": path, "HOME": str(tmp_path)})
    words = noted.read_text()
    assert words.count("\n") == 1
    assert str(inventory.world.bed.ssh_config) not in words
    assert "admin" not in words
    assert "hunter2" not in words
    # What ssh itself makes of it: nothing is shared or forwarded, whatever the inventory says.
    effective = settings.read_text().splitlines()
    assert {"controlmaster false", "controlpersist no", "forwardagent no", "clearallforwardings yes"} <= set(effective)
    assert not [line for line in effective if line.startswith(("controlpath", "localforward", "remoteforward"))]


LEAD = """
    import sys, urllib.request
    from pathlib import Path
    from platform_deploy import hosts
    with hosts.leading(Path(sys.argv[1]), sys.argv[3], "127.0.0.1:80", files=[], checkout=Path(sys.argv[2])) as port:
        for _ in range(3):
            address = f"http://127.0.0.1:{port}/"
            print(urllib.request.urlopen(address, timeout=30).read().decode())
    try:
        urllib.request.urlopen(address, timeout=5)
    except OSError:
        print("closed")
"""


def test_a_host_leads_to_what_only_it_reaches(inventory: Inventory, trixie: Host) -> None:
    inventory.write([trixie])
    trixie.put("served by the host itself\n", "/var/www/html/index.html")
    argv: list[str | Path] = [sys.executable, "-P", "-c", dedent(LEAD), inventory.path, CHECKOUT, trixie.name]
    said = inventory.world.bed.control_exec(argv, environment={"HOME": str(inventory.path.parent)}).stdout
    assert said.split("\n\n")[:3] == ["served by the host itself"] * 3
    assert said.endswith("closed\n")


NO_WAY = """
    import json, sys
    from pathlib import Path
    from platform_deploy import hosts
    said = []
    for address in ("127.0.0.1:9", "127.0.0.1:80"):
        try:
            with hosts.leading(Path(sys.argv[1]), sys.argv[3], address, files=[], checkout=Path(sys.argv[2])):
                said.append([0, ""])
        except hosts.NoWayError as error:
            said.append([error.status, error.errors])
    print(json.dumps(said))
"""


def test_a_host_that_leads_nowhere_says_why(inventory: Inventory, trixie: Host) -> None:
    inventory.write([trixie])
    argv: list[str | Path] = [sys.executable, "-P", "-c", dedent(NO_WAY), inventory.path, CHECKOUT, trixie.name]

    def tried() -> Any:
        return json.loads(inventory.world.bed.control_exec(argv, environment={"HOME": str(inventory.path.parent)}).stdout)

    (status, closed), (open_, _) = tried()
    assert (status, open_) == (255, 0)
    assert "open failed: connect failed: Connection refused" in closed
    trixie.put("AllowTcpForwarding no\n", "/etc/ssh/sshd_config.d/forwarding.conf")
    trixie.run("systemctl reload ssh")
    (_, forbidden), (status, _) = tried()
    assert status == 255
    assert "administratively prohibited" in forbidden


DEVICES = """
    import json, sys
    from pathlib import Path
    import pharos
    from platform_deploy import hosts
    inventory, checkout, name, *devices = sys.argv[1:]
    paths = ("catalogue/services.yaml", "environments/icaruscloudlab/policy.yaml")
    documents = [(path, Path(checkout, path).read_text()) for path in paths]
    inputs = pharos.PlanInputs(*documents, "2026-11-30T12:00:00Z")
    labels = {"storage-node": "True", "storage-control": "True"}
    groups = {group: {"hosts": [name]} for group in ("kube_control_plane", "kube_node", "etcd")}
    others = {f"other{at}": {"labels": labels} for at in (1, 2)}
    groups["kube_node"]["hosts"] += list(others)
    inputs.inventory({"groups": groups, "hosts": {name: {"labels": labels, "devices": devices}, **others}}, [])
    seen, report = hosts.read(Path(inventory), [name], files=[], checkout=Path(checkout), progress=lambda text: None)
    inputs.observations({"hosts": seen})
    commands = inputs.device_commands
    inputs.devices(hosts.ask(Path(inventory), commands, files=[], checkout=Path(checkout), progress=lambda text: None)[0])
    revision = {"commit": "0" * 40, "dirty": False}
    private = Path(inventory).parent
    variables = {"ENV": "icaruscloudlab", "PHAROS_PRIVATE_ROOT": str(private), "INVENTORY": inventory}
    given = {"variables": variables, "environments": ["icaruscloudlab"], "runners": [], "home": "/home/ada", "directory": "/"}
    site = pharos.environment_select("deploy-plan", given)
    plan = inputs.draft(site=site, revision=revision)
    print(plan.text())
"""


def test_devices_are_what_the_host_has_under_their_ids(inventory: Inventory, bookworm: Host) -> None:
    inventory.write([bookworm])
    listed = json.loads(bookworm.run("lsblk --json --bytes --nodeps --output KNAME,TYPE,SIZE").stdout)["blockdevices"]
    kernel = next(each["kname"] for each in listed if each["type"] == "disk" and each["size"])
    odd = "/dev/disk/by-id/usb-a\\x2fb"
    bookworm.run(f"mkdir -p /dev/disk/by-id; ln -s ../../{kernel} /dev/disk/by-id/wwn-1; ln -s ../../{kernel} '{odd}'")
    before = files(bookworm)
    argv: list[str | Path] = [sys.executable, "-P", "-c", dedent(DEVICES), inventory.path, CHECKOUT, bookworm.name]
    argv += ["/dev/disk/by-id/wwn-1", odd, "/dev/disk/by-id/none"]
    said = inventory.world.bed.control_exec(argv, environment={"HOME": str(inventory.path.parent)}).stdout
    row = next(line for line in said.splitlines() if line.split()[1:2] == ["/dev/disk/by-id/wwn-1"])
    assert f"/dev/{kernel}, " in row
    assert f"{odd} and /dev/disk/by-id/wwn-1 of host {bookworm.name} are one device, /dev/{kernel}" in said
    assert f"host {bookworm.name} has no device /dev/disk/by-id/none" in said
    assert files(bookworm) == before
