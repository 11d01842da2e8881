"""Ansible's own resolution of an inventory, in a process of its own.

Started by :mod:`platform_deploy.inventory` with a request on standard input, which stays open as long as somebody waits for the
answer: one JSON object a line on what was standard output. Whatever Ansible and its plugins print goes nowhere: their messages
quote the lines they complain about. A failure leaves as its kind and place, never as its text, and of a host's variables only
those that the request names are looked at.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from platform_deploy._failures import (
    Failure,
    OutOfMemoryError,
    end_of_program,
    origin,
    place,
    refused_source,
    unreadable,
    unresolved,
    watch_memory,
)

TOLD_EVERY = 2000
"""How many hosts are resolved before it is said at the latest."""


def silence() -> TextIO:
    """What was standard output, for the answer alone; the three standard streams lead nowhere from here on."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    return answer


def main() -> None:
    """Answer the one request."""
    request = json.loads(sys.stdin.readline())
    watch(os.dup(0))
    bound_memory(request["most_bytes"])
    answer = silence()
    try:
        for line in Resolver(request).answer():
            print(written(line), file=answer, flush=True)
    except MemoryError:
        print(json.dumps({"fault": OutOfMemoryError.__name__}), file=answer, flush=True)
        sys.exit(1)
    except BaseException as error:
        # The text may quote what must not be shown; the kind of the exception does not.
        print(json.dumps({"fault": type(error).__name__}), file=answer, flush=True)
        sys.exit(1)


# Ansible keeps a byte that is no UTF-8 as half a character. No text of the core's can hold one.
_HALF = re.compile("[\ud800-\udfff]")


def written(line: dict[str, Any]) -> str:
    """A line of the answer. What is no text in names and values is replaced, as in every name that the command shows."""
    return _HALF.sub("\ufffd", json.dumps(line, allow_nan=False, ensure_ascii=False))


def bound_memory(most_bytes: int) -> None:
    """Bound the address space, unless the operator's own limit is narrower."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    narrowest = min(limit for limit in (soft, hard, most_bytes) if limit != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_AS, (narrowest, hard))


def watch(waiting: int) -> None:
    """End this process, and all that it has started, as soon as nobody waits for its answer any more."""

    def end() -> None:
        while os.read(waiting, 1):
            pass
        for process in list(descendants(os.getpid())):  # before the first of them leaves its own to others
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def descendants(process: int) -> Iterator[int]:
    """The processes that a process has started, and those that these have."""
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, listed.read_text().split()):
                yield child
                yield from descendants(child)


def spare_work() -> None:
    """Have Ansible do once what it does for each host anew with the same result: most of the time of a large inventory."""
    from ansible._internal._templating._jinja_bits import AnsibleEnvironment, _TemplateCompileContext
    from ansible.vars import manager

    compiled: dict[tuple[str, bool], Any] = {}
    compile_anew, clean_facts = AnsibleEnvironment.compile, manager.clean_facts

    def compile_once(environment: Any, source: Any, *args: Any, **options: Any) -> Any:
        # An overlay has delimiters of its own; without one the text decides, and how it escapes.
        if environment.overlayed or not isinstance(source, str) or args or options:
            return compile_anew(environment, source, *args, **options)
        key = (str(source), _TemplateCompileContext.current().escape_backslashes)
        if key not in compiled:
            compiled[key] = compile_anew(environment, source)
        return compiled[key]

    AnsibleEnvironment.compile = compile_once
    # Of no facts there is nothing to clean; Ansible looks for every connection plugin first.
    manager.clean_facts = lambda facts: clean_facts(facts) if facts else facts


class Resolver:
    """One inventory, resolved."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.source: str = request["inventory"]
        self.cluster: list[str] = request["groups"]
        self.fields: dict[str, str] = request["fields"]
        self.prefix: str = request["prefix"]
        self.known: list[str] = request["known"]
        self.failures: list[Failure] = []

    def answer(self) -> Iterator[dict[str, Any]]:
        """Progress, line by line, and at last the facts with all failures."""
        from ansible.plugins.loader import init_plugin_loader

        init_plugin_loader()
        spare_work()
        loader = self.loader()
        inventory, sources = self.inventory(loader)
        groups = {
            name: {"hosts": [host.name for host in group.hosts], "children": [child.name for child in group.child_groups]}
            for name, group in inventory.groups.items()
        }
        hosts: dict[str, Any] = {}
        said = time.monotonic()
        members = self.members(inventory)
        for host, variables in self.variables(loader, inventory, members):
            hosts[host] = variables
            if time.monotonic() - said > 1 or len(hosts) % TOLD_EVERY == 0:
                said = time.monotonic()
                yield {"resolved": len(hosts), "of": len(members)}
        yield {"facts": {"sources": sources, "groups": groups, "hosts": hosts}, "failures": self.failures}

    def loader(self) -> Any:
        """A loader that notes a file of variables that cannot be read, and goes on without it."""
        from ansible.cli import CLI
        from ansible.constants import config
        from ansible.errors import AnsibleError
        from ansible.parsing.dataloader import DataLoader

        failures = self.failures
        refused: set[str] = set()

        class Loader(DataLoader):
            def load_from_file(self, file_name: str, cache: str = "all", unsafe: bool = False, **options: Any) -> Any:
                if file_name in refused:
                    return {}
                variables = "/group_vars/" in file_name or "/host_vars/" in file_name
                # What nobody keeps belongs to whoever asked: no copy of it is needed.
                unsafe = unsafe or cache == "none"
                try:
                    data = super().load_from_file(file_name, cache=cache, unsafe=unsafe, **options)
                except AnsibleError as error:
                    watch_memory(error)
                    if not variables:
                        raise
                    failures.append(unreadable(file_name, error))
                else:
                    if not variables or not data or isinstance(data, dict):
                        return data
                    failures.append({"kind": "file", **(origin(data) or {"file": file_name})})
                refused.add(file_name)
                return {}

        loader = Loader()
        loader.set_basedir(str(Path(self.source).parent))
        identities = config.get_config_value("DEFAULT_VAULT_IDENTITY_LIST")
        try:
            secrets = CLI.setup_vault_secrets(loader, vault_ids=list(identities), auto_prompt=False)
            loader.set_vault_secrets(secrets)
        except AnsibleError:
            failures.append({"kind": "vault-facility"})
        return loader

    def inventory(self, loader: Any) -> tuple[Any, list[dict[str, str]]]:
        """The inventory, with the sources that were read and by which plugin."""
        from ansible.errors import AnsibleParserError
        from ansible.inventory.manager import InventoryManager

        failures = self.failures
        read: list[dict[str, str]] = []
        tried: dict[str, list[tuple[str, BaseException]]] = {}

        class Manager(InventoryManager):
            def _fetch_inventory_plugins(self) -> list[Any]:
                plugins = super()._fetch_inventory_plugins()
                for plugin in plugins:
                    plugin.parse = recording(plugin._load_name, plugin.parse)
                return list(plugins)

            def parse_source(self, source: str, cache: bool = False) -> bool:
                parsed = super().parse_source(source, cache=cache)
                # A program of comments alone is an empty inventory in INI, if it is taken for one.
                script = dict(tried.get(source, [])).get("script") if parsed else None
                if script is not None and (end := end_of_program(source, script)) is not None:
                    failures.append({"kind": "program", "file": source, **end})
                if not parsed and not Path(source).is_dir():
                    failures.append(refused_source(source, tried.get(source, []), named_plugin(loader, source)))
                return bool(parsed)

        def recording(name: str, parse: Any) -> Any:
            def recorded(inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
                try:
                    if name == "auto" and names_no_plugin(Path(path)):
                        raise AnsibleParserError("no root 'plugin' key")
                    parse(inventory, loader, path, cache=cache)
                except Exception as error:
                    watch_memory(error)
                    tried.setdefault(path, []).append((name, error))
                    raise
                # `auto` reads nothing itself: it asks the plugin that the file names.
                asked = named_plugin(loader, path) if name == "auto" else None
                read.append({"path": str(path), "plugin": asked or name})

            return recorded

        return Manager(loader=loader, sources=[self.source]), read

    def members(self, inventory: Any) -> list[Any]:
        """The hosts of the cluster groups, whatever spelling these have. No other host is looked at."""
        found: dict[str, Any] = {}
        for name in self.cluster:
            group = inventory.groups.get(name)
            for host in group.get_hosts() if group else []:
                found[host.name] = host
        return list(found.values())

    def variables(self, loader: Any, inventory: Any, members: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The named variables of each member, templated; no other one is."""
        from ansible.errors import AnsibleError
        from ansible.vars.hostvars import HostVars
        from ansible.vars.manager import VariableManager

        manager = VariableManager(loader=loader, inventory=inventory)
        manager.safe_basedir = False  # nothing beside a playbook takes part
        HostVars(inventory=inventory, variable_manager=manager, loader=loader)
        for host in members:
            try:
                variables = manager.get_vars(host=host)
            except AnsibleError as error:
                watch_memory(error)
                self.failures.append({**place(error), "kind": "variables", "host": host.name})
                continue
            yield host.name, self.host(loader, host.name, variables)

    def host(self, loader: Any, host: str, variables: dict[str, Any]) -> dict[str, Any]:
        """The facts of a host."""
        from ansible.template import Templar

        templar = Templar(loader=loader, variables=variables)
        facts: dict[str, Any] = {}
        for fact, name in self.fields.items():
            if name in variables:
                facts[fact] = self.value(templar, host, name, variables)
        facts["pharos"] = {
            str(name): self.value(templar, host, name, variables) if name in self.known else None
            for name in variables
            if name.startswith(self.prefix)
        }
        return facts

    def value(self, templar: Any, host: str, name: str, variables: dict[str, Any]) -> Any:
        """A variable, templated, as plain data; null where that fails."""
        value = variables[name]
        if isinstance(value, bool | int):
            return plain(value)
        try:
            return plain(templar.template(value))
        except Exception as error:
            watch_memory(error)
            self.failures.append(unresolved(error, host, name, variables))
            return None


def names_no_plugin(path: Path) -> bool:
    """Whether a file cannot have the key `plugin`, however that is written: Ansible's `auto` need not read it all to find out."""
    text = path.read_bytes()
    return not text.startswith(b"$ANSIBLE_VAULT;") and b"plugin" not in text and b"\\" not in text


def named_plugin(loader: Any, path: str) -> str | None:
    """The plugin that a file names as the one to ask, if it is a file that does."""
    from ansible.errors import AnsibleError

    try:
        if not Path(path).is_file() or names_no_plugin(Path(path)):
            return None
        content = loader.load_from_file(path, cache="none")
    except (AnsibleError, OSError) as error:
        watch_memory(error)
        return None
    named = content.get("plugin") if isinstance(content, dict) else None
    return str(named) if isinstance(named, str) else None


def plain(value: Any) -> Any:
    """A value of Ansible's as JSON has it: tags, dates and what is not finite become what they look like."""
    match value:
        case None | bool():
            return None if value is None else bool(value)
        case int():
            return int(value)
        case float():
            return float(value) if math.isfinite(value) else str(float(value))
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return str(value)


if __name__ == "__main__":
    main()
