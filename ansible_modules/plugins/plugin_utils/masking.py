"""Keeping the values of secret options out of what is shown: Ansible does not do it for modules of this kind."""

from __future__ import annotations

from typing import Any

MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"


def secrets(specification: dict[str, Any], arguments: Any) -> set[str]:
    """The secret values among the arguments, as texts."""
    if isinstance(arguments, list):
        return set().union(*(secrets(specification, element) for element in arguments))
    if not isinstance(arguments, dict):
        return set()
    found: set[str] = set()
    for name, option in specification.items():
        value = arguments.get(name)
        if option.get("no_log"):
            found |= _texts(value)
        elif "options" in option:
            found |= secrets(option["options"], value)
    return found


def mask(value: Any, hidden: set[str]) -> Any:
    """The value with every secret in it replaced, also inside longer texts."""
    if isinstance(value, dict):
        return {mask(key, hidden): mask(inner, hidden) for key, inner in value.items()}
    if isinstance(value, list):
        return [mask(inner, hidden) for inner in value]
    if isinstance(value, str):
        for secret in sorted(hidden, key=len, reverse=True):
            value = MASK if value == secret else value.replace(secret, "********")
        return value
    return MASK if not isinstance(value, bool) and str(value) in hidden else value


def _texts(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set().union(*(_texts(inner) for inner in value.values()))
    if isinstance(value, list):
        return set().union(*(_texts(inner) for inner in value))
    return set() if value is None or isinstance(value, bool) or value == "" else {str(value)}
