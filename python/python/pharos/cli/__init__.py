"""The command ``pharos``: read files, ask the core, print the answer."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any

import click
from click.shell_completion import shell_complete

import pharos
from pharos._native import EXIT_WORLD
from pharos._world import INTERRUPTED, READER_GONE, is_output_lost, is_reader_gone, refused_files
from pharos.cli import certificate, check, edge, explain, gateway, inventory, plan, route, routes
from pharos.cli._output import print_refusal


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(pharos.__version__, prog_name="pharos")
def pharos_command() -> None:
    """Judge, explain and render a platform site.

    Exit status: 0 fit or answered, 1 refused (a report was printed), 2 wrong usage, 3 the world failed (a file, a tool),
    141 nobody read on (as in `| head -1`).
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
    meta: dict[str, Any] = {}
    try:
        sys.exit(_status(command, name, meta))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (OSError, ExceptionGroup) as error:
        if is_reader_gone(error):
            sys.exit(READER_GONE)
        report = refused_files(error)
        print_refusal(report, {} if is_output_lost(error) else meta)
        sys.exit(report.exit_status)
    except pharos.RejectedError as error:
        print_refusal(error.report, meta)
        sys.exit(error.report.exit_status)
    except (click.Abort, KeyboardInterrupt):
        click.echo(f"{name}: interrupted", err=True)
        sys.exit(INTERRUPTED)
    except SystemExit:
        raise
    except BaseException as error:  # a panic of the core is no `Exception`
        said = " ".join(str(error).split())
        click.echo(f"{name}: internal fault: {type(error).__name__}: {said}; please report", err=True)
        sys.exit(EXIT_WORLD)


def _status(command: click.Command, name: str, meta: dict[str, Any]) -> int:
    """What the command ends with; ``meta`` is told the form of its answer.

    Click's own `main` would end with 1, the status of a refusal, where nobody reads on, and with 0 where there is no output.
    """
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    variable = f"_{name.upper()}_COMPLETE"
    if instruction := os.environ.get(variable):
        return shell_complete(command, {}, name, variable, instruction)
    try:
        with command.make_context(name, sys.argv[1:]) as context:
            try:
                command.invoke(context)
            finally:
                meta.update(context.meta)
    except click.exceptions.Exit as end:
        return end.exit_code
    return 0
