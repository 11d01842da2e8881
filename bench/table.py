"""Every benchmark, as one table: what is measured, ours, the peer of the same run, their ratio, and the target.

    PYTHONPATH=tests python bench/table.py [PART ...]

Parts, by default all: routes certificate explain inventory drafts start memory observe plan transport playbook. From `observe` on
they need root, as they boot clusters or hosts (`plan` alone does not).
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from delay import NEAR
from routes import ROOT, UNITS
from transport import PAIRS, TARGET


@dataclass(frozen=True)
class Row:
    """One line: `most` is the largest value of ours, or of the ratio, that meets the target."""

    work: str
    ours: float
    unit: str
    peer: str = ""
    theirs: float | None = None
    most: float | None = None
    most_ratio: float | None = None

    @property
    def ratio(self) -> float | None:
        """Ours over the peer's."""
        return self.ours / self.theirs if self.theirs else None

    def cells(self) -> tuple[str, ...]:
        """The words of the line."""
        aims = [f"<= {self.most:g} {self.unit}"] if self.most is not None else []
        aims += [f"ratio <= {self.most_ratio:g}"] if self.most_ratio is not None else []
        missed = self.most is not None and self.ours > self.most
        missed = missed or (self.most_ratio is not None and self.ratio is not None and self.ratio > self.most_ratio)
        theirs = f"{self.theirs:.5g} {self.unit}" if self.theirs is not None else ""
        return (
            self.work,
            f"{self.ours:.4g} {self.unit}",
            self.peer,
            theirs,
            f"{self.ratio:.3f}" if self.ratio is not None else "",
            " and ".join(aims) or "reported",
            ("missed" if missed else "met") if aims else "",
        )


def rust(name: str) -> dict[str, float]:
    """The medians of a benchmark of the core in milliseconds, by name, and size where it has sizes."""
    command = ["cargo", "bench", "--quiet", "--locked", "--package", "pharos-core", "--bench", name]
    return divan(subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True).stdout)


def divan(printed: str) -> dict[str, float]:
    """The medians in what a benchmark printed."""
    found: dict[str, float] = {}
    group = ""
    for line in printed.splitlines():
        word = (line.strip("│├╰─ ").split() or [""])[0]
        columns = re.findall(r"([\d.]+) (ns|µs|ms|s)\b", line)
        if len(columns) < 4:
            group = word
            continue
        value, unit = columns[2]
        found[f"{group} {word}" if word.isdigit() else word] = float(value) * UNITS[unit]
    return found


def script(name: str) -> Any:
    """What another benchmark of this folder found."""
    command = [sys.executable, str(Path(__file__).with_name(f"{name}.py")), "--json"]
    return json.loads(subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True).stdout)


def _routes() -> Iterator[Row]:
    found = script("routes")
    peer = "jsonschema, Jinja2"
    yield Row("10,000 routes resolved, checked, rendered", found["core_ms"], "ms", peer, found["peer_ms"], 60, 1 / 50)
    yield Row("reading their YAML", found["core_read_ms"], "ms", "PyYAML, C loader", found["peer_read_ms"], 80)


def _certificate() -> Iterator[Row]:
    found = rust("certificate")
    alone = found["peer_openssl_alone"]
    yield Row("3 certificates inspected and verified", found["inspect_and_verify"], "ms", "OpenSSL alone", alone, 2)


def _explain() -> Iterator[Row]:
    found = rust("explain")
    yield Row("a request on 10,000 routes explained", found["allowed 10000"], "ms", most=1)
    yield Row("the same, printed", found["allowed_and_printed 10000"], "ms")


def _inventory() -> Iterator[Row]:
    found = rust("inventory")
    yield Row("5,000 hosts resolved", found["decoded 5000"], "ms", most=20)
    yield Row("the same with places, INI", found["with_places_of_ini 5000"], "ms")
    yield Row("the same with places, YAML", found["with_places_of_yaml 5000"], "ms")


def _drafts() -> Iterator[Row]:
    yield from (Row(f"plan: {name.replace('_', ' ')}", milliseconds, "ms") for name, milliseconds in rust("plan").items())


def _start() -> Iterator[Row]:
    found = script("start")
    imports, commands = found["over_bare_python_ms"], ("pharos --version", "ansible --version")
    ours, command, other = imports.pop("pharos"), *(imports.pop(name) for name in commands)
    for name, theirs in imports.items():
        yield Row("import pharos, over bare Python", ours, "ms", f"import {name}", theirs, 10)
    yield Row("pharos --version, over bare Python", command, "ms", "ansible --version", other)
    yield Row("start of the module program, over /bin/true", found["program_over_true_ms"], "ms", most=3)


def _memory() -> Iterator[Row]:
    found = script("memory")
    for ours, theirs in (
        ("module program, started", "bare Python"),
        ("import pharos", "import yaml, jsonschema, jinja2"),
        ("pharos check", "check by PyYAML and jsonschema"),
        ("pharos edge render", "render by Jinja2 as well"),
    ):
        yield Row(f"peak memory: {ours}", found[ours], "MiB", theirs, found[theirs])


def _observe() -> Iterator[Row]:
    found = script("observe")
    ours, theirs = found["pharos"], found["kubectl"]
    yield Row("5,000 nodes observed", ours["ms"], "ms", "kubectl get nodes -o json", theirs["ms"], most_ratio=1)
    yield Row("peak memory of that", ours["mb"], "MB", "kubectl get nodes -o json", theirs["mb"])


def _plan() -> Iterator[Row]:
    for each in script("plan"):
        work = f"offline plan of {each['hosts']:,} hosts"
        yield Row(work, each["plan_s"], "s", "ansible-inventory --list", each["list_s"])
        yield Row(f"peak memory: {work}", each["plan_mib"], "MiB", "ansible-inventory --list", each["list_mib"])


def _transport() -> Iterator[Row]:
    for link, times in script("transport")["ms"].items():
        aim = TARGET if link.startswith(NEAR) else None
        yield from (Row(f"{ours}, {link}", times[ours], "ms", peer, times[peer], most_ratio=aim) for ours, peer in PAIRS)


def _playbook() -> Iterator[Row]:
    found = script("playbook")
    for link, each in found["seconds"].items():
        aim = found["target"] if link == NEAR else None
        yield Row(f"unchanged edge run, {link}", each["pharos"], "s", "role of stock modules", each["stock"], most_ratio=aim)


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "routes": _routes,
    "certificate": _certificate,
    "explain": _explain,
    "inventory": _inventory,
    "drafts": _drafts,
    "start": _start,
    "memory": _memory,
    "observe": _observe,
    "plan": _plan,
    "transport": _transport,
    "playbook": _playbook,
}


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description="every benchmark, as one table")
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART", help=" ".join(PARTS))
    rows: list[Row] = []
    for part in parser.parse_args().parts or PARTS:
        print(f"measuring: {part}", file=sys.stderr)
        rows += PARTS[part]()
    lines = [("work", "ours", "peer", "its", "ratio", "target", ""), *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main()
