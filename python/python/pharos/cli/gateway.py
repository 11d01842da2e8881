"""``pharos gateway``: the objects that make a mesh's gateway serve a site."""

from __future__ import annotations

from pathlib import Path

import click

import pharos
from pharos._world import FileError, printable
from pharos.cli import _files, _site
from pharos.cli._files import File, Utf8
from pharos.cli._output import format_option, print_json

# The file of a chart that holds the schema of its values.
SCHEMA = "values.schema.json"


@click.group()
def gateway() -> None:
    """The gateway of the mesh."""


def _fit(documents: list[File], chart_schema: File | None = None) -> None:
    """Refuse documents that the whole judgement refuses, proofs over the objects included, and a chart of another catalogue."""
    report = pharos.check(documents)
    if chart_schema is not None:
        # What is wrong with the catalogue is said once.
        of_schema = pharos.gateway_chart_schema(documents[0], chart_schema)
        report = report if report.refuses else report + of_schema
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


def _no_chart(folder: Path) -> str:
    """Why a folder is no chart."""
    if not folder.exists():
        return "there is no folder of this name"
    return "it has no Chart.yaml" if folder.is_dir() else "it is no folder, and a chart is one"


def _text(path: Path) -> str:
    """A file of the chart."""
    try:
        return path.read_text()
    except UnicodeDecodeError:
        raise FileError(path, "not UTF-8", "not-text") from None


@gateway.command()
@click.option(
    "--env", "environment", type=Utf8(), metavar="ENV", required=True, shell_complete=_site.complete, help="Whose gateway."
)
@click.option("--chart", type=_files.INPUT, help="The folder of the chart; by default charts/routes of the checkout.")
def values(environment: str, chart: Path | None) -> None:
    """Print the values that the chart of the routes is given for ENV, as JSON."""
    site = _site.root()
    catalogue, policy = _site.of_environment(site, environment)
    folder = site / "charts" / "routes" if chart is None else chart
    if not (folder / "Chart.yaml").is_file():
        _fit([catalogue, policy])
        if chart is None:
            raise click.UsageError(f"no chart of the routes in {folder}; name its folder with --chart")
        raise FileError(folder, _no_chart(folder), "no-chart")
    files = [(str(path.relative_to(folder)), _text(path)) for path in _files.below(folder)]
    schema = dict(files).get(SCHEMA)
    _fit([catalogue, policy], None if schema is None else (printable(folder / SCHEMA), schema.encode()))
    print_json(pharos.gateway_values(catalogue, policy, files))


@gateway.command()
def schema() -> None:
    """Print the schema of the chart's values for the site's own catalogue: `values.schema.json` of its copy of the chart."""
    site = _site.root()
    catalogue = _site.read(site / _site.CATALOGUE)
    _fit([catalogue])
    try:
        click.echo(pharos.gateway_schema(catalogue), nl=False)
    except pharos.RejectedError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from None
