"""``python -m platform_deploy.probe --env ENV``: asks every route of a live site and says which answers are not as expected.

Also known as ``python -m devbox.mesh.probe``. Exit status: 0 all as expected, 1 refused (a table and a report were printed),
2 wrong usage, 3 the world failed (a file; a route that gave no answer), 141 nobody read on.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

import pharos
from pharos._native import MAX_TRUST_BYTES
from pharos._world import written
from pharos.cli import _files, _site, run
from pharos.cli._output import format_option, print_json
from pharos.cli.certificate import SYSTEM_TRUST


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--env", "environment", type=_files.Utf8(), metavar="ENV", required=True, shell_complete=_site.complete, help="Whose."
)
@_site.extension_option
@click.option("--trust", type=_files.INPUT, default=SYSTEM_TRUST, show_default=True, help="CA bundle.")
@click.option("--address", type=_files.Utf8(), metavar="IP", help="Ask this edge, whatever the names lead to.")
@click.option(
    "--from",
    "source",
    type=_files.Utf8(),
    metavar="CIDR",
    help="Where the edge sees the questions come from; without it a management route may answer or refuse.",
)
@click.option("--timeout", type=click.IntRange(1, 600), default=10, show_default=True, help="Seconds for an answer.")
@click.option("--junit", type=_files.FilePath(path_type=Path), help="Write JUnit XML to this file as well.")
@format_option("human", "json")
def probe(
    environment: str,
    extensions: tuple[Path, ...],
    trust: Path,
    address: str | None,
    source: str | None,
    timeout: int,
    junit: Path | None,
    form: str,
) -> None:
    """Ask every route of ENV's live site once, through the edge, and say which answers are not as expected."""
    catalogue, policy = _site.of_environment(_site.root(), environment)
    authorities = _files.read(trust, MAX_TRUST_BYTES)
    probed = pharos.probe_routes(
        catalogue,
        policy,
        extensions=_site.extensions(extensions),
        trust=authorities,
        address=address,
        source=source,
        timeout=timeout,
    )
    if junit is not None:
        written(junit, probed.junit())
    if form == "json":
        print_json(probed.verdicts)
    else:
        click.echo(probed.table(), nl=False)
    if probed.report.refuses:
        click.echo(probed.report.human(colour=sys.stderr.isatty()), err=True)
        click.echo(probed.report.summary, err=True)
        sys.exit(probed.report.exit_status)


def main() -> None:
    """Run the command and leave with its exit status."""
    run(probe, "probe")


if __name__ == "__main__":
    main()
