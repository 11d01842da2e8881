"""What a role and its module both have as a default is the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
MODULES = ROOT / "ansible_modules" / "plugins" / "modules"

# Defaults that are two decisions, with the reason; one that is no longer different is to be taken out.
DIFFERENT = {
    # The role has certbot prove that it can renew; the module alone asks an authority for no more than it is told.
    ("edge_acme_renewal_check", "acme_lineage"),
}


def tasks(node: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The modules of this collection that a file of tasks calls, with their options; those of blocks too."""
    if isinstance(node, list):
        for item in node:
            yield from tasks(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key.startswith("pharos.platform.") and isinstance(value, dict):
                yield key.removeprefix("pharos.platform."), value
            elif key in {"block", "rescue", "always"}:
                yield from tasks(value)


def module_defaults(module: str) -> dict[str, Any]:
    """The defaults that the documentation of a module states; it is generated from the module's types."""
    found = re.search(r'^DOCUMENTATION = r?"""(.*?)^"""', (MODULES / f"{module}.py").read_text(), re.MULTILINE | re.DOTALL)
    assert found, module
    options = yaml.safe_load(found[1])["options"]
    return {name: option["default"] for name, option in options.items() if "default" in option}


def test_a_default_that_is_written_twice_is_the_same() -> None:
    compared: set[tuple[str, str]] = set()
    differing: set[tuple[str, str]] = set()
    for role in sorted((ROOT / "roles").iterdir()):
        if not (role / "defaults" / "main.yml").is_file():
            continue
        defaults = yaml.safe_load((role / "defaults" / "main.yml").read_text()) or {}
        for file in sorted((role / "tasks").glob("*.yml")):
            for module, options in tasks(yaml.safe_load(file.read_text())):
                own = module_defaults(module)
                for option, value in options.items():
                    variable = re.fullmatch(r"{{ *(\w+) *}}", str(value))
                    if variable is None or variable[1] not in defaults or option not in own:
                        continue
                    compared.add((variable[1], module))
                    if defaults[variable[1]] != own[option]:
                        differing.add((variable[1], module))
    assert ("mesh_containerd_configurations", "mesh_node") in compared
    assert ("edge_acme_webroot", "edge_config") in compared
    assert differing == DIFFERENT
