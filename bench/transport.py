"""A module task over ssh, warm, beside a stock Python module's: tasks that look at the file system and change nothing.

python bench/transport.py [--json] [--tasks N]        (with PYTHONPATH=tests, as root: it boots a host)
"""

import argparse
import json
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bed.hosts import HostSpec
from bed.world import World, world
from play.collection import real
from play.run import Player

OURS: dict[str, Any] = {
    "name": "ours",
    "pharos.platform.acme_lineages_info": {"hosts": ["a.example.org"], "directory": "/srv/letsencrypt"},
}
STOCK: dict[str, Any] = {"name": "stock", "ansible.builtin.stat": {"path": "/srv/letsencrypt"}}
FLOOR: dict[str, Any] = {"name": "floor", "ansible.builtin.debug": {"msg": "no host is asked"}}


def measure(world_: World, folder: Path, tasks: int) -> dict[str, dict[str, float]]:
    """Median milliseconds of each kind of task, with and without pipelining; the kinds take turns in one run."""

    def start(words: Sequence[str | Path], environment: Mapping[str, str]) -> tuple[int, str]:
        done = world_.bed.control_exec(words, environment=environment, check=False)
        return done.code, done.stdout + done.stderr

    [host] = world_.bed.boot(HostSpec("bench", "trixie"))
    inventory = world_.bed.write_inventory(folder / "hosts.json", {"edges": [host]})
    player = Player(folder, real(folder / "collections"), inventory, start)
    found = {}
    for pipelining in ("true", "false"):
        environment = {"ANSIBLE_PIPELINING": pipelining}
        run = player.play([OURS, STOCK, FLOOR] * (tasks + 1), verbosity=0, environment=environment)
        if run.code != 0:
            raise RuntimeError(run.output)
        warm = run.results[3:]  # the first round connects and uploads
        found[f"pipelining {pipelining}"] = {
            name: round(statistics.median(result.seconds for result in warm if result.task == name) * 1e3, 1)
            for name in ("ours", "stock", "floor")
        }
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="a module task over ssh")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--tasks", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, world("bench", 211) as everything:
        found = measure(everything, Path(folder), options.tasks)
    for times in found.values():
        times["ratio"] = round(times["ours"] / times["stock"], 3)
    if options.json:
        print(json.dumps(found))
        return
    for name, times in found.items():
        print(
            f"{name}: a module task {times['ours']} ms, a stock one {times['stock']} ms, "
            f"ratio {times['ratio']} (target 0.2); a task without a host {times['floor']} ms"
        )


if __name__ == "__main__":
    main()
