"""The command as it is typed: exit status and both streams of whole runs.

A case is a file under ``tests/cli``: the command line after ``$ ``, then what it printed. ``PHAROS_UPDATE=1`` writes them anew.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from command import COMMAND, ROOT, broken_site, run

CASES = Path(__file__).parent / "cli"


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
    printed = transcript(line, run([*words[1:]]))
    if os.environ.get("PHAROS_UPDATE"):
        case.write_text(printed, encoding="utf-8")
    assert printed == case.read_text(encoding="utf-8")


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


def test_a_refusal_of_routes_ends_with_its_sum(tmp_path: Path) -> None:
    site = broken_site(tmp_path)
    for arguments in (["routes", "--env", "icarus-cloud"], ["edge", "render", "--env", "icarus-cloud"]):
        result = run([*arguments], site)
        assert (result.returncode, result.stdout) == (1, "")
        assert re.search(r"\n\n\d+ errors?[^\n]*\n\Z", result.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        ["explain", b"\xff"],
        ["check", "--env", b"\xff"],
        ["routes", "--env", b"\xff"],
        ["edge", "render", "--env", b"\xff"],
        ["edge", "render", "--env", "example", "--nginx", b"\xff"],
        ["edge", "render", "--env", "example", "--nginx", "banana"],
        ["edge", "render", "--env", "example", "--webroot", "banana"],
        ["certificate", "check", "--chain", "README.md", "--host", b"\xff"],
        ["certificate", "check", "--chain", "README.md", "--host", "example.org", "--at", b"\xff"],
        ["certificate", "check", "--chain", "README.md", "--host", "example.org", "--at", ""],
    ],
)
def test_an_argument_that_cannot_be_read_is_wrong_usage(arguments: list[str | bytes]) -> None:
    result = run(arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: pharos ")
    assert "codec" not in result.stderr


@pytest.mark.parametrize("line", ["explain", "check --format json", "check --format sarif", "check --format junit"])
def test_an_answer_that_cannot_be_written_is_the_worlds_fault(line: str) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        words = [str(COMMAND), *line.split()]
        result = subprocess.run(words, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert result.returncode == 3
    assert "error[file/io]: cannot write: No space left on device\n--> standard output\n" in result.stderr


@pytest.mark.parametrize("line", ["explain", "check", "--help", "certificate --help"])
def test_an_answer_that_has_nowhere_to_go_is_the_worlds_fault(line: str) -> None:
    words = ["sh", "-c", f"exec {COMMAND} {line} >&-"]
    result = subprocess.run(words, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
    assert result.returncode == 3
    assert "error[file/io]: cannot write: Bad file descriptor\n--> standard output\n" in result.stderr


def test_any_other_fault_is_one_line() -> None:
    program = """
import pharos.cli
def broken():
    raise LookupError("two\\nlines")
pharos.codes = broken
pharos.cli.main()
"""
    result = subprocess.run([sys.executable, "-c", program, "explain"], text=True, capture_output=True, check=False)
    assert result.returncode == 3
    assert result.stderr == "pharos: internal fault: LookupError: two lines; please report\n"


def test_a_room_is_its_codes() -> None:
    codes = run(["explain"]).stdout.splitlines()
    of_room = [code for code in codes if code.startswith("edge/")]
    for name in ("edge", "EDGE", "edge/"):
        result = run(["explain", name])
        assert (result.returncode, result.stdout.splitlines()) == (0, of_room)
    assert run(["explain", "Edge/No-Configuration"]).stdout == run(["explain", "edge/no-configuration"]).stdout


def test_the_edge_of_a_site_without_a_gateway_is_explained(tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(ROOT / "examples" / "small-company", site)
    for document, key in (
        ("catalogue/services.yaml", "\n# Where the gateway runs"),
        ("environments/production/policy.yaml", "\ngateway:"),
    ):
        whole, _, _ = (site / document).read_text(encoding="utf-8").partition(key)
        (site / document).write_text(whole, encoding="utf-8")
    assert run(["check"], site).stdout == "2 documents fit\n"
    asked = ["route", "explain", "--env", "production", "https://wiki.example.com/"]
    assert run([*asked, "--expect", "deny"], site).returncode == 0
    office = run([*asked, "--from", "198.51.100.7", "--expect", "allow"], site)
    assert office.returncode == 0
    assert office.stdout.startswith(
        "allow at the edge, and no gateway is described behind it, route wiki-pages, from 198.51.100.7\n"
    )
    pod = run([*asked, "--by", "pod", "--namespace", "wiki"], site)
    assert (pod.returncode, pod.stdout, "explain/no-gateway" in pod.stderr) == (2, "", True)
    rendered = run(["gateway", "render", "--env", "production"], site)
    assert (rendered.returncode, "gateway/not-stated" in rendered.stderr) == (1, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["explain", "policyy"], "no code or room `policyy`; similar: policy, "),
        (["explain", "requird-service"], "similar: policy/required-service"),
        (["edge", "render", "--env", "example", "--nginx", "1.2"], "write its three numbers, for example `1.22.1`"),
        (
            ["certificate", "check", "--chain", "README.md", "--host", "192.0.2.300"],
            "`192.0.2.300` is neither a host name nor an address [name/host-name]: what ends in a number is an address, and `",
        ),
        (
            ["route", "explain", "https://platform.example.org/", "--env", "example", "--from", "192.0.2.300"],
            "`300` is above 255",
        ),
        (["route", "explain", "http://platform.example.org/", "--env", "example"], "routes are served over HTTPS alone"),
    ],
)
def test_wrong_usage_says_what_to_write(words: list[str | bytes], said: str) -> None:
    result = run(words)
    assert (result.returncode, result.stdout) == (2, "")
    assert said in result.stderr


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


def test_the_newest_plan_of_an_environment(tmp_path: Path) -> None:
    shown = run(["plan", "show", "--env", "example"], environment={"STATE_DIR": str(tmp_path / "none")})
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "`make deploy-plan ENV=example` makes one" in shown.stderr
    with tempfile.TemporaryDirectory(dir=Path.home()) as state:  # everybody may write to the folders above tmp_path
        Path(state).chmod(0o755)
        shown = run(["plan", "show", "--env", "example"], environment={"STATE_DIR": state})
    assert shown.returncode == 1
    assert f"chmod 0700 {state}" in shown.stderr


@pytest.mark.parametrize("line", ["gateway render --env example", "routes --env example", "route explain --help", "--help"])
def test_who_stops_reading_is_no_failure(line: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        command = [str(COMMAND), *shlex.split(line)]
        ended = subprocess.run(command, cwd=ROOT, text=True, stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60)
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_a_laboratory_that_is_unknown_is_told_the_known_ones() -> None:
    known = ["--extension", "docs/examples/laboratory.yaml"]
    result = run(["gateway", "render", "--env", "example", *known, "--laboratory", "nope"])
    assert (result.returncode, result.stdout) == (2, "")
    assert "no laboratory `nope` among the extensions; there is only `icarus`" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--by", "pod", "--namespace", "Pharos"], "write 1 to 63 of the characters"),
        (["--by", "pod", "--namespace", "llm", "--label", "-app=web"], "`-app` is not the key of a label"),
        (["--by", "pod", "--namespace", "llm", "--label", "app=a b"], "`a b` is not the value of a label"),
        (["--by", "pod", "--namespace", "llm", "--label", "app"], "'app' has no `=`"),
        (["--by", "pod", "--namespace", "llm", "--label", "app=a", "--label", "app=b"], "'app' is given twice"),
        (["--from", "garbage"], "`garbage` is neither an address nor a network"),
    ],
)
def test_a_question_that_nobody_can_ask(words: list[str], said: str) -> None:
    result = run(["route", "explain", "https://argo.example.org/", "--env", "example", *words])
    assert (result.returncode, result.stdout) == (2, ""), result.stderr
    assert said in result.stderr


def test_a_scheme_has_letters_of_any_case() -> None:
    asked = [run(["route", "explain", f"{scheme}://argo.example.org/", "--env", "example"]) for scheme in ("HTTPS", "https")]
    assert asked[0].stdout == asked[1].stdout
    assert [each.returncode for each in asked] == [0, 0]


def test_a_stream_of_laboratories_may_have_directives() -> None:
    text = (ROOT / "docs/examples/laboratory.yaml").read_text(encoding="utf-8")
    result = run(["check", "--env", "example", "--extensions", "-"], stdin=f"%YAML 1.2\n---\n{text}")
    assert (result.returncode, result.stdout) == (0, "3 documents fit\n"), result.stderr + result.stdout
