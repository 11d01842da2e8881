"""The command ``pharos``: read files, ask the core, print the answer."""

from __future__ import annotations

import os
import sys

import click

import pharos
from pharos.cli import certificate, check, edge, explain, gateway, inventory, plan, route, routes
from pharos.cli._files import printable
from pharos.cli._output import REFUSED, WORLD


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(pharos.__version__, prog_name="pharos")
def pharos_command() -> None:
    """Judge, explain and render a platform site.

    Exit status: 0 fit or answered, 1 refused (a report was printed), 2 wrong usage, 3 the world failed (a file, a tool).
    """


for command in (
    check.check,
    explain.explain,
    inventory.inventory,
    routes.routes,
    route.route,
    edge.edge,
    gateway.gateway,
    certificate.certificate,
    plan.plan,
):
    pharos_command.add_command(command)


def main() -> None:
    """Run the command and leave with its exit status."""
    try:
        pharos_command(prog_name="pharos")
    except OSError as error:
        _fail(f"{_where(error)}: {error.strerror or error}")
    except pharos.RejectedError as error:
        click.echo(error.report.human(colour=sys.stderr.isatty()), err=True)
        click.echo(error.report.summary, err=True)
        sys.exit(REFUSED)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # a panic of the core is no `Exception`
        said = " ".join(str(error).split())
        _fail(f"internal fault: {type(error).__name__}: {said}; please report")


def _where(error: OSError) -> str:
    """What failed; where no file is named, it was the answer that could not be written."""
    if error.filename is not None:
        return printable(error.filename)
    # What is still held back would fail once more when the interpreter ends, with a status of its own.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return "standard output"


def _fail(line: str) -> None:
    """Leave with one line and the status of a failed world."""
    click.echo(f"pharos: {line}", err=True)
    sys.exit(WORLD)
