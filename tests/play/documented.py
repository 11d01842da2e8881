"""Whether values are as the RETURN of a module or plugin documents them."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

STUBS = Path(__file__).resolve().parents[2] / "ansible_modules" / "plugins" / "modules"
COLLECTION = "pharos.platform."
# What Ansible itself puts into the result of any task.
ANSIBLES = {
    "ansible_loop_var",
    "attempts",
    "censored",
    "changed",
    "diff",
    "deprecations",
    "exception",
    "failed",
    "failed_when_result",
    "false_condition",
    "invocation",
    "item",
    "msg",
    "retries",
    "skip_reason",
    "skipped",
    "unreachable",
    "warnings",
}

# What it adds of a task in the background.
BACKGROUND = {"ansible_job_id", "finished", "results_file", "started", "stderr", "stderr_lines", "stdout", "stdout_lines"}

TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "dict": (dict,),
    "float": (float, int),
    "int": (int,),
    "list": (list,),
    "path": (str,),
    "str": (str,),
}


def undocumented(value: Any, documentation: Mapping[str, Any], at: str) -> Iterator[str]:
    """The places of a value that its documentation does not have, or has as another type. What is null is nowhere."""
    kind = documentation["type"]
    if value is None or kind == "raw":
        return
    if not isinstance(value, TYPES[kind]) or isinstance(value, bool) != (kind == "bool"):
        yield f"{at} is {value!r}, documented as {kind}"
    elif isinstance(value, list):
        inner = {**documentation, "type": documentation["elements"], "elements": "dict"}
        for element in value:
            yield from undocumented(element, inner, f"{at}[]")
    elif isinstance(value, dict):
        contains = documentation.get("contains", {})
        for key, element in value.items():
            inner = contains.get(key) or contains.get("NAME")
            if inner is None:
                yield f"{at}.{key} is not documented"
            else:
                yield from undocumented(element, inner, f"{at}.{key}")


def undocumented_result(action: str, result: Mapping[str, Any]) -> list[str]:
    """What the result of a task holds beside what its module documents; nothing for modules that are not ours."""
    returned = returns(action.removeprefix(COLLECTION)) if action.startswith(COLLECTION) else None
    if returned is None:
        return []
    items = result.get("results", [result])
    faults: list[str] = []
    for item in items:
        ansibles = ANSIBLES | BACKGROUND if "ansible_job_id" in item else ANSIBLES
        for key, value in item.items():
            if key in ansibles or key.startswith("_ansible_"):
                continue
            faults += undocumented(value, returned[key], f"{action}: {key}") if key in returned else [f"{action} returns {key}"]
    return faults


@cache
def returns(module: str) -> dict[str, Any] | None:
    """The RETURN of a module; nothing for one that a test has made."""
    stub = STUBS / f"{module}.py"
    found = re.search(r'^RETURN = r"""\n(.*?)"""', stub.read_text(encoding="utf-8"), re.M | re.S) if stub.exists() else None
    values: dict[str, Any] | None = yaml.safe_load(found[1]) if found else None
    return values
