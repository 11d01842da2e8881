"""The unchanged run of edge-distributed.yml on one host, beside the same work done by stock modules.

    PYTHONPATH=tests python bench/playbook.py [--json] [--runs N]

Both run in turn on the same host (three names, existing certificates), with the same Ansible, ssh and pipelining; the
medians are compared. Neither run may change anything.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bed import world
from bed.hosts import HostSpec
from bed.pki import Authority
from bed.services.gateway import PLAIN
from edgebed.documents import Site
from edgebed.edge import HTTPS_FILE, Edge
from edgebed.playbook import PLAYBOOK, Playbook

STOCK = Path(__file__).with_name("stock") / "edge.yml"
TARGET = 0.25


def measure(runs: int) -> dict[str, Any]:
    """Seconds of each run, the tasks that each has, and the ratio of the medians."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name, world.world("bench", 251) as around:
        folder = Path(name)
        (host,) = around.bed.boot(HostSpec("edge", "trixie"))
        authority = Authority.create("bench")
        site = Site(f"{around.gateway.v4}:{PLAIN}")
        edge = Edge(around, host, folder / "authority.pem")
        edge.authority.write_text(authority.pem)
        variables = {**site.write(folder / "site"), "edge_certificate_files": edge.put_leaves(authority, site.hosts)}
        ours = Playbook(around.bed, folder / "ours", host)
        ours.run(variables)
        rendered = folder / "rendered.conf"
        rendered.write_text(host.get(HTTPS_FILE))
        stock = Playbook(around.bed, folder / "stock", host, playbook=STOCK)
        contenders = {"pharos": (ours, variables), "stock": (stock, {**variables, "edge_rendered_file": str(rendered)})}
        seconds: dict[str, list[float]] = {name: [] for name in contenders}
        tasks: dict[str, int] = {}
        for _ in range(runs + 1):  # the first round opens connections and fills caches
            for contender, (playbook, given) in contenders.items():
                began = time.perf_counter()
                run = playbook.run(given)
                seconds[contender].append(time.perf_counter() - began)
                if run.changed():
                    raise RuntimeError(f"{contender} changed {run.changed()}")
                tasks[contender] = len(run.ran(host))
    medians = {contender: statistics.median(each[1:]) for contender, each in seconds.items()}
    return {
        "work": f"unchanged {PLAYBOOK.name} on one host, {len(site.hosts)} names",
        "seconds": {contender: round(median, 3) for contender, median in medians.items()},
        "tasks": tasks,
        "ratio": round(medians["pharos"] / medians["stock"], 3),
        "target": TARGET,
        "runs": runs,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--runs", type=int, default=5, help="measured runs of each (default 5)")
    options = parser.parse_args()
    found = measure(options.runs)
    if options.json:
        json.dump(found, sys.stdout)
        print()
        return
    print(found["work"])
    for contender, median in found["seconds"].items():
        print(f"  {contender:8} {median:7.3f} s  {found['tasks'][contender]} tasks")
    print(f"  ratio {found['ratio']} (target at most {found['target']})")


if __name__ == "__main__":
    main()
