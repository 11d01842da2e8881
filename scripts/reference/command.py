"""`pharos` and its subcommands, from click's own definitions."""

import inspect
from collections.abc import Iterator

import click

from pharos.cli import pharos_command
from platform_deploy.probe import probe
from reference.page import page, table

ABOUT = """
What `pharos --help` and `--help` of each subcommand say. Exit status: 0 fit or answered, 1 refused (a report was
printed), 2 wrong usage, 3 the world failed (a file, a tool). This page is written by `scripts/generate`.
"""


def command_page() -> str:
    """The page."""
    probed = _of_command(probe, click.Context(probe, info_name="python -m platform_deploy.probe"))
    return page("Command line", ABOUT, [*_commands(pharos_command, click.Context(pharos_command, info_name="pharos")), probed])


def _commands(command: click.Command, context: click.Context) -> Iterator[str]:
    """The section of a command, or of each one below it."""
    if not isinstance(command, click.Group):
        yield _of_command(command, context)
        return
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        if found is not None:
            yield from _commands(found, click.Context(found, info_name=name, parent=context))


def _of_command(command: click.Command, context: click.Context) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    options = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    rows = [(f"`{record[0]}`", record[1]) for record in options if record and record[1] and "--help" not in record[0]]
    return f"## {context.command_path}\n\n```text\n{usage}\n```\n\n{inspect.cleandoc(command.help or '')}\n\n" + table(
        ("option", "meaning"), rows
    )
