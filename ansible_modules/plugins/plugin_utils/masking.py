"""Keeping the values of secret options out of what is shown: Ansible does not do it for modules of this kind."""

from __future__ import annotations

from typing import Any

MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"

# What is shorter is found by chance in any sentence: it is a secret where it is the whole value.
_LEAST = 6

# An object of Kubernetes is known by its kind and by these of its metadata. An annotation may be a copy of all that it holds.
_KNOWN_BY = ("name", "namespace", "labels", "uid", "resourceVersion")

# What Ansible goes by, and what a diagnostic is sorted and placed by: our own words and numbers, never those of an argument.
_OUTCOME = ("changed", "failed", "rc", "skipped", "unreachable")
_PLACE = ("code", "severity", "line", "column", "end_line", "end_column")


def secrets(specification: dict[str, Any], arguments: Any) -> set[str]:
    """The secret values among the arguments, as texts."""
    if isinstance(arguments, list | tuple):
        return set().union(*(secrets(specification, element) for element in arguments))
    if not isinstance(arguments, dict):
        # a dictionary in the form of a text, or none where one was meant
        return _texts(arguments) if _holds_secrets(specification) else set()
    found: set[str] = set()
    for name, option in specification.items():
        value = arguments.get(name)
        if option.get("no_log"):
            found |= _texts(value)
        elif "options" in option:
            found |= secrets(option["options"], value)
    return found | _texts(_misplaced(specification, arguments))


def mask_answer(answer: dict[str, Any], hidden: set[str]) -> dict[str, Any]:
    """The answer of a module with every secret in its values replaced; what Ansible and programs go by stays as it is."""
    masked = _except(_OUTCOME, answer, hidden)
    diagnostics = answer.get("diagnostics")
    if isinstance(diagnostics, list):
        masked["diagnostics"] = [_diagnostic(each, hidden) for each in diagnostics]
    return masked


def mask_arguments(specification: dict[str, Any], arguments: Any, hidden: set[str]) -> Any:
    """The arguments as they are shown: no value of a secret option, whatever it is, and no secret in another one."""
    if isinstance(arguments, list | tuple):
        return [mask_arguments(specification, element, hidden) for element in arguments]
    if not isinstance(arguments, dict):
        return mask(arguments, hidden)

    misplaced = _misplaced(specification, arguments)

    def shown(name: str, value: Any) -> Any:
        option = specification.get(name, {})
        if option.get("no_log") or name in misplaced:
            return MASK
        return mask_arguments(option["options"], value, hidden) if "options" in option else mask(value, hidden)

    return {name: shown(name, value) for name, value in arguments.items()}


def mask(value: Any, hidden: set[str]) -> Any:
    """The value with every secret in it replaced, also inside longer texts. Keys are names, and stay."""
    if isinstance(value, dict):
        return {key: mask(inner, hidden) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [mask(inner, hidden) for inner in value]
    if isinstance(value, str):
        if value in hidden:
            return MASK
        for secret in sorted((each for each in hidden if len(each) >= _LEAST), key=len, reverse=True):
            value = value.replace(secret, "********")
        return value
    return MASK if not isinstance(value, bool) and str(value) in hidden else value


def _except(names: tuple[str, ...], values: dict[str, Any], hidden: set[str]) -> dict[str, Any]:
    return {name: value if name in names else mask(value, hidden) for name, value in values.items()}


def _diagnostic(diagnostic: dict[str, Any], hidden: set[str]) -> dict[str, Any]:
    labels = [_except(_PLACE, label, hidden) for label in diagnostic.get("labels", [])]
    return _except(_PLACE, diagnostic, hidden) | {"labels": labels}


def _misplaced(specification: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """What stands beside the options where secrets are: a misspelt one, or an object in the place of its text."""
    if not _holds_secrets(specification):
        return {}
    return {name: value for name, value in arguments.items() if name not in specification}


def _holds_secrets(specification: dict[str, Any]) -> bool:
    return any(option.get("no_log") or _holds_secrets(option.get("options", {})) for option in specification.values())


def _texts(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set().union(*(_texts(inner) for inner in _held(value)))
    if isinstance(value, list | tuple):
        return set().union(*(_texts(inner) for inner in value))
    return set() if value is None or isinstance(value, bool) or not str(value).strip() else {str(value)}


def _held(value: dict[str, Any]) -> list[Any]:
    """What a dictionary holds; of an object of Kubernetes without what it is known by."""
    if not {"apiVersion", "kind"} <= value.keys():
        return list(value.values())
    metadata = value.get("metadata")
    described = [inner for name, inner in metadata.items() if name not in _KNOWN_BY] if isinstance(metadata, dict) else [metadata]
    return described + [inner for name, inner in value.items() if name not in ("apiVersion", "kind", "metadata")]
