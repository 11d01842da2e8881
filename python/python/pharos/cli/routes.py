"""``pharos routes``: the route table of an environment."""

from __future__ import annotations

from pathlib import Path

import click

import pharos
from pharos.cli import _site
from pharos.cli._files import Utf8
from pharos.cli._output import format_option, print_json


@click.command()
@click.option(
    "--env", "environment", type=Utf8(), metavar="ENV", required=True, shell_complete=_site.complete, help="Whose routes."
)
@_site.extension_option
@format_option("human", "json")
def routes(environment: str, extensions: tuple[Path, ...], form: str) -> None:
    """Print every route of ENV: host, path, access, transport and where it leads."""
    catalogue, policy = _site.of_environment(_site.root(), environment)
    table = pharos.routes(catalogue, policy, extensions=_site.extensions(extensions))
    if form == "json":
        print_json(table)
        return
    rows = [("ROUTE", "URL", "ACCESS", "TRANSPORT", "BACKEND")]
    for host in table:
        for route in host["routes"]:
            backend = route["backend"]
            rows.append(
                (
                    route["id"],
                    f"{host['origin']}{route['path']}",
                    route["access"],
                    route["transport"] + ("+websocket" if route["websocket"] else ""),
                    f"{backend['service']}.{backend['namespace']}:{backend['port']} ({backend['protocol']})",
                )
            )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
