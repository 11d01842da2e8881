"""What all subcommands share: formats, colours and exit statuses."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from pharos import Report

Command = TypeVar("Command", bound=Callable[..., Any])


def format_option(*formats: str) -> Callable[[Command], Command]:
    """The option ``--format`` with these words, the first one by default."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How the answer is printed.",
    )


def print_json(value: object) -> None:
    """Print a value as indented JSON."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


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
