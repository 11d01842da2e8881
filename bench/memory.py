"""Peak memory (resident set) of whole processes: commands on a site of 10,000 routes, the import, the module program, and peers.

    python bench/memory.py [--json] [--routes N]

The peer of `pharos check` reads the same catalogue with PyYAML's C loader and validates it with jsonschema; that of
`pharos edge render` prints its locations and upstreams with Jinja2 as well. Debian's package `time` measures.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from routes import ROOT, SERVICES, documents
from start import PLAIN, PROGRAM, compiling

PEER = f"{PLAIN}; sys.path.insert(0, sys.argv[1]); from memory import peer; peer(sys.argv[2], sys.argv[3] == 'render')"


def policy(services: int) -> str:
    """A policy that binds each service of `routes.documents` to its origin."""
    lines = ["version: 1", "environment: large", "mode: distributed", "foundation:", "  kubernetes: 1.33.5"]
    lines += ["  cni: {name: calico, version: 3.30.3}", "edge:", "  gateway:", '    upstreams: ["127.0.0.1:30088"]', "  origins:"]
    lines += [f"    service-{number}: https://service-{number}.example.org" for number in range(services)]
    return "\n".join(lines) + "\n"


def peer(catalogue: str, render: bool) -> None:
    """The work of the peer, in its own process."""
    import jinja2
    import jsonschema
    import yaml
    from routes import TEMPLATE, resolve

    read = yaml.load(Path(catalogue).read_text(), Loader=yaml.CSafeLoader)
    schema = json.loads((ROOT / "catalogue/schema/catalogue.json").read_text())
    jsonschema.Draft7Validator(schema).validate(read)
    hosts = resolve(read, documents(SERVICES)[1])
    if render:
        environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, autoescape=False)  # noqa: S701 - no HTML
        every = [route for host in hosts for route in host["routes"]]
        environment.from_string(TEMPLATE).render(hosts=hosts, routes=every, gateway=["192.0.2.11:30080"])


def peak(command: Sequence[str], cwd: Path, status: int = 0) -> float:
    """The most MiB that a command has had, of its second run: the first one compiles what Python imports."""
    with tempfile.NamedTemporaryFile("r") as report:
        # A process begins with the peak of the one that starts it, so that is a small one.
        words = ["time", "--format", "%M", "--quiet", "--output", report.name, *command]
        for _ in range(2):
            done = subprocess.run(
                words, cwd=cwd, env=compiling(str(cwd / "compiled")), stdin=subprocess.DEVNULL, capture_output=True, check=False
            )
            if done.returncode != status:
                raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode()}")
        return round(int(report.read().split()[-1]) / 1024, 1)


def measure(routes: int) -> dict[str, float]:
    """Peak MiB by what was run."""
    python = Path(sys.executable)
    pharos = str(python.with_name("pharos"))
    with tempfile.TemporaryDirectory() as name:
        site = Path(name)
        (site / "catalogue").mkdir()
        (site / "environments" / "large").mkdir(parents=True)
        catalogue = site / "catalogue" / "services.yaml"
        catalogue.write_text(documents(routes)[0])
        (site / "environments" / "large" / "policy.yaml").write_text(policy(SERVICES))
        program = site / "program"  # the collection's own may not be run
        program.write_bytes(PROGRAM.read_bytes())
        program.chmod(0o700)
        peers = [str(python), "-c", PEER, str(Path(__file__).parent), str(catalogue)]
        return {
            "module program, started": peak([str(program), "-"], site, status=1),  # without a request it refuses
            "bare Python": peak([str(python), "-c", "pass"], site),
            "import pharos": peak([str(python), "-c", "import pharos"], site),
            "import yaml, jsonschema, jinja2": peak([str(python), "-c", f"{PLAIN}; import yaml, jsonschema, jinja2"], site),
            "pharos check": peak([pharos, "check"], site),
            "check by PyYAML and jsonschema": peak([*peers, "check"], site),
            "pharos edge render": peak([pharos, "edge", "render", "--env", "large"], site),
            "render by Jinja2 as well": peak([*peers, "render"], site),
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="peak memory")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--routes", type=int, default=10_000)
    options = parser.parse_args()
    found = measure(options.routes)
    if options.json:
        print(json.dumps(found))
        return
    print(f"peak memory, MiB (a site of {options.routes} routes)")
    for name, mib in found.items():
        print(f"  {name:32} {mib:7.1f}")


if __name__ == "__main__":
    main()
