"""Where a site's documents lie: found from the working directory upwards, read once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

import pharos
from pharos._native import MAX_DOCUMENT_BYTES
from pharos._world import FileError, all_of, working_directory
from pharos.cli import _files

Command = TypeVar("Command", bound=Callable[..., Any])

CATALOGUE = Path("catalogue/services.yaml")
POLICY = "environments/{}/policy.yaml"


def find() -> Path | None:
    """The nearest folder, from here upwards, that holds a catalogue; as a path relative to here where that is shorter."""
    here = working_directory()
    for folder in (here, *here.parents):
        if (folder / CATALOGUE).is_file():
            return Path() if folder == here else folder
    return None


def root(remedy: str = "name the files, or go to the site's folder") -> Path:
    """That folder; without one it is wrong usage, and the remedy is said."""
    if (folder := find()) is None:
        raise click.UsageError(f"no {CATALOGUE} here or above; {remedy}")
    return folder


def read(path: Path) -> _files.File:
    """A file with the name that messages give it."""
    return _files.read(path, MAX_DOCUMENT_BYTES)


def environments(site: Path) -> list[str]:
    """The names of a site's environments: its folders, so that a policy that is misspelt or gone is not passed over."""
    return sorted(path.name for path in site.glob("environments/*/") if not path.name.startswith("."))


def policy(site: Path, environment: str) -> Path:
    """The policy of an environment; an unknown name lists the known ones."""
    known = environments(site)
    if environment not in known:
        raise click.UsageError(f"no environment `{environment}`; there are {', '.join(known) or 'none'}")
    return site / POLICY.format(environment)


def documents(site: Path, environment: str | None) -> list[_files.File]:
    """The catalogue, and one policy or all of them."""
    names = environments(site) if environment is None else [environment]
    return all_of(read, [site / CATALOGUE, *(policy(site, name) for name in names)])


def of_environment(site: Path, environment: str) -> tuple[_files.File, _files.File]:
    """The catalogue, and the policy of an environment."""
    catalogue, own = documents(site, environment)
    return catalogue, own


def extension_option(command: Command) -> Command:
    """The option that names the extensions of laboratories; `-` is a stream of them."""
    option = click.option(
        "--extension",
        "--extensions",
        "extensions",
        multiple=True,
        metavar="FILE",
        type=_files.INPUT,
        help="The routes file of a laboratory; `-` reads a YAML stream of any number. May be repeated.",
    )
    return option(command)


def extensions(paths: tuple[Path, ...]) -> list[_files.File]:
    """The extensions at these paths; each document of the standard input is one."""

    def documents_of(path: Path) -> list[_files.File]:
        if str(path) == "-":
            return pharos.extension_documents(*_files.standard_input(MAX_DOCUMENT_BYTES))
        return [read(path)]

    return [document for found in all_of(documents_of, paths) for document in found]


def expanded(paths: tuple[Path, ...]) -> list[Path]:
    """The files themselves; a folder stands for the YAML files below it, and one without any is an error."""
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
        elif found := _files.below(path, lambda file: file.suffix in {".yaml", ".yml"}):
            files.extend(found)
        else:
            raise FileError(path, "no *.yaml or *.yml file below this folder", "no-documents")
    return files


def complete(_context: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """The environments that begin with what was typed."""
    site = find()
    return [] if site is None else [name for name in environments(site) if name.startswith(start)]
