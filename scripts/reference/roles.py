"""The roles, from their argument specifications."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from reference.page import REPOSITORY, markdown, page, table

ABOUT = """
Every variable of every role, from `meta/argument_specs.yml`; `defaults/main.yml` says what it is if nothing is said.
This page is written by `scripts/generate`.
"""


def roles_page() -> str:
    """The page."""
    return page(
        "Roles", ABOUT, (part for path in sorted(REPOSITORY.glob("roles/*/meta/argument_specs.yml")) for part in _role(path))
    )


def _role(path: Path) -> Iterator[str]:
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"]
    name = path.parent.parent.name
    yield f"## {name}\n\nOutcome and roll-back: `roles/{name}/README.md`."
    shown: list[dict[str, Any]] = []
    for entry, spec in entries.items():
        options = spec.get("options", {})
        text = _text(spec.get("description", ""))
        yield f"### {name}: {entry}\n\n{spec['short_description']}. {text}"
        if options in shown:
            yield "The variables are those above."
        else:
            yield table(("variable", "type", "meaning"), _options(options))
            shown.append(options)


def _text(description: str | list[str]) -> str:
    return markdown(description if isinstance(description, str) else " ".join(description))


def _options(options: dict[str, Any], above: str = "") -> Iterator[tuple[str, str, str]]:
    for name, option in options.items():
        kind = f"list of {option['elements']}" if option.get("type") == "list" else option.get("type", "str")
        parts = [_text(option["description"])]
        if choices := option.get("choices"):
            parts.append(f"One of {', '.join(f'`{each}`' for each in choices)}.")
        if option.get("required"):
            parts.append("**Required.**")
        elif option.get("default") not in (None, "", []):
            parts.append(f"Default: `{str(option['default']).lower() if option.get('type') == 'bool' else option['default']}`.")
        yield f"`{above}{name}`", kind, " ".join(parts)
        yield from _options(option.get("options", {}), f"{above}{name}.")
