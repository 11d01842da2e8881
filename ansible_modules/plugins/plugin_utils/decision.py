"""The filters, lookups and tests of this collection: values in, one question, one value out. Nothing is decided here."""

from __future__ import annotations

import errno
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ansible import errors
from ansible.plugins.lookup import LookupBase
from ansible.utils.display import Display
from ansible_collections.pharos.platform.plugins.plugin_utils import controller
from ansible_collections.pharos.platform.plugins.plugin_utils.collection import GENERATED
from ansible_collections.pharos.platform.plugins.plugin_utils.documents import Find, read
from ansible_collections.pharos.platform.plugins.plugin_utils.fault import TransportError

# One error for every kind of plugin from ansible-core 2.19 on; before, each kind has its own, and lookups need theirs.
_KINDS = {"filter": "AnsibleFilterError", "lookup": "AnsibleLookupError", "test": "AnsibleFilterError"}

# Ansible keeps a byte that is no UTF-8 as half a character, in what was read of a binary file; JSON has no such.
_HALF = re.compile("[\ud800-\udfff]")


def decision(kind: str, name: str) -> Callable[..., Any]:
    """The function that a filter or test of this name is to Jinja."""

    def decide(*positional: Any, **named: Any) -> Any:
        return _ask(kind, name, _by_name(kind, name, positional, named))

    return decide


class DecisionLookup(LookupBase):
    """A lookup: its documents are read on the controller, all terms are asked about at once."""

    decision = ""

    def run(self, terms: list[Any], variables: dict[str, Any] | None = None, **named: Any) -> list[Any]:
        """One value for each term."""

        def find(path: str) -> str:
            found = self.find_file_in_search_path(variables or {}, "files", path, ignore_missing=True)
            if found is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            return str(found)

        given = self._flatten(terms) if isinstance(terms, list | tuple) else terms
        answers: list[Any] = _ask("lookup", self.decision, {"_terms": given} | named, find, variables)
        return answers


def _ask(kind: str, name: str, given: dict[str, Any], find: Find | None = None, variables: dict[str, Any] | None = None) -> Any:
    generated = GENERATED["plugins"][kind][name]
    read_of_hosts = generated["host_variables"]
    try:
        if read_of_hosts and isinstance(given.get(read_of_hosts["option"]), Mapping):
            given |= {read_of_hosts["option"]: _host_variables(read_of_hosts, given)}
        arguments = plain(given)
        question = controller.request(name, arguments) | {"plugin": kind}
        if find:
            # Judged before a file is opened: what is no path is none to look for.
            answer = controller.ask(question | {"judge": True})
            if answer.get("failed"):
                raise _refusal(kind, answer)
            question["arguments"] = arguments | read(generated, arguments, find, variables or {})
        answer = controller.ask(question)
    except TransportError as error:
        answer = error.answer("")
    if answer.get("failed"):
        raise _refusal(kind, answer)
    for warning in answer.get("warnings", []):
        Display().warning(warning)
    return answer["value"]


def _refusal(kind: str, answer: dict[str, Any]) -> Exception:
    """The report, as the error of Ansible's that ends the template."""
    error = getattr(errors, "AnsibleTemplatePluginError", None) or getattr(errors, _KINDS[kind])
    refusal: Exception = error(answer["msg"])
    refusal.diagnostics = answer["diagnostics"]  # type: ignore[attr-defined]
    return refusal


def _by_name(kind: str, name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """What was given by its place under its name, and what has no place of its own apart, which the core refuses."""
    names = [place for place in GENERATED["plugins"][kind][name]["positional"] if place not in named]
    given: dict[str, Any] = dict(zip(names, positional, strict=False)) | named
    return given | ({"*": list(positional[len(names) :])} if len(positional) > len(names) else {})


def _host_variables(wanted: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Of the hosts in these groups the variables of these names, and of others with the prefix the name alone.

    What has another form than it should is left as it is: the core says what is wrong with it.
    """
    groups, variables = given.get(wanted["groups_option"]), given[wanted["option"]]
    if not isinstance(groups, Mapping):
        return {}
    lists = [hosts for group in wanted["groups"] if isinstance(hosts := groups.get(group), list | tuple)]
    members = [host for hosts in lists for host in hosts if isinstance(host, str)]
    misshapen = [host for host in variables if not isinstance(variables[host], Mapping)] if isinstance(variables, dict) else []
    read_of = {str(host): variables[host] for host in [*members, *misshapen] if host in variables}
    return {host: _named(wanted, of_host) for host, of_host in read_of.items()}


def _named(wanted: dict[str, Any], variables: Any) -> Any:
    if not isinstance(variables, Mapping):
        return variables
    return {
        name: _resolved(variables, name) if name in wanted["names"] else None
        for name in variables
        if name in wanted["names"] or str(name).startswith(wanted["prefix"])
    }


def _resolved(variables: Any, name: str) -> Any:
    """A variable, read through; of one that cannot be resolved the kind of the failure, which the core words with all others."""
    try:
        return plain(variables[name])
    except Exception as error:
        kinds = {type(one).__name__ for one in _chain(error)}
        if kinds & {"AnsibleUndefinedVariable", "UndefinedError"}:
            kind = "undefined"
        else:
            kind = "vault-variable" if any("Vault" in one for one in kinds) else "template"
        return {"*unresolved": kind}


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and what it came from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def plain(value: Any) -> Any:
    """A value of Ansible's as JSON has it, read through: templates in it are resolved, tags and vaults become what they hold."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if hasattr(value, "isdecimal"):  # a text, or what a vault holds: that has a text's methods and is none
        return _HALF.sub("\ufffd", str(value))
    if isinstance(value, Mapping):
        return {_HALF.sub("\ufffd", str(key)): plain(value[key]) for key in value}
    if isinstance(value, Iterable):
        return [plain(element) for element in value]
    return str(value)
