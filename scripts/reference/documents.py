"""The documents, from their JSON Schemas: one table a type."""

import json
from collections.abc import Iterator
from typing import Any

from reference.page import REPOSITORY, page, table

ABOUT = """
Every key of every document, from `catalogue/schema/*.json`, which come from the Rust types. What a key may be beside
others is said by the rules, whose findings are the [codes](codes.md). This page is written by `scripts/generate`.
"""
DOCUMENTS = {
    "catalogue": ("Catalogue", "`catalogue/services.yaml`"),
    "policy": ("Policy", "`environments/<ENV>/policy.yaml`"),
    "edge-environment": ("Edge environment", "what `pharos edge environment --env ENV` prints"),
    "extension": ("Laboratory", "the routes file of a laboratory"),
    "external-aai": ("External identity", "the private file that `pharos_external_aai_file` names"),
}

Schema = dict[str, Any]


def documents_page() -> str:
    """The page."""
    return page("Documents", ABOUT, (part for name in DOCUMENTS for part in _document(name)))


def _document(name: str) -> Iterator[str]:
    title, where = DOCUMENTS[name]
    schema = json.loads((REPOSITORY / "catalogue" / "schema" / f"{name}.json").read_text(encoding="utf-8"))
    types: dict[str, Schema] = schema.get("definitions", {})
    yield f"## {title}\n\n{schema['description']} It is {where}; the schema is `catalogue/schema/{name}.json`."
    yield table(("key", "value", "meaning"), _keys(title, schema, types))
    for type_name, of_type in types.items():
        if rows := list(_keys(title, of_type, types)):
            yield f"### {title}: {type_name}\n\n{of_type.get('description', '')}"
            yield table(("key", "value", "meaning"), rows)


def _keys(title: str, of_type: Schema, types: dict[str, Schema]) -> Iterator[tuple[str, str, str]]:
    """The keys of a mapping; of one that has one of several keys, all of these."""
    for each in [of_type, *of_type.get("oneOf", [])]:
        for key, value in each.get("properties", {}).items():
            parts = [value.get("description", each.get("description", ""))]
            if key in of_type.get("required", []):
                parts.append("**Required.**")
            elif value.get("default") not in (None, [], {}):
                parts.append(f"Default: `{json.dumps(value['default'])}`.")
            yield f"`{key}`", _value(title, value, types), " ".join(parts)


def _value(title: str, schema: Schema, types: dict[str, Schema]) -> str:
    """What may stand there, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        of_type = types[name]
        if any(True for _ in _keys(title, of_type, types)):
            return f"[{name}](#{f'{title} {name}'.lower().replace(' ', '-')})"
        return _value(title, of_type, types) if "oneOf" in of_type else str(of_type.get("description", name)).rstrip(".")
    for several in ("allOf", "anyOf", "oneOf"):
        if several in schema:
            return " or ".join(_value(title, each, types) for each in schema[several] if each.get("type") != "null")
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    if schema.get("type") == "array":
        return f"list: {_value(title, schema.get('items', {}), types)}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"mapping: {_value(title, schema['additionalProperties'], types)}"
    kinds = schema.get("type", "anything")
    words = " or ".join(kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null")
    limits = [str(schema[end]) for end in ("minimum", "maximum") if end in schema]
    return f"{words} {'-'.join(limits)}" if len(limits) == 2 else words
