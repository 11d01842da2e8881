"""What all subcommands share: formats, colours and exit statuses."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from pharos import Report

Command = TypeVar("Command", bound=Callable[..., Any])


Refused = Callable[[list[Any]], Any]

FORM = "pharos.form"
REFUSED = "pharos.refused"


def format_option(*formats: str, refused: Refused | None = None) -> Callable[[Command], Command]:
    """The option ``--format`` with these words, the first one by default.

    ``refused`` is said by a command whose answer is a report: what its JSON is where there is nothing but findings.
    """

    def told(context: click.Context, _parameter: click.Parameter, form: str) -> str:
        context.meta[FORM] = form
        context.meta[REFUSED] = refused
        return form

    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        callback=told,
        help="How the answer is printed.",
    )


def print_json(value: object) -> None:
    """Print a value as indented JSON."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def print_refusal(report: Report, meta: dict[str, Any]) -> None:
    """Print why there is no answer.

    On the error stream, in JSON if the answer would have been; a command whose answer is a report prints it in the form of one.
    """
    form = meta.get(FORM)
    refused: Refused | None = meta.get(REFUSED)
    findings = json.loads(report.json())
    if refused is None:
        if form == "json":
            click.echo(json.dumps(findings, indent=2, ensure_ascii=False), err=True)
            return
    elif form == "json":
        print_json(refused(findings))
        return
    elif form == "sarif":
        click.echo(report.sarif())
        return
    elif form == "junit":
        click.echo(report.junit([]))
        return
    click.echo(report.human(colour=sys.stderr.isatty()), err=True)
    click.echo(report.summary, err=True)


def print_report(report: Report, form: str, *, fit: str, checked: list[str]) -> None:
    """Print a report on the ``checked`` files and leave with its exit status if it refuses; ``fit`` is said when it does not."""
    match form:
        case "json":
            print_json(json.loads(report.json()))
        case "sarif":
            click.echo(report.sarif())
        case "junit":
            click.echo(report.junit(checked))
        case _:
            if len(report):
                click.echo(report.human(colour=sys.stdout.isatty()))
            click.echo(report.summary if report.refuses else (f"{fit}; {report.summary}" if len(report) else fit))
    if report.refuses:
        sys.exit(report.exit_status)
