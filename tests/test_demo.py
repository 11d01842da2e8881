"""`make demo`: says what it needs first, serves the example site to this machine, replaces itself, goes without a trace."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from demo.__main__ import notice

REPOSITORY = Path(__file__).resolve().parents[1]
DEVICE = Path("/sys/class/net/bed-demo")


def demo(word: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((f"{REPOSITORY}/tests", os.environ.get("PYTHONPATH", "")))
    words = [sys.executable, "-m", "demo", word]
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(words, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)


def test_without_root_it_says_what_it_needs_and_stops(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert notice() == 3
    said = capsys.readouterr()
    assert said.out.startswith("make demo needs root")
    assert "sudo make demo" in said.err


@pytest.mark.hosts
def test_the_line_that_it_prints_works_and_nothing_is_left() -> None:
    watched = [Path("/etc/hosts"), Path("/etc/resolv.conf"), Path("/etc/ssl/certs/ca-certificates.crt")]
    before = {path: path.read_bytes() for path in watched if path.exists()}
    try:
        up = demo("up")
        assert up.returncode == 0, up.stdout[-3000:] + up.stderr[-3000:]
        (line,) = re.findall(r"^  (curl .*--resolve .*--cacert .*)$", up.stdout, re.MULTILINE)
        answer = subprocess.run(shlex.split(line), capture_output=True, text=True, check=True).stdout
        assert '"host", "platform.example.org"' in answer
        assert '"x-forwarded-proto", "https"' in answer
    finally:
        assert demo("down").returncode == 0
    assert not DEVICE.exists()
    assert "demo." not in subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    assert {path: path.read_bytes() for path in before} == before
