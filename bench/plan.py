"""The whole offline plan beside `ansible-inventory --list`, on generated sites.

python bench/plan.py [--json] [--hosts 100 1000 5000] [--beside 40000]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from sites.inventories import generated
from sites.site import ROOT, Site

INVENTORY = Path(sys.executable).with_name("ansible-inventory")


def measured(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds of a run, and the peak memory in MiB of the largest of its processes."""
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with status {process.returncode}")
    return time.perf_counter() - began, used.ru_maxrss / 1024


def compared(home: Path, hosts: int, beside: int, runs: int) -> dict[str, float]:
    """Both, one after the other; the fastest of some runs."""
    site = generated(Site(home, "icaruscloudlab"), hosts, beside)
    environment = site.environ(ANSIBLE_CONFIG=str(ROOT / "ansible.cfg"))
    listing = [str(INVENTORY), "-i", str(site.inventory / "hosts.yml"), "--list"]
    plans, lists = [], []
    for _ in range(runs):
        lists.append(measured(listing, environment))
        plans.append(measured(site.command(), environment))
    (plan, plan_memory), (peer, peer_memory) = min(plans), min(lists)
    return {
        "hosts": hosts,
        "beside": beside,
        "plan_s": round(plan, 2),
        "list_s": round(peer, 2),
        "ratio": round(plan / peer, 2),
        "plan_mib": round(plan_memory),
        "list_mib": round(peer_memory),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="a whole offline plan")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--hosts", type=int, nargs="+", default=[100, 1000, 5000])
    parser.add_argument("--beside", type=int, default=0, help="hosts that are in no group of the cluster")
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    results = []
    for hosts in options.hosts:
        home = ROOT / f".local/bench/home-{os.getpid()}-{hosts}"
        home.mkdir(parents=True)
        home.chmod(0o700)
        try:
            results.append(compared(home, hosts, options.beside, options.runs))
        finally:
            shutil.rmtree(home)
    if options.json:
        print(json.dumps(results))
        return
    for one in results:
        print(
            f"{one['hosts']:>5} hosts, {one['beside']} beside them: plan {one['plan_s']:.2f} s, {one['plan_mib']} MiB;"
            f" ansible-inventory --list {one['list_s']:.2f} s, {one['list_mib']} MiB; ratio {one['ratio']:.2f}"
        )


if __name__ == "__main__":
    main()
