"""A module task over ssh, warm, beside stock modules' tasks that do as much: none of them changes anything.

    PYTHONPATH=tests python bench/transport.py [--json] [--tasks N]        (as root: it boots a host)

All kinds of tasks take turns in one run, on the link as it is and behind a delay of 20 ms (delay.py: a relay in user space, in
the place of `tc netem`), each with pipelining and without.
"""

import argparse
import json
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import peers
from delay import FAR, NEAR, behind

from bed.host import Host
from bed.hosts import Bed, HostSpec
from bed.pki import Authority
from bed.world import World, world
from play.collection import real
from play.run import Player

TARGET = 0.2
NAME = "a.example.org"
CERTIFICATE, KEY = "/srv/edge.pem", "/srv/edge.key"

CHAIN = {"host": NAME, "certificate": CERTIFICATE, "key": KEY}
TASKS: dict[str, dict[str, Any]] = {
    "acme_lineages_info": {"pharos.platform.acme_lineages_info": {"hosts": [NAME], "directory": "/srv/letsencrypt"}},
    "stat": {"ansible.builtin.stat": {"path": "/srv/letsencrypt"}},
    "certificate_info": {"pharos.platform.certificate_info": {"files": [CHAIN], "refuse_unfit": True}},
    "x509_certificate_info": {"community.crypto.x509_certificate_info": {"path": CERTIFICATE}},
    "template": {"ansible.builtin.template": {"src": "{{ playbook_dir }}/edge.j2", "dest": "/srv/edge.conf", "mode": "0644"}},
    "no host": {"ansible.builtin.debug": {"msg": "no host is asked"}},
}
PAIRS = (
    ("acme_lineages_info", "stat"),
    ("certificate_info", "x509_certificate_info"),
    ("certificate_info", "template"),
)
"""Ours, and the peer whose time it is compared with."""


def prepare(host: Host, folder: Path) -> None:
    """Everything that the tasks look at, so that none of them has anything to change."""
    authority = Authority.create("bench")
    leaf = authority.issue(NAME)
    host.trust(authority.pem)
    host.put(leaf.fullchain_pem, CERTIFICATE)
    host.put(leaf.key_pem, KEY, mode=0o600)
    (folder / "edge.j2").write_text("server_name {{ inventory_hostname }};\n" * 50)


def links(bed: Bed, host: Host, folder: Path) -> dict[str, Path]:
    """An inventory for each way to the host."""
    near, far = folder / "near.json", folder / "far.json"
    delayed = {host.name: behind(bed, host)}
    return {
        NEAR: bed.write_inventory(near, {"edges": [host]}),
        FAR: bed.write_inventory(far, {"edges": [host]}, host_variables=delayed),
    }


def measure(world_: World, folder: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Median milliseconds of each kind of task, by link and pipelining."""

    def start(words: Sequence[str | Path], environment: Mapping[str, str]) -> tuple[int, str]:
        done = world_.bed.control_exec(words, environment=environment, check=False, timeout=1800)
        return done.code, done.stdout + done.stderr

    [host] = world_.bed.boot(HostSpec("bench", "trixie"))
    prepare(host, folder)
    collections = f"{real(folder / 'collections')}:{peers.collections()}"
    tasks = [{"name": name, **task} for name, task in TASKS.items()]
    found = {}
    for link, inventory in links(world_.bed, host, folder).items():
        player = Player(folder, folder / "collections", inventory, start)
        for pipelining in ("true", "false"):
            environment = {"ANSIBLE_PIPELINING": pipelining, "ANSIBLE_COLLECTIONS_PATH": collections}
            run = player.play(tasks * (rounds + 1), verbosity=0, environment=environment)
            if run.code != 0:
                raise RuntimeError(run.output)
            warm = run.results[len(tasks) :]  # the first round connects, uploads and writes
            if changed := {result.task for result in warm if result.result.get("changed")}:
                raise RuntimeError(f"changed something: {sorted(changed)}")
            found[f"{link}, {'with' if pipelining == 'true' else 'without'} pipelining"] = {
                name: round(statistics.median(result.seconds for result in warm if result.task == name) * 1e3, 1)
                for name in TASKS
            }
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="a module task over ssh")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--tasks", type=int, default=20, help="measured tasks of each kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, world("bench", 211) as everything:
        found = measure(everything, Path(folder), options.tasks)
    if options.json:
        ratios = {link: {f"{a}/{b}": round(times[a] / times[b], 3) for a, b in PAIRS} for link, times in found.items()}
        print(json.dumps({"ms": found, "ratios": ratios}))
        return
    print("a warm task over ssh, ms (the delay is a relay in user space, not `tc netem`)")
    for link, times in found.items():
        for ours, peer in PAIRS:
            ratio = times[ours] / times[peer]
            aim = f"target {TARGET}" if link.startswith(NEAR) else "reported"
            print(f"  {link:28} {ours:18} {times[ours]:6.1f}  {peer:21} {times[peer]:6.1f}  {ratio:.3f} ({aim})")
        print(f"  {link:28} a task without a host {times['no host']:.1f}")


if __name__ == "__main__":
    main()
