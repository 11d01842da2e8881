"""5,000 nodes observed: `pharos.observe_cluster` beside `kubectl get nodes -o json`, whole processes.

The API server is a real one on this machine.

env PYTHONPATH=tests python bench/observe.py [--json] [--nodes 5000]
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from bed.paths import cache
from cluster.control_plane import ControlPlane, control_plane
from cluster.nodes import NodeSpec, register
from cluster.tools import program

OBSERVE = "import sys, pharos; assert len(pharos.observe_cluster(sys.argv[1])['cluster']['nodes']) == int(sys.argv[2])"
BARE = "import pharos"


@dataclass
class Measured:
    """The runs of one command."""

    seconds: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)

    def run(self, argv: list[str]) -> None:
        """Run it once more. Memory is asked for while it runs: what the system adds up at the end counts this program, too."""
        with tempfile.TemporaryFile() as output:
            began = time.perf_counter()
            child = subprocess.Popen(argv, stdout=output)
            most = 0
            while child.poll() is None:
                most = max(most, _peak(child.pid))
                time.sleep(0.005)
            self.seconds.append(time.perf_counter() - began)
        if child.returncode:
            raise RuntimeError(f"{argv[0]} failed with {child.returncode}")
        self.memory.append(most)

    def result(self) -> dict[str, float]:
        """The medians."""
        return {"ms": round(statistics.median(self.seconds) * 1e3, 1), "mb": round(statistics.median(self.memory) / 1024, 1)}


def _peak(pid: int) -> int:
    """The most memory that a process has had, in KiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def measure(plane: ControlPlane, nodes: int, runs: int) -> dict[str, dict[str, float]]:
    """Each command in turn, so that all of them see the same machine."""
    kubeconfig = str(plane.kubeconfig)
    commands = {
        "pharos": [sys.executable, "-c", OBSERVE, kubeconfig, str(nodes)],
        "kubectl": [str(program("kubectl")), f"--kubeconfig={kubeconfig}", "get", "nodes", "--output=json"],
        "import pharos": [sys.executable, "-c", BARE],
    }
    measured = {name: Measured() for name in commands}
    for _ in range(runs):
        for name, argv in commands.items():
            measured[name].run(argv)
    return {name: each.result() for name, each in measured.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="observe a cluster")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    with control_plane(parent=cache() / "clusters") as plane:
        register(plane, (NodeSpec(f"n{at:05}", f"10.{at >> 16}.{at >> 8 & 255}.{at & 255}") for at in range(options.nodes)))
        result = measure(plane, options.nodes, options.runs)
    if options.json:
        print(json.dumps(result))
        return
    ratio = result["pharos"]["ms"] / result["kubectl"]["ms"]
    print(f"{options.nodes} nodes observed: {ratio:.2f} of `kubectl get nodes -o json` (target: no slower)")
    for name, each in result.items():
        print(f"  {name}: {each['ms']:.0f} ms, at most {each['mb']:.0f} MB")


if __name__ == "__main__":
    main()
