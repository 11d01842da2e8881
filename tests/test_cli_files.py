"""The files that the command is given: those that are not there, cannot be read, or are no text."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bed.pki import Authority
from command import ROOT, broken_site, run

FAILED = 'nginx: [emerg] unknown directive "sever" in /etc/nginx/nginx.conf:3\nnginx: configuration file x test failed\n'


def test_a_missing_file_is_the_worlds_fault(tmp_path: Path) -> None:
    result = run(["check", "absent.yaml"], tmp_path)
    assert (result.returncode, result.stdout) == (3, "")
    assert "absent.yaml" in result.stderr


@pytest.mark.parametrize("line", ["check ~/site", "plan show ~/site", "gateway values --env example --chart=~/site"])
def test_a_path_may_begin_at_home(line: str, tmp_path: Path) -> None:
    """What a shell makes of `~/x`, it does not of `--chart=~/x`: both are the same to the command."""
    home = {"HOME": str(tmp_path)}
    gone = run([*line.split()], environment=home)
    assert (gone.returncode, f"--> {tmp_path}/site\n" in gone.stderr) == (3, True), gone.stderr
    literal = run(["check", "./~/site"], environment=home)
    assert (literal.returncode, "--> ~/site\n" in literal.stderr) == (3, True), literal.stderr
    other = run(["edge", "render", "--env", "example", "--webroot", "~/acme"], environment=home)
    assert (other.returncode, "write the home out" in other.stderr) == (2, True), other.stderr


# Every command that reads a file it is told, and the key of its JSON under which findings are; none where all of it are findings.
OF_FILES = {
    "check {}": "",
    "certificate check --host example.org --chain {}": "diagnostics",
    "certificate check --host example.org --chain README.md --trust {}": "diagnostics",
    "certificate check --host example.org --chain README.md --key {}": "diagnostics",
    "edge inspect {}": "diagnostics",
    "inventory {}": "report",
    "check --extension {}": "",
    "routes --env example --extension {}": None,
    "route explain https://platform.example.org/ --env example --extension {}": None,
    "edge render --env example --extension {}": None,
    "gateway render --env example --extension {}": None,
    "plan show {}": None,
    "plan diff {} README.md": None,
    "gateway values --env example --chart {}": None,
}


@pytest.mark.parametrize("line", OF_FILES)
def test_a_file_that_cannot_be_read_is_a_finding(line: str) -> None:
    words = line.format("nowhere/absent").split()
    human = run([*words])
    assert (human.returncode, human.stdout) == (3, "")
    assert re.search(r"^error\[file/io\]: cannot read: .*\n--> nowhere/absent\n = help: ", human.stderr, re.MULTILINE), (
        human.stderr
    )
    assert human.stderr.endswith("\n\n1 error\n")
    if "values" in words:  # its answer has one form
        return
    of_json = run([*words, "--format", "json"])
    assert of_json.returncode == 3
    key = OF_FILES[line]
    said = json.loads(of_json.stderr if key is None else of_json.stdout)
    (finding,) = said[key] if key else said
    assert (finding["code"], finding["labels"][0]["file"], bool(finding["help"])) == ("file/io", "nowhere/absent", True)
    if key is None:
        assert of_json.stdout == ""
        return
    sarif = run([*words, "--format", "sarif"])
    assert (sarif.returncode, json.loads(sarif.stdout)["runs"][0]["results"][0]["ruleId"]) == (3, "file/io")
    junit = run([*words, "--format", "junit"])
    assert (junit.returncode, '<failure type="file/io"' in junit.stdout) == (3, True)


@pytest.mark.parametrize("damage", [lambda policy: policy.rename(policy.with_suffix(".yml")), Path.unlink])
def test_an_environment_without_its_policy_is_not_passed_over(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    shutil.copytree(ROOT / "examples" / "small-company", tmp_path / "site")
    damage(tmp_path / "site" / "environments" / "production" / "policy.yaml")
    result = run(["check"], tmp_path / "site")
    assert (result.returncode, result.stdout) == (3, "")
    assert "error[file/io]: cannot read: No such file or directory\n--> environments/production/policy.yaml\n" in result.stderr


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
            assert f"error[file/io]: cannot read: not a regular file, but {kind}\n--> {name}\n" in result.stderr
            assert "name a regular file" in result.stderr


def test_a_bad_file_of_authorities_hides_no_fault_of_the_chain(tmp_path: Path) -> None:
    leaf = Authority.create("root").issue("platform.example.org")
    chain, _ = leaf.write(tmp_path, "fullchain")
    (tmp_path / "roots.pem").write_text("none\n", encoding="utf-8")
    words: list[str | bytes] = [
        "certificate",
        "check",
        "--chain",
        str(chain),
        "--trust",
        "roots.pem",
        "--host",
        "chat.example.org",
    ]
    result = run(words, tmp_path)
    codes = re.findall(r"^error\[(.+)\]", result.stdout, re.MULTILINE)
    assert (result.returncode, codes) == (1, ["certificate/no-anchor", "certificate/host-mismatch"]), result.stdout
    fit = run([*words[:-1], "platform.example.org"], tmp_path)
    assert (fit.returncode, fit.stdout.count("error[")) == (1, 1), fit.stdout


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


def test_an_inventory_that_is_an_empty_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty/.hidden.yml").touch()
    for name, said in (("empty", "no source of an inventory in this folder"), ("gone.yml", "No such file or directory")):
        result = run(["inventory", name], tmp_path)
        assert (result.returncode, result.stdout) == (3, "")
        assert f"{said}\n--> {name}\n" in result.stderr, result.stderr


def test_a_folder_stands_for_the_documents_below_it(tmp_path: Path) -> None:
    site = broken_site(tmp_path)
    (site / "environments/notes.txt").write_text("no document", encoding="utf-8")
    named = [str(path.relative_to(site)) for path in sorted((site / "environments").rglob("*.yaml"))]
    whole = run(["check", "catalogue", "environments"], site)
    assert whole.returncode == 1
    assert whole.stdout == run(["check", "catalogue/services.yaml", *named], site).stdout
    (tmp_path / "empty").mkdir()
    result = run(["check", "empty"], tmp_path)
    assert (result.returncode, result.stdout) == (3, "")
    assert "cannot read: no *.yaml or *.yml file below this folder\n--> empty\n" in result.stderr


def test_a_name_that_is_no_utf_8_is_printed(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.yaml")).write_text("a: [", encoding="utf-8")
    result = run(["check", b"\xff.yaml"], tmp_path)
    assert result.returncode == 1, result.stderr
    assert "\ufffd.yaml:1" in result.stdout


def test_a_chart_that_is_not_there_is_no_wrong_usage(tmp_path: Path) -> None:
    gone = run(["gateway", "values", "--env", "example", "--chart", str(tmp_path / "gone")])
    assert (gone.returncode, gone.stdout) == (3, "")
    assert f"cannot read: there is no folder of this name\n--> {tmp_path}/gone\n" in gone.stderr
    for path, said in ((tmp_path, "it has no Chart.yaml"), (ROOT / "README.md", "it is no folder, and a chart is one")):
        other = run(["gateway", "values", "--env", "example", "--chart", str(path)])
        assert f"cannot read: {said}\n--> {path}\n = help: name the folder that holds" in other.stderr, other.stderr
    (tmp_path / "Chart.yaml").write_bytes(b"\xff")
    odd = run(["gateway", "values", "--env", "example", "--chart", str(tmp_path)])
    assert (odd.returncode, f"cannot read: not UTF-8\n--> {tmp_path}/Chart.yaml\n" in odd.stderr) == (3, True), odd.stderr
    shutil.copytree(ROOT / "examples" / "small-company", tmp_path / "site")
    outside = run(["gateway", "values", "--env", "production"], tmp_path / "site")
    assert (outside.returncode, outside.stdout) == (2, "")
    assert "no chart of the routes in charts/routes; name its folder with --chart" in outside.stderr


def test_a_chart_with_the_schema_of_another_catalogue_is_refused(tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(ROOT / "examples" / "small-company", site)
    shutil.copytree(ROOT / "charts" / "routes", site / "charts" / "routes")
    schema = site / "charts" / "routes" / "values.schema.json"
    refused = run(["gateway", "values", "--env", "production"], site)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "error[gateway/chart-schema]" in refused.stderr and "--> charts/routes/values.schema.json\n" in refused.stderr
    assert "`pharos gateway schema > charts/routes/values.schema.json` writes it" in refused.stderr
    schema.write_text(run(["gateway", "schema"], site).stdout, encoding="utf-8")
    assert run(["gateway", "values", "--env", "production"], site).returncode == 0
    schema.unlink()
    assert run(["gateway", "values", "--env", "production"], site).returncode == 0
