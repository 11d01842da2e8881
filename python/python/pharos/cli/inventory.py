"""``pharos inventory``: what an inventory means."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

import pharos
from pharos._native import EXIT_WORLD, MAX_DOCUMENT_BYTES
from pharos._world import FileError, all_of
from pharos.cli import _files, _site
from pharos.cli._output import format_option, print_json, print_report


@click.command()
@click.argument("hosts", type=_files.INPUT, metavar="HOSTS")
@click.option("--fresh", is_flag=True, help="Judge the storage devices as a fresh installation needs them.")
@click.option("--graph", type=click.Choice(["svg", "dot"]), help="Print a picture instead.")
@format_option("human", "json", "sarif", "junit", refused=lambda findings: {"topology": None, "report": findings})
def inventory(hosts: Path, fresh: bool, graph: str | None, form: str) -> None:
    """Print the topology of the Ansible inventory HOSTS: nodes, roles, where each membership came from, findings.

    Ansible resolves the inventory; nothing is contacted that its own inventory plugins do not ask. In a checkout its
    `ansible.cfg` takes part; elsewhere no settings of Ansible's do, and HOSTS may lie anywhere.
    """
    if graph is not None and click.get_current_context().get_parameter_source("form") is not ParameterSource.DEFAULT:
        raise click.UsageError("give --graph or --format, not both: a picture has a form of its own")
    files = read(hosts)
    checked = [name for name, _ in files]
    try:
        topology, notes = resolved(hosts, files, fresh=fresh)
    except pharos.RejectedError as error:
        if form == "human":
            raise
        if form == "json":
            print_json({"topology": None, "report": json.loads(error.report.json())})
        else:
            print_report(error.report, form, fit="", checked=checked)
        sys.exit(error.report.exit_status)
    if graph is not None:
        click.echo(pharos.inventory_graph(topology, graph), nl=False)
    elif form == "human":
        click.echo(pharos.inventory_text(topology))
        print_report(notes, form, fit="the inventory is fit", checked=checked)
    elif form == "json":
        print_json({"topology": topology, "report": json.loads(notes.json())})
    else:
        print_report(notes, form, fit="", checked=checked)


def read(hosts: Path) -> list[_files.File]:
    """The static files of an inventory: itself, and the variables of groups and hosts beside it."""
    folders = [hosts] if hosts.is_dir() else [hosts.parent / name for name in ("group_vars", "host_vars")]
    paths = [] if hosts.is_dir() else [hosts]
    for folder in folders:
        paths += all_below(folder) if folder.is_dir() else []
    if not paths:
        raise FileError(hosts, "no source of an inventory in this folder", "no-sources")
    return all_of(lambda path: _files.read(path, MAX_DOCUMENT_BYTES), paths)


def all_below(folder: Path) -> list[Path]:
    """What Ansible may open below a folder, in order. It follows links to folders, and passes over hidden names."""
    paths: list[Path] = []
    seen: set[tuple[int, int]] = set()

    def fail(error: OSError) -> None:
        raise error

    for parent, folders, names in os.walk(folder, onerror=fail, followlinks=True):
        found = Path(parent).stat()
        if (found.st_dev, found.st_ino) in seen:
            folders.clear()  # it is one of those above
            continue
        seen.add((found.st_dev, found.st_ino))
        folders[:] = [name for name in folders if not name.startswith(".")]
        # A link that leads nowhere is nothing to Ansible.
        paths += [path for name in names if not name.startswith(".") and (path := Path(parent) / name).exists()]
    return sorted(paths)


def resolved(hosts: Path, files: list[_files.File], *, fresh: bool) -> tuple[dict[str, Any], pharos.Report]:
    """The topology and what was only warned about; raises ``RejectedError`` for a refused inventory."""
    from platform_deploy._console import Progress
    from platform_deploy.inventory import ResolverError, resolve

    report = pharos.inventory_sources(files)
    if report.refuses:
        raise pharos.RejectedError(report)
    # Ansible names files by their real folder; whoever asked reads the names that they wrote.
    real = hosts.parent.resolve()
    written = hosts.parent
    site = _site.find()
    checkout = site.resolve() if site is not None and (site / "ansible.cfg").is_file() else None
    try:
        with Progress("pharos", "Ansible resolves the inventory") as progress:
            facts, failures = resolve(real / hosts.name, checkout, progress)
    except ResolverError as error:
        click.echo(f"pharos: {error}", err=True)
        sys.exit(EXIT_WORLD)

    def name(path: str) -> str:
        return str(written / Path(path).relative_to(real)) if Path(path).is_relative_to(real) else path

    for source in facts["sources"]:
        source["path"] = name(source["path"])
    for failure in failures:
        if "file" in failure:
            failure["file"] = name(failure["file"])
    report = pharos.ansible_report(failures, files)
    if report.refuses:
        raise pharos.RejectedError(report + pharos.inventory_in_part(facts, files, failures, fresh=fresh))
    return pharos.inventory(facts, files, fresh=fresh)
