"""What Ansible could not resolve: each failure as its kind and place, never as its text, which quotes what it complains about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Failure = dict[str, Any]


class OutOfMemoryError(BaseException):
    """An inventory that takes more than it may. No ``Exception``: Ansible would take that for a fault of one source."""


def chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and what it came from, the outermost first."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield at
        at = at.__cause__ or at.__context__


def watch_memory(error: BaseException) -> None:
    """End the resolution if this failure, or what it came from, is that there is no memory left."""
    if any(isinstance(one, MemoryError) for one in chain(error)):
        raise OutOfMemoryError from None


def origin(value: Any) -> Failure:
    """Where a value was written, as far as Ansible knows."""
    from ansible._internal._datatag._tags import Origin

    tag = value if isinstance(value, Origin) else Origin.get_tag(value)
    if tag is None or not tag.path:
        return {}
    return {"file": tag.path, **({"line": tag.line_num, "column": tag.col_num or 1} if tag.line_num else {})}


def place(error: BaseException) -> Failure:
    """The most exact place that an exception or one of its causes knows."""
    places = [origin(getattr(one, "obj", None)) for one in chain(error)]
    return next((one for one in places if "line" in one), next((one for one in places if one), {}))


def closed_vault(error: BaseException) -> BaseException | None:
    """The exception that says that a vault was not opened, if it is that."""
    from ansible._internal._templating._jinja_common import UndecryptableVaultError
    from ansible.parsing.vault import AnsibleVaultError, AnsibleVaultFormatError

    kinds = (UndecryptableVaultError, AnsibleVaultError, AnsibleVaultFormatError)
    return next((one for one in chain(error) if isinstance(one, kinds)), None)


def header(path: str) -> list[str] | None:
    """The parts of the first line of a file that is a vault as a whole: its version, cipher and label."""
    with Path(path).open("rb") as file:
        line = file.readline(200)
    return line.decode(errors="replace").strip().split(";") if line.startswith(b"$ANSIBLE_VAULT;") else None


def label(parts: list[str]) -> dict[str, str]:
    """The identity that a vault names."""
    return {"vault_id": parts[3]} if len(parts) > 3 else {}


def unreadable(path: str, error: BaseException) -> Failure:
    """A file of variables that could not be read."""
    parts = header(path)
    if parts is not None:
        return {"kind": "vault-file", "file": path, **label(parts)}
    found = place(error)
    return {"kind": "file", **(found if found.get("file") == path else {"file": path})}


def refused_source(source: str, tried: list[tuple[str, BaseException]], asked: str | None) -> Failure:
    """A source that no plugin could read: of the plugin that it names, or of its file's kind, which knows the place best."""
    if Path(source).is_file():
        if (parts := header(source)) is not None:
            return {"kind": "vault-file", "file": source, **label(parts)}
        if (end := end_of_program(source, dict(tried).get("script"))) is not None:
            return {"kind": "program", "file": source, **end}
    if asked is not None:
        from ansible.plugins.loader import inventory_loader

        if not inventory_loader.find_plugin(asked):
            return {"kind": "plugin", "plugin": asked, "file": source}
        error = dict(tried).get("auto")
        return {"kind": "source", "plugin": asked, "file": source, **(reason(error) if error else {})}
    wanted = {".yml": "yaml", ".yaml": "yaml", ".json": "yaml", ".toml": "toml"}.get(Path(source).suffix, "ini")
    ranked = sorted(tried, key=lambda one: one[0] != wanted)
    plugin, error = ranked[0] if ranked else (None, None)
    found = place(error) if error else {}
    named = {"plugin": plugin} if plugin else {}
    return {"kind": "source", **named, **(found if found.get("file") == source else {"file": source})}


def reason(error: BaseException) -> dict[str, str]:
    """Why a plugin could not read its source: the kind, with the name of a library or of an option alone."""
    from ansible.errors import AnsibleOptionsError, AnsibleRequiredOptionError, AnsibleTemplateError

    for one in chain(error):
        text = str(one)
        if isinstance(one, ImportError) and one.name:
            return {"reason": "library", "subject": one.name}
        if library := re.search(r"required Python library \(([\w.-]+)", text):
            return {"reason": "library", "subject": library[1]}
        if isinstance(one, AnsibleOptionsError) and (option := re.search(r"[Cc]onfig '(\w+)' for ", text)):
            kind = "missing" if isinstance(one, AnsibleRequiredOptionError) else "option"
            return {"reason": kind, "subject": option[1]}
        if isinstance(one, AnsibleTemplateError):
            return {"reason": "template"}
        if "could not be verified by inventory plugin" in text:
            return {"reason": "file-name"}
    return {}


def end_of_program(source: str, error: BaseException | None) -> Failure | None:
    """How a source that is a program failed; ``None`` for one that is none, although its file may be executed."""
    if error is not None and (status := re.search(r"non-zero exit code (-?[0-9]+)", str(error))):
        return {"end": "failed", "status": int(status[1])}
    with Path(source).open("rb") as file:
        if not file.read(4).startswith((b"#!", b"\x7fELF")):
            return None
    if error is None:
        return {"end": "not-executable"}
    return {"end": "not-started" if any(isinstance(one, OSError) for one in chain(error)) else "no-inventory"}


def unresolved(error: BaseException, host: str, name: str, variables: dict[str, Any]) -> Failure:
    """A variable that could not be templated; of a vault the variable that holds it."""
    from ansible.errors import AnsibleUndefinedVariable
    from ansible.parsing.vault import EncryptedString

    own = origin(variables[name])
    closed = closed_vault(error)
    if closed is None:
        kind = "undefined" if any(isinstance(one, AnsibleUndefinedVariable) for one in chain(error)) else "template"
        return {"kind": kind, "host": host, "variable": name, **(own or place(error))}
    at = origin(getattr(closed, "obj", None)) or own
    for other, value in variables.items():
        if isinstance(value, EncryptedString) and origin(value) == at:
            parts = value._ciphertext.splitlines()[0].split(";")
            return {"kind": "vault-variable", "host": host, "variable": other, **at, **label(parts)}
    return {"kind": "vault-variable", "host": host, "variable": name, **at}
