"""The report of a plan in a real browser: what it shows, in both colour schemes, and that the console stays silent."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

import pharos
from bed import tools

pytestmark = pytest.mark.hosts  # as root: the browser is installed where it is missing

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "core/tests/plans/version-2.json"
HOSTILE = "<script>console.error('escaped')</script>\"'><img src=x onerror=console.error(1)>"
LIGHT, DARK = (0xF6, 0xF7, 0xF9), (0x12, 0x16, 0x1B)


@pytest.fixture(scope="module", autouse=True)
def browser() -> None:
    """A browser, as Debian has it."""
    tools.ensure()


def chromium(page: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """One look at a file; what its console says is on standard error."""
    profile = page.parent / "profile"
    command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--log-level=0"]
    command += [f"--user-data-dir={profile}", "--no-first-run", "--disable-background-networking", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)


def console(result: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines that the page's console printed."""
    return [line for line in result.stderr.splitlines() if ":CONSOLE" in line]


def written(folder: Path, plan: dict[str, Any]) -> Path:
    """The report of a plan, as it lies beside a record."""
    page = folder / "plan.html"
    page.write_text(pharos.plan_html(("plan.json", json.dumps(plan).encode())), encoding="utf-8")
    return page


def recorded() -> dict[str, Any]:
    """The plan that the repository keeps."""
    plan: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return plan


def background(picture: Path) -> tuple[int, ...]:
    """The colour of the first pixel of a PNG: its filters add nothing to that one."""
    data = picture.read_bytes()
    depth, kind = data[24], data[25]
    assert depth == 8, "eight bits a colour"
    assert kind in {2, 6}, "colours, with or without transparency"
    chunks, at = b"", 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            chunks += data[at + 8 : at + 8 + length]
        at += 12 + length
    return tuple(zlib.decompress(chunks)[1:4])


def test_it_shows_the_plan_and_the_console_stays_silent(tmp_path: Path) -> None:
    plan = recorded()
    looked = chromium(written(tmp_path, plan), "--dump-dom")
    assert console(looked) == []
    text = re.sub(r"<[^>]+>", " ", looked.stdout)
    wanted = ["Plan of deploy-plan for example", "Nothing stands in the way.", "control-plane", "10.0.0.11", "edge1, edge2"]
    wanted += ["https://platform.example.org", "authority of the external AAI", "274 days left", "site-api.pharos:443"]
    wanted += [plan["revision"]["commit"], *(node for node in plan["topology"]["nodes"])]
    assert [words for words in wanted if words not in text] == []


def test_a_console_that_complains_is_heard(tmp_path: Path) -> None:
    page = written(tmp_path, recorded())
    html = page.read_text(encoding="utf-8")
    # The report's own policy forbids all three.
    for intruder in ("<script>1</script>", '<img src="x.png">', '<p style="color: red">x</p>'):
        page.write_text(html.replace("</main>", f"{intruder}</main>"), encoding="utf-8")
        assert any("Content Security Policy" in line for line in console(chromium(page, "--dump-dom"))), intruder


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    plan = recorded()
    plan["topology"]["nodes"]["n1"]["labels"] = {HOSTILE: HOSTILE}
    plan["edge"]["servers"] = [HOSTILE]
    plan["revision"]["commit"] = HOSTILE
    plan["findings"] = [{"grade": "error", "code": HOSTILE, "message": HOSTILE, "places": [HOSTILE], "help": HOSTILE}]
    looked = chromium(written(tmp_path, plan), "--dump-dom")
    assert console(looked) == []
    assert "<script" not in looked.stdout
    assert "<img" not in looked.stdout
    assert looked.stdout.count("&lt;script&gt;") >= 7


@pytest.mark.parametrize(("scheme", "colour"), [("1", LIGHT), ("0", DARK)], ids=["light", "dark"])
def test_it_is_light_and_dark(tmp_path: Path, scheme: str, colour: tuple[int, ...]) -> None:
    picture = tmp_path / "picture.png"
    look = [f"--screenshot={picture}", "--window-size=800,600", f"--blink-settings=preferredColorScheme={scheme}"]
    looked = chromium(written(tmp_path, recorded()), *look)
    assert console(looked) == []
    assert background(picture) == colour


def test_a_large_site_is_shown(tmp_path: Path) -> None:
    plan = recorded()
    for number in range(5000):
        address = f"10.{64 + number // 65536}.{number // 256 % 256}.{number % 256}"
        plan["topology"]["nodes"][f"worker-{number:04}"] = {"roles": ["worker"], "addresses": {"ip": address}}
    looked = chromium(written(tmp_path, plan), "--dump-dom")
    assert console(looked) == []
    assert "worker-4999" in looked.stdout
    assert "All 5004 nodes" in looked.stdout


def test_a_newer_plan_is_shown_as_what_it_is(tmp_path: Path) -> None:
    looked = chromium(written(tmp_path, recorded() | {"version": 3}), "--dump-dom")
    assert console(looked) == []
    assert "Version 3 is newer than this release" in looked.stdout
