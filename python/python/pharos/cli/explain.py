"""``pharos explain``: the page behind a code."""

from __future__ import annotations

import click

import pharos
from pharos.cli._files import Utf8
from pharos.cli._output import format_option, print_json


def complete(_context: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """The codes that begin with what was typed."""
    return [code.name for code in pharos.codes() if code.name.startswith(start)]


@click.command()
@click.argument("name", metavar="[CODE|ROOM]", type=Utf8(), required=False, shell_complete=complete)
@format_option("human", "json")
def explain(name: str | None, form: str) -> None:
    """Say what CODE means, why it is refused and how to mend it; list the codes of ROOM, or without either all of them."""
    wanted = "" if name is None else name.lower().rstrip("/")
    names = [code.name for code in pharos.codes() if wanted in {"", code.name.split("/")[0]}]
    if names:
        if form == "json":
            print_json(names)
        else:
            click.echo("\n".join(names))
        return
    try:
        code = pharos.code(wanted)
    except KeyError as error:
        similar: list[str] = error.args[1]
        hint = f"; similar: {', '.join(similar)}" if similar else "; `pharos explain` lists all"
        raise click.UsageError(f"there is no code or room `{name}`{hint}") from None
    if form == "json":
        print_json({"code": code.name, "page": code.page})
    else:
        click.echo(code.page, nl=False)
