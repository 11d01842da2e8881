"""The command as it is typed in a shell, without a terminal."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMAND = Path(sys.executable).with_name("pharos")


def run(
    arguments: list[str | bytes], folder: Path = ROOT, stdin: str = "", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """One run of the command, without a terminal; one that waits for a pipe fails."""
    return subprocess.run(
        [str(COMMAND), *arguments],
        cwd=folder,
        env={**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})},
        input=stdin,
        text=True,
        capture_output=True,
        check=False,
        timeout=60,
    )


def broken_site(folder: Path) -> Path:
    """A copy of the site in which icarus-cloud's policy has several faults."""
    for part in ("catalogue", "environments"):
        shutil.copytree(ROOT / part, folder / part)
    policy = folder / "environments/icarus-cloud/policy.yaml"
    text = policy.read_text(encoding="utf-8")
    for old, new in (
        ("https://platform.", "http://platform."),
        ("https://site.", "https://user:hunter2@site."),
        ("    kubeflow:", "    kubeflwo:"),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    policy.write_text(text, encoding="utf-8")
    return folder
