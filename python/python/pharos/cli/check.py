"""``pharos check``: every document of a site, all findings at once."""

from __future__ import annotations

from pathlib import Path

import click

import pharos
from pharos._world import all_of
from pharos.cli import _files, _site
from pharos.cli._files import Utf8
from pharos.cli._output import format_option, print_report


@click.command()
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=_files.INPUT)
@click.option("--env", "environment", type=Utf8(), metavar="ENV", shell_complete=_site.complete, help="Only this environment.")
@_site.extension_option
@format_option("human", "json", "sarif", "junit", refused=lambda findings: findings)
def check(paths: tuple[Path, ...], environment: str | None, extensions: tuple[Path, ...], form: str) -> None:
    """Judge the documents of the site around the working directory, or those at PATH, offline and all at once.

    A folder at PATH stands for the YAML files below it. Laboratories are judged with the site that they extend.
    """
    if paths and environment:
        raise click.UsageError("give paths or --env, not both")
    texts = all_of(_site.read, _site.expanded(paths)) if paths else _site.documents(_site.root(), environment)
    laboratories = _site.extensions(extensions)
    report = pharos.check(texts, extensions=laboratories)
    texts += laboratories
    print_report(
        report,
        form,
        fit=f"{len(texts)} document{'s' if len(texts) != 1 else ''} fit",
        checked=[name for name, _ in texts],
    )
