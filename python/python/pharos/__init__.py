"""Every decision about a platform site, from the Rust core.

A refused input raises :class:`RejectedError`; its ``report`` lists every finding with code, place and help. A document is
handed over as ``(name, text)``, or with the bytes of its file; the name is what messages call it.
"""

from __future__ import annotations

import json
from typing import Any

from pharos import _native
from pharos._errors import RejectedError
from pharos._native import VERSION as __version__
from pharos._native import Code, Diagnostic, Label, Report, check, code, codes

__all__ = [
    "Code",
    "Diagnostic",
    "Label",
    "RejectedError",
    "Report",
    "__version__",
    "certificate_check",
    "certificate_describe",
    "check",
    "code",
    "codes",
    "edge_environment",
    "edge_inspect",
    "edge_render",
    "routes",
]

Text = tuple[str, str | bytes]
File = tuple[str, bytes]


def routes(catalogue: Text, environment: Text) -> list[dict[str, Any]]:
    """The hosts of an environment (a policy or an edge environment) with their routes, the most specific route first."""
    table: list[dict[str, Any]] = json.loads(_native.routes(catalogue, environment))
    return table


def edge_render(catalogue: Text, environment: Text, *, nginx: str, webroot: str | None = None) -> dict[str, str]:
    """The files of the edge for this nginx version, by path; with a webroot also the one that answers ACME challenges.

    A text that is no version, or a webroot that is no path, is a ``ValueError``.
    """
    files: dict[str, str] = json.loads(_native.edge_render(catalogue, environment, nginx=nginx, webroot=webroot))
    return files


def edge_environment(catalogue: Text, policy: Text) -> dict[str, Any]:
    """The edge environment of a policy: the document that the edge playbook is given."""
    environment: dict[str, Any] = json.loads(_native.edge_environment_of(catalogue, policy))
    return environment


def edge_inspect(files: list[File]) -> tuple[dict[str, Any], Report]:
    """Who listens in an nginx configuration (files, or the output of ``nginx -T``), and what stands in the way."""
    overview, report = _native.edge_inspect(files)
    return json.loads(overview), report


def certificate_check(
    chain: File, *, key: File | None = None, trust: File, hosts: list[str], at: str, staging: bool = False
) -> tuple[list[dict[str, Any]] | None, Report]:
    """Judge a chain for hosts at an instant (RFC 3339): the verified path, or ``None`` where it is refused; the report.

    A host or an instant that cannot be read is a ``ValueError``.
    """
    path, report = _native.certificate_check(chain, key=key, trust=trust, hosts=hosts, at=at, staging=staging)
    return None if path is None else json.loads(path), report


def certificate_describe(chain: bytes) -> list[dict[str, Any]]:
    """What the certificates of a file say, in file order; nothing is judged."""
    summaries: list[dict[str, Any]] = json.loads(_native.certificate_describe(chain))
    return summaries
