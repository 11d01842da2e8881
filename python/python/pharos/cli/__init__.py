"""The command ``pharos``: read files, ask the core, print the answer."""

from __future__ import annotations

import sys

import click

import pharos
from pharos._native import EXIT_WORLD
from pharos._world import worded
from pharos.cli import certificate, check, edge, explain, gateway, inventory, plan, route, routes


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
    run(pharos_command, "pharos")


def run(command: click.Command, name: str) -> None:
    """Run a command under its name, and leave with the exit status of what came of it."""
    try:
        command(prog_name=name)
    except (OSError, ExceptionGroup) as error:
        _fail(name, *worded(error))
    except pharos.RejectedError as error:
        click.echo(error.report.human(colour=sys.stderr.isatty()), err=True)
        click.echo(error.report.summary, err=True)
        sys.exit(error.report.exit_status)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # a panic of the core is no `Exception`
        said = " ".join(str(error).split())
        _fail(name, f"internal fault: {type(error).__name__}: {said}; please report")


def _fail(name: str, *lines: str) -> None:
    """Leave with a line for each failure and the status of a failed world."""
    for line in lines:
        click.echo(f"{name}: {line}", err=True)
    sys.exit(EXIT_WORLD)
