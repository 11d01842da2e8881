"""``pharos gateway``: the objects that make a mesh's gateway serve a site."""

from __future__ import annotations

from pathlib import Path

import click

import pharos
from pharos.cli import _site
from pharos.cli._files import File, Utf8
from pharos.cli._output import format_option, print_json


@click.group()
def gateway() -> None:
    """The gateway of the mesh."""


def _fit(documents: list[File]) -> None:
    """Refuse documents that the whole judgement refuses, the proofs over the objects included."""
    report = pharos.check(documents)
    if report.refuses:
        raise pharos.RejectedError(report)


@gateway.command()
@click.option(
    "--env", "environment", type=Utf8(), metavar="ENV", required=True, shell_complete=_site.complete, help="Whose gateway."
)
@_site.extension_option
@click.option("--laboratory", type=Utf8(), metavar="NAME", help="Only the objects of this laboratory's routes.")
@format_option("human", "json")
def render(environment: str, extensions: tuple[Path, ...], laboratory: str | None, form: str) -> None:
    """Print the objects that the gateway of ENV gets, in the order in which they are applied."""
    catalogue, policy = _site.of_environment(_site.root(), environment)
    given = _site.extensions(extensions)
    _fit([catalogue, policy, *given])
    try:
        if form == "json":
            print_json(pharos.gateway_render(catalogue, policy, extensions=given, laboratory=laboratory))
        else:
            click.echo(pharos.gateway_yaml(catalogue, policy, extensions=given, laboratory=laboratory), nl=False)
    except pharos.RejectedError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from None


@gateway.command()
@click.option(
    "--env", "environment", type=Utf8(), metavar="ENV", required=True, shell_complete=_site.complete, help="Whose gateway."
)
@click.option("--chart", type=click.Path(path_type=Path), help="The chart; by default the site's own, charts/routes.")
def values(environment: str, chart: Path | None) -> None:
    """Print the values that the chart of the routes is given for ENV, as JSON."""
    site = _site.root()
    catalogue, policy = _site.of_environment(site, environment)
    _fit([catalogue, policy])
    folder = site / "charts" / "routes" if chart is None else chart
    if not (folder / "Chart.yaml").is_file():
        raise click.UsageError(f"{folder} is no chart: it has no Chart.yaml")
    files = [(str(path.relative_to(folder)), path.read_text()) for path in sorted(folder.rglob("*")) if path.is_file()]
    print_json(pharos.gateway_values(catalogue, policy, files))
