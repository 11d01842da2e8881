"""The modules as a playbook meets them: arguments, documentation, and the two ways in which the controller computes."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from play.collection import REPOSITORY, SOURCE, real
from play.run import Player, TaskResult

CATALOGUE = str(REPOSITORY / "catalogue" / "services.yaml")
MODULES = sorted(path.stem for path in (SOURCE / "plugins" / "modules").glob("*.py"))


@pytest.fixture
def player(tmp_path: Path) -> Player:
    """A user of this machine with the collection of this checkout."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return Player(home, real(tmp_path / "collections"))


@pytest.fixture
def site(tmp_path: Path) -> dict[str, str]:
    """The documents of the site `example`, as options."""
    policy = yaml.safe_load((REPOSITORY / "environments" / "example" / "policy.yaml").read_text())
    edge = policy["edge"]
    environment = {
        "version": 1,
        "environment": policy["environment"],
        "mode": policy["mode"],
        "profiles": policy["profiles"],
        "origins": edge["origins"] | edge["bindings"],
        "gateway": edge["gateway"],
    }
    path = tmp_path / "edge.yaml"
    path.write_text(yaml.safe_dump(environment))
    return {"environment_file": str(path), "catalogue_file": CATALOGUE}


def without_bindings(folder: Path) -> Mapping[str, str]:
    """An environment in which the package `pharos` cannot be imported."""
    package = folder / "shadow" / "pharos"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('not here')\n")
    return {"PYTHONPATH": str(package.parent)}


def test_a_pure_module_runs_in_the_process_of_ansible(player: Player, site: dict[str, str]) -> None:
    run = player.task("site_info", site)
    assert run.one.outcome == "ok", run.output
    assert "platform.example.org" in run.one["certificate_names"]
    assert run.commands == 0
    assert not (player.folder / ".cache").exists()


def test_without_the_bindings_the_program_of_the_collection_answers_the_same(
    player: Player, site: dict[str, str], tmp_path: Path
) -> None:
    bound = player.task("site_info", site)
    own = player.task("site_info", site, environment=without_bindings(tmp_path))
    assert own.one.result == bound.one.result
    assert own.commands == 0, "no connection was made"
    assert len(list((player.folder / ".cache/pharos/modules").glob("*/pharos-modules"))) == 1


def test_what_is_needed_in_some_cases_is_asked_for_before_a_host_is(player: Player, site: dict[str, str]) -> None:
    inventory = player.folder / "hosts"
    inventory.write_text("nowhere ansible_host=192.0.2.1 ansible_connection=ssh\n")
    away = Player(player.folder, player.collections, inventory)
    run = away.task("acme_lineage", {**site, "acme_issuer": "edge1", "edge": "edge2"})
    assert run.one.outcome == "failed", run.output
    assert [each["code"] for each in run.one["diagnostics"]] == ["module/missing-option"]
    assert run.one.message.startswith("nowhere: 1 error\n\nerror[module/missing-option]: `edges` is missing")
    # cases of two options are the core's to know
    rendered = player.task("edge_render", {**site, "nginx": "1.22.1", "certificate_mode": "existing"})
    assert "`certificate_files` is missing: it is needed with `certificate_mode: existing`" in rendered.one.message


def test_a_pure_module_needs_no_host(player: Player, site: dict[str, str]) -> None:
    inventory = player.folder / "hosts"
    inventory.write_text("nowhere ansible_host=192.0.2.1 ansible_connection=ssh\n")
    assert Player(player.folder, player.collections, inventory).task("site_info", site).one.outcome == "ok"


@pytest.mark.parametrize("bindings", [True, False])
def test_another_version_is_refused(player: Player, site: dict[str, str], tmp_path: Path, bindings: bool) -> None:
    copy = tmp_path / "other" / "ansible_collections" / "pharos" / "platform"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("src", "tests", "__pycache__"))
    generated = copy / "plugins" / "plugin_utils" / "modules.json"
    generated.write_text(generated.read_text().replace('"version": "0.1.0"', '"version": "9.0.0"'))
    environment = {} if bindings else without_bindings(tmp_path)
    run = Player(player.folder, tmp_path / "other").task("site_info", site, environment=environment)
    assert [finding["code"] for finding in run.one["diagnostics"]] == ["module/version-skew"], run.output
    assert "the collection is of version 9.0.0" in run.one.message


@pytest.mark.parametrize("bindings", [True, False])
def test_arguments_are_refused_before_a_host_is_asked(player: Player, tmp_path: Path, bindings: bool) -> None:
    inventory = player.folder / "hosts"
    inventory.write_text("nowhere ansible_host=192.0.2.1 ansible_connection=ssh\n")
    environment = {} if bindings else without_bindings(tmp_path)
    arguments = {"file": [], "staging": "perhaps"}
    run = Player(player.folder, player.collections, inventory).task("certificate_info", arguments, environment=environment)
    assert run.one.outcome == "failed", run.output
    codes = [finding["code"] for finding in run.one["diagnostics"]]
    assert codes == ["module/missing-option", "module/option-value", "module/unknown-option"]
    assert "did you mean `files`?" in run.one.message


def test_what_an_object_holds_is_secret_and_its_name_is_not(player: Player) -> None:
    known = {"name": "site-api-trust", "namespace": "pharos", "labels": {"tier": "a"}}
    copied = {"annotations": {"last-applied": "hunter2hunter2"}}
    held = {"ca.crt": "x", "password": "correct-horse", "explain": "option-value"}
    given = {"apiVersion": "v1", "kind": "Secret", "metadata": known | copied, "stringData": held}

    def refused(*objects: Any) -> TaskResult:
        run = player.task("site_trust_render", {"catalogue_file": CATALOGUE, "objects": list(objects)}, verbosity=4)
        assert (run.code, run.one.outcome) == (2, "failed"), run.output
        assert not any(secret in str(run.one.result) for secret in ("correct-horse", "hunter2hunter2"))
        return run.one

    # in the place of its text, and in that of the whole answer
    told = refused({"rc": 0, "stdout": given})
    assert {finding["code"] for finding in told["diagnostics"]} == {"module/option-value"}
    assert told.message.startswith("localhost: 1 error\n\nerror[module/")
    assert told.message.endswith("(see `pharos explain module/********`)"), "a secret that is a word of ours is still a secret"
    assert told["invocation"]["module_args"]["objects"] == [{"rc": 0, "stdout": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"}]
    told = refused(given, "1", "e", "\n")
    assert {finding["code"] for finding in told["diagnostics"]} >= {"module/missing-option", "module/unknown-option"}
    assert "error[module/missing-option]: `objects[0].rc` is missing" in told.message


@pytest.mark.parametrize("raises", ["RuntimeError('no such symbol')", "SystemExit(3)"])
def test_a_package_that_does_not_work_is_a_failed_task(player: Player, site: dict[str, str], tmp_path: Path, raises: str) -> None:
    package = tmp_path / "shadow" / "pharos"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(f"raise {raises}\n")
    environment = {"PYTHONPATH": str(package.parent)}
    run = player.task("site_info", site, environment=environment)
    assert (run.code, run.one.outcome) == (2, "failed"), run.output
    assert [finding["code"] for finding in run.one["diagnostics"]] == ["module/broken-package"]
    assert raises.split("(")[0] in run.one.message and sys.executable in run.one.message
    templated = player.play(
        [{"ansible.builtin.debug": {"msg": "{{ 'a.b' is pharos.platform.host_name }}"}}], environment=environment
    )
    assert templated.code == 2 and "module/broken-package" in templated.output


def test_faults_of_a_document_are_shown_with_their_line(player: Player, site: dict[str, str]) -> None:
    broken = player.folder / "edge.yaml"
    broken.write_text(Path(site["environment_file"]).read_text().replace("https://platform", "ftp://platform"))
    run = player.task("site_info", site | {"environment_file": str(broken)})
    assert f"{broken}:" in run.one.message, run.output
    assert "ftp://platform.example.org" in run.one.message
    assert run.one["diagnostics"][0]["code"] == "name/origin"


def test_check_and_diff_mode_change_nothing_of_a_reading_module(player: Player, site: dict[str, str]) -> None:
    plain = player.task("edge_render", site | {"nginx": "1.26.3", "certificate_mode": "certbot"})
    checked = player.task("edge_render", site | {"nginx": "1.26.3", "certificate_mode": "certbot"}, check=True, diff=True)
    assert plain.one["changed"] is False
    assert checked.one["files"] == plain.one["files"]


@pytest.mark.parametrize("module", MODULES)
def test_ansible_doc_shows_every_module(player: Player, module: str) -> None:
    document = _doc(player, module, "--json")
    shown = json.loads(document)[f"pharos.platform.{module}"]
    specification = json.loads((SOURCE / "plugins/plugin_utils/modules.json").read_text())["modules"][module]
    assert set(shown["doc"]["options"]) == set(specification["argument_spec"])
    assert {"check_mode", "diff_mode", "idempotent"} <= set(shown["doc"]["attributes"])
    assert "diagnostics" in shown["return"]
    tasks: list[dict[str, Any]] = yaml.safe_load(shown["examples"])
    used = [task for task in tasks if f"pharos.platform.{module}" in task]
    assert used and all("name" in task for task in tasks)
    for task in used:
        given = task[f"pharos.platform.{module}"] or {}
        required = {name for name, option in specification["argument_spec"].items() if option.get("required")}
        assert required <= set(given) <= set(specification["argument_spec"])
    assert f"pharos.platform.{module}" in _doc(player, module)


def test_ansible_doc_lists_the_modules(player: Player) -> None:
    listed = json.loads(_doc(player, "pharos.platform", "--list", "--json", qualified=False))
    assert sorted(listed) == [f"pharos.platform.{module}" for module in MODULES]


def _doc(player: Player, name: str, *options: str, qualified: bool = True) -> str:
    program = Path(sys.executable).parent / "ansible-doc"
    environment = player.variables(player.folder / "record")
    words: list[str | Path] = [program, *options, f"pharos.platform.{name}" if qualified else name]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert "WARNING" not in done.stderr, done.stderr
    return str(done.stdout)


def test_the_collection_is_built_and_installed(player: Player, site: dict[str, str], tmp_path: Path) -> None:
    galaxy = Path(sys.executable).parent / "ansible-galaxy"
    environment = player.variables(player.folder / "record")
    (player.folder / "ansible.cfg").touch()
    built = tmp_path / "pharos-platform-0.1.0.tar.gz"
    for words in (
        ["collection", "build", str(SOURCE), "--output-path", str(tmp_path)],
        ["collection", "install", str(built), "--offline", "--force", "-p", str(tmp_path / "installed")],
    ):
        subprocess.run([galaxy, *words], env=environment, capture_output=True, check=True)
    run = Player(player.folder, tmp_path / "installed").task("site_info", site, environment=without_bindings(tmp_path))
    assert run.one.outcome == "ok", run.output
    assert built.stat().st_size < 20_000_000, "the limit of the public index, with the programs of both architectures"
    root = tmp_path / "installed/ansible_collections/pharos/platform"
    assert not [path for path in ("src", "Cargo.toml", "tests") if (root / path).exists()]


# An option of each type, as the specifications that are generated write it; the rows are held against the core by its own tests.
OPTIONS: dict[str, dict[str, Any]] = {
    "flag": {"type": "bool"},
    "number": {"type": "int"},
    "text": {"type": "str"},
    "path": {"type": "path"},
    "word": {"type": "str", "choices": ["one", "two"]},
    "texts": {"type": "list", "elements": "str"},
    "numbers": {"type": "list", "elements": "int"},
    "words": {"type": "list", "elements": "str", "choices": ["one", "two"]},
    "record": {"type": "dict", "options": {"name": {"type": "str", "required": True}, "count": {"type": "int"}}},
}
OPTIONS["records"] = {"type": "list", "elements": "dict", "options": OPTIONS["record"]["options"]}


def test_options_are_converted_as_ansible_does() -> None:
    rows = json.loads((SOURCE / "tests" / "coercions.json").read_text())
    assert {row["option"] for row in rows} == OPTIONS.keys() | {"unknown"}
    for row in rows:
        judged = ArgumentSpecValidator(OPTIONS).validate({row["option"]: row["given"]})
        assert bool(judged.error_messages) == row.get("refused", False), (row, judged.error_messages)
        if "becomes" in row:
            value = judged.validated_parameters[row["option"]]
            assert without_null(value) == row["becomes"], row


def without_null(value: Any) -> Any:
    """A value without the keys that Ansible adds for what was not given."""
    if isinstance(value, dict):
        return {key: without_null(inner) for key, inner in value.items() if inner is not None}
    return [without_null(inner) for inner in value] if isinstance(value, list) else value
