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
from pharos._world import working_directory
from platform_deploy import _checkout, inventory, observe
from platform_deploy._console import Progress, say

OPERATION = "deploy-plan"

# How a plan with findings of each exit status ends, in a word.
ENDS = {1: "refused", 2: "wrong usage", 3: "not all could be looked at"}


def deploy_plan() -> int:
    """Plan; the exit status says whether anything was refused."""
    checkout = _checkout.find()
    site = select(checkout)
    revision = _checkout.revision(checkout)
    started = datetime.now(UTC)
    survey = surveyed(site)
    try:
        records = pharos.PlanRecords(Path(site["paths"]["state"]), site["environment"], holder(revision, started))
    except pharos.RejectedError as error:
        raise pharos.RejectedError(pharos.environment_origins(site, error.report + survey)) from None
    with records, Progress(OPERATION) as progress:
        plan = draft(checkout, site, revision, started, survey, progress)
        return finish(site, records, plan)


def finish(site: dict[str, Any], records: pharos.PlanRecords, plan: pharos.DraftedPlan) -> int:
    """Record the plan and print it; one that cannot be recorded is printed all the same."""
    try:
        recorded, page, mended = records.record(plan)
    except pharos.RejectedError as error:
        print(plan.text())
        print("Not recorded", flush=True)
        report = pharos.environment_origins(site, error.report)
        say(report)
        print(f"{OPERATION}: the plan is not recorded", file=sys.stderr)
        return max(plan.exit_status, report.exit_status)
    say(mended)
    print(plan.text())
    print(f"Recorded in {recorded}\nThe same for a browser: {page}", flush=True)
    if plan.exit_status:
        print(f"{OPERATION}: {ENDS[plan.exit_status]}; the plan says why", file=sys.stderr)
    return plan.exit_status


def surveyed(site: dict[str, Any]) -> pharos.Report:
    """What is not private of all that this operation opens. Each of these is judged once more when it is opened."""
    paths = {name: Path(path) for name, path in site["paths"].items()}
    beside = [paths["inventory"].parent / name for name in inventory.BESIDE]
    online = [] if site["offline"] else [paths["kubeconfig"]]
    opened = [paths["inventory"], *beside, *online, paths["keys"], paths["state"]]
    return pharos.private_survey(paths["private_root"], opened)


def select(checkout: Path) -> dict[str, Any]:
    """The environment that the operator's variables select. Nothing of a site and no personal setting has been opened."""
    return pharos.environment_select(
        OPERATION,
        {
            "variables": {name: os.environ[name] for name in pharos.environment_variables() if name in os.environ},
            "environments": _checkout.environments(checkout),
            "runners": _checkout.runners(checkout),
            "home": os.environ.get("HOME", ""),
            "directory": str(working_directory()),
            "absent": _checkout.absent(pharos.operation_tools(OPERATION)),
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


def draft(
    checkout: Path,
    site: dict[str, Any],
    revision: dict[str, Any],
    at: datetime,
    survey: pharos.Report,
    progress: Progress,
) -> pharos.DraftedPlan:
    """Read everything, and let the core judge all of it."""
    paths = {name: Path(path) for name, path in site["paths"].items()}
    environment = site["environment"]
    commit = revision["commit"]
    committed = [_checkout.document(checkout, commit, path) for path in (_checkout.CATALOGUE, site["policy"])]
    inputs = pharos.PlanInputs(committed[0], committed[1], instant(at))
    inputs.add(survey)
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
        observe.observe(inputs, paths, resolved.files, checkout, progress)
    return inputs.draft(site=site, revision=revision)


def external_identity(inputs: pharos.PlanInputs, private_root: Path) -> None:
    """Hand over the private file of the external identity; one that is not private is not read."""
    named = inputs.external_identity_file
    try:
        content = (
            None if named is None else pharos.private_read(private_root, Path(named).expanduser(), pharos.MAX_DOCUMENT_BYTES)
        )
    except pharos.RejectedError as error:
        inputs.add(error.report)
    else:
        inputs.external_identity(content)


def instant(at: datetime) -> str:
    """An instant as RFC 3339, to the second."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
