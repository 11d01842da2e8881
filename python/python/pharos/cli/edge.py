"""``pharos edge``: render the public edge, inspect an existing nginx."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

import pharos
from pharos._native import MAX_NGINX_BYTES
from pharos._world import all_of, printable
from pharos.cli import _files, _site
from pharos.cli._files import Utf8
from pharos.cli._output import format_option, print_json, print_report


@click.group()
def edge() -> None:
    """The public edge."""


@edge.command()
@click.option(
    "--env", "environment", type=Utf8(), metavar="ENV", required=True, shell_complete=_site.complete, help="Whose edge."
)
@click.option("--nginx", "version", type=Utf8(), metavar="VERSION", default="1.22.1", show_default=True, help="For this nginx.")
@click.option("--webroot", type=Utf8(), metavar="PATH", help="With the port-80 file that answers ACME challenges from here.")
@_site.extension_option
@format_option("human", "json")
def render(environment: str, version: str, webroot: str | None, extensions: tuple[Path, ...], form: str) -> None:
    """Print the nginx configuration that the edge of ENV gets."""
    catalogue, policy = _site.of_environment(_site.root(), environment)
    try:
        files = pharos.edge_render(catalogue, policy, nginx=version, webroot=webroot, extensions=_site.extensions(extensions))
    except pharos.RejectedError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if form == "json":
        print_json(files)
        return
    for path, text in files.items():
        click.echo(f"# configuration file {path}:\n{text}")


@edge.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=_files.INPUT)
@format_option("human", "json", "sarif", "junit", refused=lambda findings: {"configurations": [], "diagnostics": findings})
def inspect(files: tuple[Path, ...], form: str) -> None:
    """Say who listens in an nginx configuration: FILEs, or the output of `nginx -T` (`-` is standard input)."""
    read = _read(files)
    overview, report = pharos.edge_inspect(read)
    if form == "json":
        print_json({**overview, "diagnostics": json.loads(report.json())})
        sys.exit(report.exit_status)
    if form == "human":
        for configuration in overview["configurations"]:
            for listener in configuration["listeners"]:
                click.echo(_listener(listener))
    print_report(report, form, fit="nothing stands in the way", checked=[name for name, _ in read])


def _read(paths: tuple[Path, ...]) -> list[_files.File]:
    """The files themselves; a folder stands for all files below it, and where there are none for an empty one."""
    files = [file for path in paths for file in ((_files.below(path) or [path]) if path.is_dir() else [path])]
    room = MAX_NGINX_BYTES

    def read(file: Path) -> _files.File | None:
        nonlocal room
        if room < 0:
            return None
        if file.is_dir():
            return printable(file), b""
        named = _files.standard_input(room) if file == Path("-") else _files.read(file, room)
        room -= len(named[1])
        return named

    return [file for file in all_of(read, files) if file is not None]


def _listener(listener: dict[str, Any]) -> str:
    """A listener with its servers, the default one marked."""
    traits = [name for name in ("ssl", "http2") if listener[name]]
    lines = [" ".join([f"{listener['endpoint']}", *traits])]
    for index, server in enumerate(listener["servers"]):
        names = ", ".join(server["names"]) or "(no name)"
        word = ""
        if index == listener["default"]:
            word = "  default_server" if listener["explicit_default"] else "  (default: the first)"
        lines.append(f"  {names}  {server['listen']['file']}:{server['listen']['line']}{word}")
    return "\n".join(lines)


@edge.command("environment")
@click.option("--env", "name", metavar="ENV", required=True, shell_complete=_site.complete, help="Whose edge.")
def edge_environment(name: str) -> None:
    """Print the edge environment of ENV: the document that the edge playbook is given."""
    catalogue, policy = _site.of_environment(_site.root(), name)
    print_json(pharos.edge_environment(catalogue, policy))
