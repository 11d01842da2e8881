"""The README says what happens: its input is the committed example, its output the command's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_is_the_committed_one() -> None:
    (shown,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    assert shown == (ROOT / "docs/examples/slip.yaml").read_text(encoding="utf-8")


def test_the_output_is_real() -> None:
    (line, shown), *_ = re.findall(r"```console\n\$ (\.venv/bin/pharos [^\n]*)\n(.+?)```", README, re.DOTALL)
    command = [str(Path(sys.executable).with_name("pharos")), *line.split()[1:]]
    result = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    assert (result.returncode, result.stdout) == (1, shown)


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
