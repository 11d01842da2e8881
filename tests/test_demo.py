"""`make demo`: says what it needs first, serves the example site to this machine, replaces itself, goes without a trace."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from demo.__main__ import notice

REPOSITORY = Path(__file__).resolve().parents[1]
DEVICE = Path("/sys/class/net/bed-demo")


def start(word: str) -> subprocess.Popen[str]:
    """A demo in a process group of its own, as a terminal gives it one."""
    path = os.pathsep.join((f"{REPOSITORY}/tests", os.environ.get("PYTHONPATH", "")))
    words = [sys.executable, "-m", "demo", word]
    environment = {**os.environ, "PYTHONPATH": path}
    pipe = subprocess.PIPE
    return subprocess.Popen(words, cwd=REPOSITORY, env=environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def demo(word: str) -> subprocess.CompletedProcess[str]:
    process = start(word)
    out, errors = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, out, errors)


def left() -> list[str]:
    """What of a demo there is on this machine."""
    names = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout.split()
    mounts = Path("/proc/self/mounts").read_text().split()
    return [
        *(name for name in names if name.startswith("demo.")),
        *(path for path in mounts if path.startswith("/run/pharos-bed/demo")),
        *(str(path) for path in (DEVICE, Path("/run/pharos-bed/demo")) if path.exists()),
        *(str(path) for path in Path("/sys/fs/cgroup").glob("**/pharos-bed/demo")),
    ]


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
    assert left() == []
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.hosts
@pytest.mark.parametrize("stage", ["DNS, a local ACME server", "a Debian 13 host", "the playbook, for"])
def test_an_interrupted_demo_leaves_nothing_and_a_second_one_is_told_of_it(stage: str) -> None:
    process = start("up")
    assert process.stdout is not None
    try:
        # it has begun to make the bed, and holds its lock
        assert any(stage in line for line in process.stdout)
        for word in ("up", "down"):
            refused = demo(word)
            assert refused.returncode == 3
            assert f"demo: another process (pid {process.pid}) has the bed demo up: wait" in refused.stderr
            assert "Traceback" not in refused.stderr
        os.killpg(process.pid, signal.SIGINT)
        os.killpg(process.pid, signal.SIGINT)
        out, errors = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130, errors
    assert "interrupted: what was made is removed" in out
    assert "Traceback" not in errors
    assert left() == []
