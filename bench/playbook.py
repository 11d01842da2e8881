"""The unchanged run of edge-distributed.yml on one host, beside the same work done by stock modules.

    PYTHONPATH=tests python bench/playbook.py [--json] [--runs N]

Both run in turn on the same host (three names, existing certificates), with the same Ansible, ssh and pipelining, on the link
as it is and behind a delay of 20 ms (delay.py: a relay in user space, in the place of `tc netem`); the medians are compared.
Neither run may change anything.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import delay

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
        ways: dict[str, dict[str, Any]] = {delay.NEAR: {}, delay.FAR: {host.name: delay.behind(around.bed, host)}}
        tasks: dict[str, int] = {}
        medians: dict[str, dict[str, float]] = {}
        for way, variables_of_host in ways.items():
            seconds: dict[str, list[float]] = {name: [] for name in contenders}
            for _ in range(runs + 1):  # the first round opens connections and fills caches
                for contender, (playbook, given) in contenders.items():
                    began = time.perf_counter()
                    run = playbook.run(given, host_variables=variables_of_host)
                    seconds[contender].append(time.perf_counter() - began)
                    if run.changed():
                        raise RuntimeError(f"{contender} changed {run.changed()}")
                    tasks[contender] = len(run.ran(host))
            medians[way] = {contender: round(statistics.median(each[1:]), 3) for contender, each in seconds.items()}
    return {
        "work": f"unchanged {PLAYBOOK.name} on one host, {len(site.hosts)} names",
        "seconds": medians,
        "tasks": tasks,
        "ratio": {way: round(each["pharos"] / each["stock"], 3) for way, each in medians.items()},
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
    for way, medians in found["seconds"].items():
        for contender, median in medians.items():
            print(f"  {way:8}  {contender:8} {median:7.3f} s  {found['tasks'][contender]} tasks")
        aim = f"target at most {found['target']}" if way == delay.NEAR else "reported"
        print(f"  {way:8}  ratio {found['ratio'][way]} ({aim})")


if __name__ == "__main__":
    main()
