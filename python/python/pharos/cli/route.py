"""``pharos route``: one request on its way through the site."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

import pharos
from pharos._native import EXIT_REFUSED
from pharos.cli import _site
from pharos.cli._files import Utf8
from pharos.cli._output import format_option, print_json


@click.group()
def route() -> None:
    """One request on its way through the site."""


class Pair(Utf8):
    """``KEY=VALUE``: what both may be is judged with the question."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Key and value."""
        key, equals, rest = super().convert(value, param, ctx).partition("=")
        if not equals:
            self.fail(f"{key!r} has no `=`; write KEY=VALUE, and nothing after `=` for an empty value.", param, ctx)
        return key, rest


def _distinct(ctx: click.Context, param: click.Parameter, pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """No key twice: a pod has one value of each label."""
    keys = [key for key, _ in pairs]
    if twice := next((key for key in keys if keys.count(key) > 1), None):
        raise click.BadParameter(f"{twice!r} is given twice.", ctx, param)
    return pairs


@route.command()
@click.argument("url", metavar="URL", type=Utf8())
@click.option(
    "--env", "environment", type=Utf8(), metavar="ENV", required=True, shell_complete=_site.complete, help="Which site."
)
@_site.extension_option
@click.option("--from", "origin", type=Utf8(), metavar="CIDR", help="Address or network of the sender; anywhere by default.")
@click.option("--expect", type=click.Choice(["allow", "deny"]), help="Exit with 1 if the verdict is another.")
@click.option(
    "--by",
    type=click.Choice(["client", "edge", "node", "pod"]),
    default="client",
    show_default=True,
    help="Who sends it; all but a client speak to the gateway itself.",
)
@click.option("--namespace", type=Utf8(), help="With `--by pod`: the pod's.")
@click.option(
    "--label",
    "labels",
    type=Pair(),
    metavar="KEY=VALUE",
    multiple=True,
    callback=_distinct,
    help="With `--by pod`: one of the pod's.",
)
@click.option("--method", type=Utf8(), help="GET by default.")
@click.option("--target", type=Utf8(), help="The request target, where it is not the URL's path.")
@click.option("--host", type=Utf8(), help="The Host header, where it is not the URL's host.")
@click.option("--sni", type=Utf8(), help="The name in the handshake, where it is not the URL's host; empty for none.")
@click.option("--forwarded-for", type=Utf8(), help="An X-Forwarded-For that the sender makes up.")
@click.option("--websocket", is_flag=True, help="The request asks for a WebSocket.")
@format_option("human", "json")
def explain(
    url: str,
    environment: str,
    extensions: tuple[Path, ...],
    origin: str | None,
    expect: str | None,
    labels: tuple[tuple[str, str], ...],
    form: str,
    *,
    websocket: bool,
    **details: str | None,
) -> None:
    """Say whether a request for URL reaches its backend, and which rule decides at each hop."""
    catalogue, policy = _site.of_environment(_site.root(), environment)
    explainer = pharos.RouteExplainer(
        catalogue,
        policy,
        extensions=_site.extensions(extensions),
    )
    question: dict[str, Any] = {"url": url, "from": origin, **details}
    question = {key: value for key, value in question.items() if value is not None}
    if websocket:
        question["websocket"] = True
    if labels:
        question["labels"] = dict(labels)
    try:
        answer = explainer.explain(question)
        text = explainer.text(question)
    except pharos.RejectedError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if form == "json":
        print_json(answer)
    else:
        click.echo(text, nl=False)
    if expect not in {None, answer["verdict"]}:
        click.echo(f"pharos: {expect} is expected, and the verdict is {_decision(answer)}", err=True)
        sys.exit(EXIT_REFUSED)


def _decision(answer: dict[str, Any]) -> str:
    """The verdict with the hop that decides and the place of its rule."""
    hop = next((hop for hop in answer["hops"] if hop["verdict"] == "deny"), answer["hops"][-1])
    places = [f"{place['file']}:{place['line']}" for place in hop["places"] if place["line"] is not None]
    return ", ".join([f"{answer['verdict']}: {hop['hop']}, {hop['rule']}", *places[:1]])
