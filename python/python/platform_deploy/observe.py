"""What an online plan looks at: the hosts of the cluster over ssh, and the Kubernetes API. Nothing is changed."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pharos
from platform_deploy import hosts
from platform_deploy.inventory import Progress

PLUGIN = "PHAROS_KUBECONFIG_PLUGIN"
"""The variable that allows a program for the kubeconfig's credentials, by the very name that the kubeconfig gives it."""


def observe(inputs: pharos.PlanInputs, paths: dict[str, Path], checkout: Path, progress: Progress) -> None:
    """Look at the site that the inventory names, and hand over what is seen and what could not be."""
    if not inputs.members:
        return
    progress("the Kubernetes API is read")
    seen = cluster(inputs, paths, checkout)
    progress("the hosts are read over ssh")
    read, report = hosts.read(paths["inventory"], inputs.members, checkout=checkout, progress=progress)
    inputs.add(report)
    inputs.observations(seen | {"hosts": read})
    commands = inputs.device_commands
    if commands:
        progress("the devices for storage are looked for")
        inputs.devices(hosts.ask(paths["inventory"], commands, checkout=checkout, progress=progress))


def cluster(inputs: pharos.PlanInputs, paths: dict[str, Path], checkout: Path) -> dict[str, Any]:
    """What is seen of the Kubernetes API; nothing where it cannot be seen, which is handed over as a finding."""
    try:
        return api(inputs, paths, checkout)
    except pharos.RejectedError as error:
        inputs.api_refused(error.report)
    return {}


def api(inputs: pharos.PlanInputs, paths: dict[str, Path], checkout: Path) -> dict[str, Any]:
    """Ask the Kubernetes API. A kubeconfig that nobody named may be missing: there is no cluster yet."""
    kubeconfig = paths["kubeconfig"]
    plugin = os.environ.get(PLUGIN) or None
    by_way_of = inputs.api_by_way_of
    address = ""
    leading: AbstractContextManager[int | None] = nullcontext()
    if by_way_of is not None and kubeconfig.exists():
        address = pharos.api_address(kubeconfig, allowed_plugin=plugin)
        leading = hosts.leading(paths["inventory"], by_way_of, address, checkout=checkout)
    named = bool(os.environ.get("KUBECONFIG"))
    try:
        with leading as port:
            return pharos.observe_cluster(kubeconfig, may_be_missing=not named, allowed_plugin=plugin, forward=port)
    except hosts.NoWayError as error:
        inputs.api_not_led_to(address, error.status, error.errors)
    return {}
