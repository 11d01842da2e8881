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

ROOT = Path(__file__).parents[1]
CASES = Path(__file__).parent / "cli"
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


TEXT = "version: 1\nname: caf\u00e9\n"


@pytest.mark.parametrize(
    ("content", "said", "place"),
    [
        (TEXT.encode("utf-16"), "UTF-16", "1:1"),
        (TEXT.encode("latin-1"), "offset 20 is 0xE9", "2:10"),
        (b"\x7fELF\x00\x1b[31m\xff", "offset 10 is 0xFF", "1:11"),
    ],
)
def test_a_document_that_is_no_utf_8_is_refused_at_its_place(tmp_path: Path, content: bytes, said: str, place: str) -> None:
    site = broken_site(tmp_path)
    policy = site / "environments/icarus-cloud/policy.yaml"
    policy.write_bytes(content)
    for arguments in (
        ["check", str(policy.relative_to(site))],
        ["check"],
        ["routes", "--env", "icarus-cloud"],
        ["edge", "render", "--env", "icarus-cloud"],
    ):
        result = run([*arguments], site)
        printed = result.stdout + result.stderr
        assert result.returncode == 1, printed
        assert "error[document/encoding]" in printed
        assert said in printed
        assert f"environments/icarus-cloud/policy.yaml:{place}" in printed
        assert printed.endswith("1 error\n")
        assert "\x1b" not in printed


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
    ],
)
def test_an_argument_that_cannot_be_read_is_wrong_usage(arguments: list[str | bytes]) -> None:
    result = run(arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: pharos ")
    assert "codec" not in result.stderr


FAILED = 'nginx: [emerg] unknown directive "sever" in /etc/nginx/nginx.conf:3\nnginx: configuration file x test failed\n'


@pytest.mark.parametrize("form", ["human", "json"])
def test_an_inspection_of_nothing_is_refused(tmp_path: Path, form: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.conf").touch()
    (tmp_path / "failed.conf").write_text(FAILED, encoding="utf-8")
    for name, stdin in (("folder", ""), ("empty.conf", ""), ("failed.conf", ""), ("-", ""), ("-", FAILED)):
        result = run(["edge", "inspect", "--format", form, name], tmp_path, stdin)
        assert result.returncode == 1, result.stdout + result.stderr
        assert "edge/no-configuration" in result.stdout
        assert "nothing stands in the way" not in result.stdout
        if form == "json":
            assert json.loads(result.stdout)["diagnostics"][0]["labels"][0]["file"] == name


def test_loose_files_are_inspected_beside_empty_ones(tmp_path: Path) -> None:
    (tmp_path / "a.conf").write_text("server { listen 80; server_name a.example.org; }\n", encoding="utf-8")
    (tmp_path / "b.conf").touch()
    result = run(["edge", "inspect", "."], tmp_path)
    assert result.returncode == 0, result.stdout
    assert "a.example.org" in result.stdout


def test_an_inspection_says_which_includes_it_was_not_given(tmp_path: Path) -> None:
    text = "events {}\nhttp {\n    include conf.d/*.conf;\n    server { listen 80; server_name a.example.org; }\n}\n"
    (tmp_path / "nginx.conf").write_text(text, encoding="utf-8")
    alone = run(["edge", "inspect", "nginx.conf"], tmp_path)
    assert alone.returncode == 0, alone.stdout
    assert "note[edge/include-not-given]" in alone.stdout and "nginx.conf:3:5" in alone.stdout
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d" / "b.conf").write_text("server { listen 80; server_name b.example.org; }\n", encoding="utf-8")
    both = run(["edge", "inspect", "nginx.conf", "conf.d"], tmp_path)
    assert "include-not-given" not in both.stdout and "b.example.org" in both.stdout


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    chain = ["certificate", "check", "--host", "example.org", "--chain"]
    for command in (["check"], ["edge", "inspect"], chain, [*chain, "README.md", "--trust"]):
        for name, kind in ((str(tmp_path / "pipe"), "a pipe"), ("/dev/zero", "a device")):
            result = run([*command, name])
            assert (result.returncode, result.stdout) == (3, "")
            assert result.stderr == f"pharos: {name}: not a regular file, but {kind}\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check"], "document/budget"),
        (["edge", "inspect"], "edge/nginx-budget"),
        (["certificate", "check", "--host", "example.org", "--chain"], "certificate/too-large"),
    ],
)
def test_of_a_large_file_no_more_is_read_than_is_judged(tmp_path: Path, arguments: list[str], code: str) -> None:
    with (tmp_path / "large").open("wb") as file:
        # Far more than the memory of this process may hold.
        file.truncate(1 << 40)
    result = run([*arguments, "large"], tmp_path)
    assert result.returncode == 1, result.stderr
    assert code in result.stdout


def test_a_folder_stands_for_the_documents_below_it(tmp_path: Path) -> None:
    site = broken_site(tmp_path)
    (site / "environments/notes.txt").write_text("no document", encoding="utf-8")
    named = [str(path.relative_to(site)) for path in sorted((site / "environments").rglob("*.yaml"))]
    whole = run(["check", "catalogue", "environments"], site)
    assert whole.returncode == 1
    assert whole.stdout == run(["check", "catalogue/services.yaml", *named], site).stdout
    (tmp_path / "empty").mkdir()
    result = run(["check", "empty"], tmp_path)
    assert (result.returncode, result.stderr) == (3, "pharos: empty: no *.yaml or *.yml file below this folder\n")


def test_a_name_that_is_no_utf_8_is_printed(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.yaml")).write_text("a: [", encoding="utf-8")
    result = run(["check", b"\xff.yaml"], tmp_path)
    assert result.returncode == 1, result.stderr
    assert "\ufffd.yaml:1" in result.stdout


def test_an_answer_that_cannot_be_written_is_the_worlds_fault() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        result = subprocess.run([str(COMMAND), "explain"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (result.returncode, result.stderr) == (3, "pharos: standard output: No space left on device\n")


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
