"""Start-up: `import pharos` over bare Python, and the module program by itself.

python bench/start.py [--json]
"""

import argparse
import json
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / f"ansible_modules/files/bin/{platform.machine()}/pharos-modules"


def median(command: list[str], runs: int, given: bytes = b"") -> float:
    """Milliseconds of one run of a command."""
    seconds = []
    for _ in range(runs + 2):
        began = time.perf_counter()
        subprocess.run(command, input=given, capture_output=True, check=False)
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds[2:]) * 1e3


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="start-up times")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", type=int, default=30)
    options = parser.parse_args()
    bare = median([sys.executable, "-c", "pass"], options.runs)
    imported = median([sys.executable, "-c", "import pharos"], options.runs)
    true = median(["/bin/true"], options.runs)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "program"  # the collection's own may not be run
        shutil.copyfile(PROGRAM, copy)
        copy.chmod(0o700)
        program = median([str(copy), "-"], options.runs, b"{}")
    result = {"import_over_bare_ms": round(imported - bare, 2), "program_over_true_ms": round(program - true, 2)}
    if options.json:
        print(json.dumps(result))
    else:
        print(f"import pharos: {imported - bare:.1f} ms over bare Python ({bare:.1f} ms; target 10 ms)")
        print(f"module program: {program - true:.1f} ms over /bin/true ({true:.1f} ms; target 3 ms)")


if __name__ == "__main__":
    main()
