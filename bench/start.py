"""Start-up: `import pharos` and its command, what Python imports for the same work, and the module program by itself.

python bench/start.py [--json]
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Without the format checkers that jsonschema takes when they happen to be installed: one of them alone takes seconds.
PLAIN = "import sys; sys.modules['rfc3987_syntax'] = None"
PEERS = ("yaml", "jsonschema", "jinja2", "cryptography.x509")
PROGRAM = Path(__file__).parents[1] / f"ansible_modules/files/bin/{platform.machine()}/pharos-modules"


def median(command: list[str], runs: int, given: bytes = b"") -> float:
    """Milliseconds of one run of a command."""
    seconds = []
    for _ in range(runs + 2):
        began = time.perf_counter()
        subprocess.run(command, input=given, capture_output=True, check=False)
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds[2:]) * 1e3


def compiling(folder: str) -> dict[str, str]:
    """An environment in which Python compiles each module once, into this folder, whatever the machine says of that."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": folder}


def imports(runs: int) -> dict[str, float]:
    """Milliseconds that each import takes over bare Python; they take turns, so that all of them see the same machine."""
    python = Path(sys.executable)
    commands = {"bare": [str(python), "-c", "pass"]}
    commands |= {name: [str(python), "-c", f"{PLAIN}; import {name}"] for name in ("pharos", *PEERS, ", ".join(PEERS))}
    commands |= {f"{name} --version": [str(python.with_name(name)), "--version"] for name in ("pharos", "ansible")}
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as compiled:
        environment = compiling(compiled)
        for _ in range(runs + 1):
            for name, command in commands.items():
                began = time.perf_counter()
                subprocess.run(command, capture_output=True, check=True, env=environment)
                seconds[name].append(time.perf_counter() - began)
    medians = {name: statistics.median(each[1:]) * 1e3 for name, each in seconds.items()}
    return {name: round(each - medians["bare"], 1) for name, each in medians.items() if name != "bare"}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="start-up times")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", type=int, default=30)
    options = parser.parse_args()
    imported = imports(options.runs)
    true = median(["/bin/true"], options.runs)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "program"  # the collection's own may not be run
        shutil.copyfile(PROGRAM, copy)
        copy.chmod(0o700)
        program = median([str(copy), "-"], options.runs, b"{}")
    result = {"over_bare_python_ms": imported, "program_over_true_ms": round(program - true, 2)}
    if options.json:
        print(json.dumps(result))
        return
    print("milliseconds over bare Python (target for `import pharos`: 10)")
    for name, each in imported.items():
        what = name if "--" in name else f"import {name}"
        print(f"  {what:26} {each:7.1f}  {each / imported['pharos']:5.1f} times `import pharos`")
    print(f"module program: {program - true:.1f} ms over /bin/true ({true:.1f} ms; target 3 ms)")


if __name__ == "__main__":
    main()
