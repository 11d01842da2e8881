"""The command as it is typed: exit status and both streams of whole runs.

A case is a file under ``tests/cli``: the command line after ``$ ``, then what it printed. ``PHAROS_UPDATE=1`` writes them anew.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CASES = Path(__file__).parent / "cli"
COMMAND = Path(sys.executable).with_name("pharos")


def run(arguments: list[str], folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """One run of the command, without a terminal."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    return subprocess.run([str(COMMAND), *arguments], cwd=folder, env=environment, text=True, capture_output=True, check=False)


def transcript(line: str, result: subprocess.CompletedProcess[str]) -> str:
    """What a run printed, stream by stream."""
    parts = [f"$ {line}\n", f"exit status: {result.returncode}\n"]
    for name, text in (("stdout", result.stdout), ("stderr", result.stderr)):
        parts.append(f"----- {name}\n{text}")
    return "".join(parts)


@pytest.mark.parametrize("case", sorted(CASES.glob("*.txt")), ids=lambda case: case.stem)
def test_a_whole_run(case: Path) -> None:
    line = case.read_text(encoding="utf-8").splitlines()[0].removeprefix("$ ")
    words = shlex.split(line)
    assert words[0] == "pharos"
    printed = transcript(line, run(words[1:]))
    if os.environ.get("PHAROS_UPDATE"):
        case.write_text(printed, encoding="utf-8")
    assert printed == case.read_text(encoding="utf-8")


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


def test_every_fault_is_reported_at_its_place(tmp_path: Path) -> None:
    result = run(["check", "--env", "icarus-cloud", "--format", "json"], broken_site(tmp_path))
    assert result.returncode == 1, result.stderr
    findings = json.loads(result.stdout)
    codes = {finding["code"] for finding in findings}
    assert "name/origin-surplus" in codes
    assert all(finding["labels"][0]["line"] for finding in findings)
    assert "hunter2" not in result.stdout + result.stderr


def test_a_report_says_the_same_in_every_format(tmp_path: Path) -> None:
    site = broken_site(tmp_path)
    codes = {finding["code"] for finding in json.loads(run(["check", "--format", "json"], site).stdout)}
    sarif = json.loads(run(["check", "--format", "sarif"], site).stdout)
    assert {result["ruleId"] for result in sarif["runs"][0]["results"]} == codes
    junit = run(["check", "--format", "junit"], site).stdout
    human = run(["check"], site).stdout
    for code in codes:
        assert code in junit
        assert f"[{code}]" in human


def test_a_missing_file_is_the_worlds_fault(tmp_path: Path) -> None:
    result = run(["check", "absent.yaml"], tmp_path)
    assert (result.returncode, result.stdout) == (3, "")
    assert "absent.yaml" in result.stderr


def test_no_site_is_wrong_usage(tmp_path: Path) -> None:
    result = run(["check"], tmp_path)
    assert result.returncode == 2
    assert "catalogue/services.yaml" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_it_completes(shell: str) -> None:
    result = subprocess.run(
        [str(COMMAND)],
        env={**os.environ, "_PHAROS_COMPLETE": f"{shell}_source"},
        text=True,
        capture_output=True,
        check=True,
    )
    assert "pharos" in result.stdout
