"""``deploy-plan``: everything that a plan is judged by is read and handed to the core; what it says is recorded and printed."""

from __future__ import annotations

import os
import pwd
import socket
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pharos
from platform_deploy import _checkout, inventory, observe
from platform_deploy._console import REFUSED, WORLD, Progress, say

OPERATION = "deploy-plan"


def deploy_plan() -> int:
    """Plan; the exit status says whether anything was refused."""
    checkout = _checkout.find()
    missing = pharos.missing_tools(OPERATION, _checkout.absent(pharos.operation_tools(OPERATION)))
    if missing.refuses:
        say(missing)
        return WORLD
    site = select(checkout)
    revision = _checkout.revision(checkout)
    started = datetime.now(UTC)
    with pharos.PlanRecords(Path(site["paths"]["state"]), holder(revision, started)) as records:
        plan = draft(checkout, site, revision, started)
        recorded, page, mended = records.record(plan)
    say(mended)
    print(plan.text())
    print(f"Recorded in {recorded}\nThe same for a browser: {page}", flush=True)
    if not plan.refused:
        return 0
    print(f"{OPERATION}: refused; the plan says why", file=sys.stderr)
    return REFUSED


def select(checkout: Path) -> dict[str, Any]:
    """The environment that the operator's variables select. Nothing of a site and no personal setting has been opened."""
    return pharos.environment_select(
        OPERATION,
        {
            "variables": {name: os.environ[name] for name in pharos.environment_variables() if name in os.environ},
            "environments": _checkout.environments(checkout),
            "runners": _checkout.runners(checkout),
            "home": os.environ.get("HOME", ""),
            "directory": str(Path.cwd()),
        },
    )


def holder(revision: dict[str, Any], started: datetime) -> dict[str, Any]:
    """Who holds the environment's lock, for whoever comes second."""
    return {
        "user": pwd.getpwuid(os.geteuid()).pw_name,
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "operation": OPERATION,
        "revision": revision["commit"],
        "started": instant(started),
    }


def draft(checkout: Path, site: dict[str, Any], revision: dict[str, Any], at: datetime) -> pharos.DraftedPlan:
    """Read everything, and let the core judge all of it."""
    progress = Progress(OPERATION)
    paths = {name: Path(path) for name, path in site["paths"].items()}
    environment = site["environment"]
    policy = _checkout.document(checkout, site["policy"])
    inputs = pharos.PlanInputs(_checkout.document(checkout, _checkout.CATALOGUE), policy, instant(at))
    progress("Ansible resolves the inventory")
    resolved = inventory.load(
        paths["inventory"],
        environment=environment,
        private_root=paths["private_root"],
        checkout=checkout,
        progress=progress,
    )
    inputs.add(resolved.report)
    if resolved.facts is not None:
        progress("the inventory is judged")
        inputs.inventory(resolved.facts, resolved.files)
    if inputs.needs_external_identity:
        external_identity(inputs, paths["private_root"])
    if not site["offline"]:
        observe.observe(inputs, paths, checkout, progress)
    return inputs.draft(
        environment=environment,
        operation=site["operation"],
        offline=site["offline"],
        revision=revision,
        private=paths["private_root"] / environment,
    )


def external_identity(inputs: pharos.PlanInputs, private_root: Path) -> None:
    """Hand over the private file of the external identity; one that is not private is not read."""
    named = inputs.external_identity_file
    try:
        content = None if named is None else pharos.private_read(private_root, Path(named).expanduser())
    except pharos.RejectedError as error:
        inputs.add(error.report)
    else:
        inputs.external_identity(content)


def instant(at: datetime) -> str:
    """An instant as RFC 3339, to the second."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
