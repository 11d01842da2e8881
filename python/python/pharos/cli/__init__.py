"""The command ``pharos``: read files, ask the core, print the answer."""

from __future__ import annotations

import sys

import click

import pharos
from pharos.cli import certificate, check, edge, explain, routes
from pharos.cli._output import REFUSED, WORLD


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(pharos.__version__, prog_name="pharos")
def pharos_command() -> None:
    """Judge, explain and render a platform site.

    Exit status: 0 fit or answered, 1 refused (a report was printed), 2 wrong usage, 3 the world failed (a file, a tool).
    """


for command in (check.check, explain.explain, routes.routes, edge.edge, certificate.certificate):
    pharos_command.add_command(command)


def main() -> None:
    """Run the command and leave with its exit status."""
    try:
        pharos_command(prog_name="pharos")
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(WORLD)
    except OSError as error:
        click.echo(f"pharos: {error.filename or ''}: {error.strerror}", err=True)
        sys.exit(WORLD)
    except pharos.RejectedError as error:
        click.echo(error.report.human(colour=sys.stderr.isatty()), err=True, nl=False)
        sys.exit(REFUSED)
