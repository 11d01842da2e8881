"""``pharos certificate``: judge what a server would present."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

import pharos
from pharos._native import MAX_CHAIN_BYTES, MAX_TRUST_BYTES
from pharos._world import all_of, printable
from pharos.cli import _files
from pharos.cli._output import format_option, print_json, print_report

SYSTEM_TRUST = Path("/etc/ssl/certs/ca-certificates.crt")


@click.group()
def certificate() -> None:
    """Certificates."""


@certificate.command("check")
@click.option("--chain", required=True, type=_files.INPUT, help="The certificate and its intermediates.")
@click.option("--key", type=_files.INPUT, help="The private key; only its match is judged.")
@click.option("--trust", type=_files.INPUT, default=SYSTEM_TRUST, show_default=True, help="CA bundle.")
@click.option(
    "--host", "hosts", type=_files.Utf8(), required=True, multiple=True, help="A name that clients ask for; repeatable."
)
@click.option(
    "--at", "instant", type=_files.Utf8(), metavar="DATE", help="The instant of the judgement (RFC 3339); now by default."
)
@click.option("--staging", is_flag=True, help="Accept a chain of an ACME staging environment.")
@format_option("human", "json", "sarif", "junit", refused=lambda findings: {"path": None, "diagnostics": findings})
def certificate_check(
    chain: Path, key: Path | None, trust: Path, hosts: tuple[str, ...], instant: str | None, staging: bool, form: str
) -> None:
    """Judge trust path, names, dates, key and order of a certificate file."""
    at = instant if instant is not None else datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    asked = [(chain, MAX_CHAIN_BYTES), (trust, MAX_TRUST_BYTES), *([(key, MAX_CHAIN_BYTES)] if key else [])]
    read_chain, read_trust, *read_key = all_of(lambda file: _files.read(*file), asked)
    try:
        path, report = pharos.certificate_check(
            read_chain,
            key=read_key[0] if read_key else None,
            trust=read_trust,
            hosts=list(hosts),
            at=at,
            staging=staging,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if form == "json":
        print_json({"path": path, "diagnostics": json.loads(report.json())})
        sys.exit(report.exit_status)
    if form == "human":
        for summary in path or []:
            click.echo(f"{summary['subject'] or '(no subject)'}: until {summary['not_after']}, {summary['key']}")
    print_report(report, form, fit=f"fit for {', '.join(hosts)}", checked=[printable(chain)])
