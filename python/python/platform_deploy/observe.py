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


def observe(inputs: pharos.PlanInputs, paths: dict[str, Path], files: hosts.Files, checkout: Path, progress: Progress) -> None:
    """Look at the site that the inventory of these files names, and hand over what is seen and what could not be."""
    if not inputs.members:  # without an inventory nobody knows by which way the API is reached
        try:
            judged(inputs, paths["kubeconfig"])
        except pharos.RejectedError as error:
            inputs.add(error.report)
        return
    progress("the Kubernetes API is asked")
    seen, how = cluster(inputs, paths, files, checkout)
    progress(how)
    progress("the hosts are asked over ssh")
    read, report = hosts.read(paths["inventory"], inputs.members, files=files, checkout=checkout, progress=progress)
    inputs.add(report)
    inputs.observations(seen | {"hosts": read})
    commands = inputs.device_commands
    if commands:
        progress("the devices for storage are looked for")
        answers, report = hosts.ask(paths["inventory"], commands, files=files, checkout=checkout, progress=progress)
        inputs.add(report)
        inputs.devices(answers)


def cluster(inputs: pharos.PlanInputs, paths: dict[str, Path], files: hosts.Files, checkout: Path) -> tuple[dict[str, Any], str]:
    """What is seen of the Kubernetes API, and how that went. That it cannot be seen is handed over as a finding."""
    try:
        seen = api(inputs, paths, files, checkout)
    except pharos.RejectedError as error:
        inputs.api_refused(error.report)
        seen = None
    if seen is None:
        return {}, "the Kubernetes API could not be read; the plan says why"
    return seen, "the Kubernetes API has answered" if seen.get("cluster") else "there is no kubeconfig, so no API is asked"


def api(inputs: pharos.PlanInputs, paths: dict[str, Path], files: hosts.Files, checkout: Path) -> dict[str, Any] | None:
    """Ask the Kubernetes API; `None` if no way leads to it. A kubeconfig that nobody named may be missing: no cluster yet."""
    kubeconfig = paths["kubeconfig"]
    plugin = os.environ.get(PLUGIN) or None
    judged(inputs, kubeconfig)
    by_way_of = inputs.api_by_way_of
    address = ""
    leading: AbstractContextManager[int | None] = nullcontext()
    if by_way_of is not None and os.path.lexists(kubeconfig):
        address = pharos.api_address(kubeconfig, allowed_plugin=plugin)
        leading = hosts.leading(paths["inventory"], by_way_of, address, files=files, checkout=checkout)
    try:
        with leading as port:
            return pharos.observe_cluster(kubeconfig, may_be_missing=not named(), allowed_plugin=plugin, forward=port)
    except hosts.NoWayError as error:
        inputs.api_not_led_to(address, error.status, error.errors)
    return None


def named() -> bool:
    """Whether the operator names a kubeconfig, which has to be there then."""
    return bool(os.environ.get("KUBECONFIG"))


def judged(inputs: pharos.PlanInputs, kubeconfig: Path) -> None:
    """Judge the kubeconfig, and have its public certificates seen. One that nobody named may be missing."""
    if named() or os.path.lexists(kubeconfig):
        inputs.kubeconfig(kubeconfig, allowed_plugin=os.environ.get(PLUGIN) or None)
