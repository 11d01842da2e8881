"""The module binary, built from this checkout: as it is shipped, and with kill points."""

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
_NAME = "pharos-modules"


@functools.cache
def build(*features: str) -> Path:
    """Build the binary (unoptimised) with these features; a copy that a later build does not replace."""
    cargo = ["cargo", "build", "--quiet", "--locked", "--package", _NAME, "--message-format", "json-render-diagnostics"]
    cargo += [f"--features={name}" for name in features]
    told = subprocess.run(cargo, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True).stdout
    messages = [json.loads(line) for line in told.splitlines()]
    built = next(Path(each["executable"]) for each in messages if each.get("executable"))
    copy = built.with_name("-".join([_NAME, "tested", *features]))
    partial = copy.with_suffix(f".{os.getpid()}")
    # Without debug information it is a third of its size, and each host gets a copy.
    subprocess.run(["strip", "--strip-debug", "-o", partial, built], check=True)
    partial.replace(copy)
    return copy


def shipped() -> Path:
    """The binary of the collection, as `make modules` has built it for this machine."""
    found = REPOSITORY / "ansible_modules" / "files" / "bin" / os.uname().machine / _NAME
    if not found.exists():
        raise FileNotFoundError(f"{found}: run `make modules`")
    return found


def install(binary: Path, root: Path, path: str) -> None:
    """Copy it to a path below a host's root."""
    target = root / path.lstrip("/")
    shutil.copyfile(binary, target)
    target.chmod(0o755)
