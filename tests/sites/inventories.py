"""Inventories: a three-node laboratory, a nine-node site with the names of old, and generated ones of any size."""

from __future__ import annotations

from sites.site import Site, fit_aai

LABORATORY = """\
all:
  hosts:
    lab1: {ansible_host: 192.0.2.11}
    lab2: {ansible_host: 192.0.2.12}
    lab3: {ansible_host: 192.0.2.13}
  vars:
    ansible_user: debian
    ansible_password: hunter2
  children:
    kube_control_plane:
      hosts: {lab1: }
    etcd:
      hosts: {lab1: }
    kube_node:
      hosts: {"lab[1:3]": }
    k8s_cluster:
      children: {kube_control_plane: , kube_node: }
    switches:
      hosts: {sw1: {ansible_host: 192.0.2.254, ansible_password: hunter2}}
"""

STORAGE = """\
node_labels:
  storage-node: "True"
  storage-control: "True"
"""

LEGACY = """\
# The names of old, as INI.
[kube-master]
cn[1:3] ansible_password=hunter2

[kube-master-primary]
cn1

[etcd]
cn[1:3]

[kube-node]
cn[1:9]

[storage]
cn[4:6]

[services]
cn7 ansible_host=198.51.100.7
cn8 ansible_host=198.51.100.8

[k8s_cluster:children]
kube-master
kube-node

[platform-edge]
edge1 ansible_host=203.0.113.1 ansible_password=hunter2

[switches]
sw[01:04]

[all:vars]
ansible_user=debian
ansible_become_password=hunter2
site_network=198.51.100
"""


def laboratory(site: Site) -> Site:
    """Three nodes with modern names, one control plane, a foundation alone."""
    site.put("inventory/hosts.yml", LABORATORY)
    site.put("inventory/group_vars/kube_node.yml", STORAGE)
    return site


def legacy(site: Site) -> Site:
    """Nine nodes with the names of old: INI, templates, and variables of groups and hosts."""
    site.variables["INVENTORY"] = str(site.put("inventory/hosts.ini", LEGACY))
    site.put(
        "inventory/group_vars/all.yml",
        "ansible_host: \"{{ site_network }}.{{ inventory_hostname | regex_replace('[^0-9]', '') }}\"\n"
        'ip: "{{ ansible_host }}"\n',
    )
    site.put(
        "inventory/group_vars/storage.yml",
        STORAGE + 'storage_devices: ["/dev/disk/by-id/nvme-{{ inventory_hostname }}-a"]\n',
    )
    site.put(
        "inventory/group_vars/services.yml",
        'node_labels: {pharos.platform/services: "true", kubernetes.io/arch: amd64}\n',
    )
    aai = site.identity(fit_aai())
    site.put("inventory/host_vars/cn1.yml", f"pharos_external_aai_file: {aai}\npharos_api_access: ssh\n")
    return site


def generated(site: Site, hosts: int, beside: int = 0) -> Site:
    """As many hosts as wanted, in racks with variables of their own; and some beside them, in no group of the cluster."""
    lines = ["all:", "  hosts:"]
    lines += [
        f"    n{number:05}: {{ansible_host: {address(number)}, ansible_password: hunter2, rack_unit: {number % 42}}}"
        for number in range(1, hosts + 1)
    ]
    lines += ["  children:", "    kube_control_plane: {hosts: {n00001: , n00002: , n00003: }}"]
    lines += ["    etcd: {hosts: {n00001: , n00002: , n00003: }}"]
    lines += ["    storage: {hosts: {n00004: , n00005: , n00006: }}", "    kube_node:", "      children:"]
    racks = range(0, hosts, 100)
    lines += [f"        rack{number // 100:03}: " for number in racks]
    lines += ["    k8s_cluster: {children: {kube_control_plane: , kube_node: }}"]
    for start in racks:
        last = min(start + 100, hosts)
        lines += [f"    rack{start // 100:03}:", "      hosts:", f'        "n[{start + 1:05}:{last:05}]": ']
    if beside:
        lines += ["    desks:", "      vars: {ansible_user: root, owner: nobody}", "      hosts:"]
        lines += [
            f"        d{number:05}: {{ansible_host: {address(62500 + number)}, ansible_password: hunter2, room: {number % 400}}}"
            for number in range(1, beside + 1)
        ]
    site.put("inventory/hosts.yml", "\n".join(lines) + "\n")
    site.put("inventory/group_vars/all.yml", 'ip: "{{ ansible_host }}"\nansible_user: debian\n')
    site.put("inventory/group_vars/storage.yml", STORAGE)
    for start in racks:
        site.put(f"inventory/group_vars/rack{start // 100:03}.yml", f"rack: {start // 100}\nntp: 192.0.2.1\n")
    return site


def address(number: int) -> str:
    """The address of a numbered host."""
    return f"10.{number // 62500}.{number // 250 % 250}.{number % 250 + 1}"
