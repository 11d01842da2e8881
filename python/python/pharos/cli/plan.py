"""``pharos plan``: recorded plans, shown and compared."""

from __future__ import annotations

import os
from pathlib import Path

import click

import pharos
from pharos._world import all_of, working_directory
from pharos.cli import _files, _site
from pharos.cli._files import Utf8
from pharos.cli._output import format_option, print_json

MAX_RECORD_BYTES = 64 * 1024 * 1024
"""More than the plan of any site has: what is larger is no record."""


@click.group()
def plan() -> None:
    """Recorded plans, readable also after they are stale."""


@plan.command()
@click.argument("file", metavar="[FILE]", required=False, type=_files.INPUT)
@click.option(
    "--env",
    "environment",
    type=Utf8(),
    metavar="ENV",
    shell_complete=_site.complete,
    help="The newest plan of this environment; its records are in STATE_DIR or below ~/.local/state/pharos.",
)
@format_option("human", "json")
def show(file: Path | None, environment: str | None, form: str) -> None:
    """Show a recorded plan: FILE, or the newest one of an environment."""
    if file is not None and environment is None:
        record = _record(file)
    elif environment is not None and file is None:
        record = _newest(environment)
    else:
        raise click.UsageError("name a FILE or an environment with --env, one of the two")
    if form == "json":
        print_json(pharos.plan_read(record))
    else:
        click.echo(pharos.plan_text(record), nl=False)


@plan.command()
@click.argument("old", metavar="OLD", type=_files.INPUT)
@click.argument("new", metavar="NEW", type=_files.INPUT)
@format_option("human", "json")
def diff(old: Path, new: Path, form: str) -> None:
    """Name what moved from the plan OLD to the plan NEW, both files."""
    moved = pharos.plan_moved(*all_of(_record, [old, new]))
    if form == "json":
        print_json(moved)
        return
    if not moved:
        click.echo("nothing moved")
    width = max((len(one["subject"]) for one in moved), default=0)
    for one in moved:
        click.echo(f"{one['subject'].replace('_', ' '):<{width}}  {one['text']}")


def _record(path: Path) -> _files.File:
    return _files.read(path, MAX_RECORD_BYTES)


def _newest(environment: str) -> _files.File:
    """The newest record of an environment."""
    variables = {name: os.environ[name] for name in ("STATE_DIR",) if name in os.environ}
    try:
        state = pharos.state_directory(environment, variables, os.environ.get("HOME", ""), str(working_directory()))
    except pharos.RejectedError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    latest = pharos.plan_latest(state, environment)
    if latest is None:
        raise click.UsageError(_no_plan(environment, state))
    path, content = latest
    return str(path), content


def _no_plan(environment: str, state: Path) -> str:
    """What is said where no plan is; an environment that the site does not have is never recommended."""
    site = _site.find()
    known = [] if site is None else _site.environments(site)
    if known and environment not in known:
        return (
            f"no plan of `{environment}` is recorded in {state}, and there is no such environment; there are {', '.join(known)}"
        )
    return f"no plan of `{environment}` is recorded in {state}; `make deploy-plan ENV={environment}` makes one"
