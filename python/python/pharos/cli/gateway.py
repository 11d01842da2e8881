"""``pharos gateway``: the objects that make a mesh's gateway serve a site."""

from __future__ import annotations

from pathlib import Path

import click

import pharos
from pharos.cli import _site
from pharos.cli._files import Utf8
from pharos.cli._output import format_option, print_json


@click.group()
def gateway() -> None:
    """The gateway of the mesh."""


@gateway.command()
@click.option(
    "--env", "environment", type=Utf8(), metavar="ENV", required=True, shell_complete=_site.complete, help="Whose gateway."
)
@_site.extension_option("--extensions")
@click.option("--laboratory", type=Utf8(), metavar="NAME", help="Only the objects of this laboratory's routes.")
@format_option("human", "json")
def render(environment: str, extensions: tuple[Path, ...], laboratory: str | None, form: str) -> None:
    """Print the objects that the gateway of ENV gets, in the order in which they are applied."""
    site = _site.root()
    catalogue, policy = _site.read(site / _site.CATALOGUE), _site.read(_site.policy(site, environment))
    given = _site.extensions(extensions)
    if form == "json":
        print_json(pharos.gateway_render(catalogue, policy, extensions=given, laboratory=laboratory))
        return
    click.echo(pharos.gateway_yaml(catalogue, policy, extensions=given, laboratory=laboratory), nl=False)
