"""An inventory, resolved by Ansible itself in a process of its own, as the facts that the core judges.

The process is told which groups make the cluster and which variables may be looked at; connection variables, passwords and
whatever else a host has stay in it. Its arguments and its failures hold no value of the inventory: the answer is one stream of
JSON, and a failure is a kind and a place.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pharos

Progress = Callable[[str], None]

# What lies beside an inventory file and belongs to it.
BESIDE = ["group_vars", "host_vars"]

# The facts of a host, each with the variable that states it.
FIELDS = {
    "address": "ansible_host",
    "ip": "ip",
    "access_ip": "access_ip",
    "ip6": "ip6",
    "labels": "node_labels",
    "taints": "node_taints",
    "devices": "storage_devices",
}

# The address space of an inventory that is resolved; 5,000 hosts take a twentieth of it.
MOST_BYTES = 4 << 30

# Settings of Ansible's that say where vault passwords come from; no other setting of the operator's takes part.
VAULT_SETTINGS = {
    "ANSIBLE_VAULT_PASSWORD_FILE",
    "ANSIBLE_VAULT_IDENTITY_LIST",
    "ANSIBLE_VAULT_IDENTITY",
    "ANSIBLE_VAULT_ID_MATCH",
}


class ResolverError(RuntimeError):
    """Ansible ended without an answer."""


@dataclass(frozen=True)
class Inventory:
    """What an inventory says, as far as it could be resolved, and the findings on it."""

    facts: dict[str, Any] | None
    files: list[tuple[str, bytes]]
    report: pharos.Report


def load(path: Path, *, environment: str, private_root: Path, checkout: Path, progress: Progress) -> Inventory:
    """Read the private files of an inventory and let Ansible resolve it.

    The facts are ``None`` where a file is not private, is not there, or could not be resolved: the report says so.
    """
    # Ansible names files by their real folder.
    path = path.parent.resolve() / path.name
    progress("the private files of the inventory are read")
    files, report = pharos.private_inventory(private_root, path, BESIDE)
    if not files and not report.refuses:
        report = pharos.missing_inventory(environment, str(path), is_folder=path.is_dir())
    report += pharos.inventory_sources(files)
    if report.refuses:
        return Inventory(None, files, report)
    progress("Ansible resolves the inventory")
    facts, failures = resolve(path, checkout, progress)
    report = pharos.ansible_report(failures, files)
    static = without_vaults(files)
    if report.refuses:
        return Inventory(None, static, report + pharos.inventory_in_part(facts, static, failures))
    return Inventory(facts, static, report)


def without_vaults(files: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """The files that can be read again for places: what is encrypted as a whole has none."""
    return [(name, content) for name, content in files if not content.startswith(b"$ANSIBLE_VAULT;")]


def resolve(
    path: Path, checkout: Path | None, progress: Progress, *, most_bytes: int = MOST_BYTES
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The facts and the failures that Ansible's resolver gives, in an address space of no more than ``most_bytes``.

    Ansible has the settings of the checkout; without one, those that lie beside this module.
    """
    request = {
        "most_bytes": most_bytes,
        "inventory": str(path),
        "groups": pharos.cluster_groups(),
        "fields": FIELDS,
        "prefix": "pharos_",
        "known": pharos.inventory_variables(),
    }
    command = [sys.executable, "-P", "-m", "platform_deploy._resolver"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=environment_of(dict(os.environ), checkout),
    )
    assert process.stdin
    try:
        return answer(process, request, progress)
    finally:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()  # the resolver ends then, with all that it has started
        process.wait()


def answer(
    process: subprocess.Popen[str], request: dict[str, Any], progress: Progress
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Send the request and read the answer to its end."""
    assert process.stdin and process.stdout
    with contextlib.suppress(BrokenPipeError):  # it ended already: its answer says so
        print(json.dumps(request), file=process.stdin, flush=True)
    for line in process.stdout:
        said: dict[str, Any] = json.loads(line)
        if "facts" in said:
            return said["facts"], said["failures"]
        if "fault" in said:
            if said["fault"] == "OutOfMemoryError":
                raise ResolverError(
                    f"the inventory takes more than the {request['most_bytes'] >> 20} MiB of memory that it may take"
                )
            if said["fault"] == "ModuleNotFoundError":
                raise ResolverError(f"ansible-core is not installed for {sys.executable}: `pip install ansible-core` installs it")
            raise ResolverError(f"Ansible could not resolve the inventory: {said['fault']}")
        progress(f"variables of {said['resolved']} of {said['of']} hosts resolved")
    raise ResolverError(f"Ansible's resolver ended with status {process.wait()} and without an answer")


def environment_of(given: dict[str, str], checkout: Path | None) -> dict[str, str]:
    """The environment of the resolver: the checkout's settings of Ansible or our own, and the operator's vaults."""
    kept = {name: text for name, text in given.items() if not name.startswith("ANSIBLE_") or name in VAULT_SETTINGS}
    cache = Path(given.get("XDG_CACHE_HOME") or Path(given.get("HOME", "/")) / ".cache")
    return kept | {
        "ANSIBLE_CONFIG": str((checkout or Path(__file__).parent) / "ansible.cfg"),
        "ANSIBLE_HOME": str(cache / "pharos/ansible"),
        "ANSIBLE_LOCALHOST_WARNING": "0",
    }
