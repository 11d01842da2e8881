"""How a task reaches its program, on this machine: tests/test_transport_hosts.py is about real hosts."""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

import pytest

import pharos
from play.collection import SOURCE, replace_program, with_program
from play.run import Player, Run, TaskResult

CACHE = Path(".cache") / "pharos" / "modules"


def refused(result: TaskResult, code: str, *words: str) -> None:
    """The task failed by this code: told to programs, and to people with its host, its remedy and where to read on."""
    assert result.outcome == "failed", result.result
    [finding] = [each for each in result["diagnostics"] if each["code"] == code]
    assert (finding["severity"], bool(finding["help"]), bool(finding["labels"])) == ("error", True, True)
    assert result.message.startswith(f"{result.host}: 1 error\n\nerror[{code}]: "), result.message
    assert f"(see `pharos explain {code}`)" in result.message
    for word in words:
        assert word in result.message, result.message


@pytest.fixture
def player(tmp_path: Path) -> Player:
    """A user of this machine, whose home is a folder of the test, with the module `probe`."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return Player(home, with_program(tmp_path / "collections"))


def stored(player: Player) -> list[Path]:
    """The programs in the cache."""
    return sorted((player.folder / CACHE).glob("*/pharos-modules"))


def test_the_first_task_uploads_once_and_the_second_asks_once(player: Player) -> None:
    first = player.task("probe", {"does": "greet"})
    assert first.one.outcome == "ok", first.output
    assert first.commands == 3, "asked, stored, asked again"
    assert [path.stat().st_mode & 0o777 for path in stored(player)] == [0o700]
    second = player.task("probe", {"does": "greet"})
    assert second.commands == 1
    assert second.one["program"] == str(stored(player)[0])


def test_a_task_says_all_that_ansible_knows(player: Player) -> None:
    run = player.task("probe", {"does": "greet"}, check=True, diff=True, environment={"ANSIBLE_FORCE_COLOR": "0"})
    request = run.one.request
    assert request["module"] == "probe"
    assert request["arguments"] == {"does": "greet"}
    assert (request["_ansible_check_mode"], request["_ansible_diff"], request["_ansible_verbosity"]) == (True, True, 3)
    assert abs(request["instant"] - (player.folder / "record").stat().st_mtime) < 300


def test_the_environment_of_the_task_is_the_programs(player: Player) -> None:
    tasks = [{"pharos.platform.probe": {}, "environment": {"GREETING": "it's $HOME"}}]
    assert player.play(tasks).one["greeting"] == "it's $HOME"


@pytest.mark.parametrize(
    ("does", "code", "says"),
    [
        ("die", "module/killed", "killed by signal 11"),
        ("lose", "module/no-answer", "no answer (code 255)"),
        ("garble", "module/no-answer", "no answer (code 0): no JSON at all"),
    ],
)
def test_a_program_that_breaks_is_a_failed_task(player: Player, does: str, code: str, says: str) -> None:
    run = player.task("probe", {"does": does})
    refused(run.one, code, says)
    assert len(stored(player)) == 1


def test_what_a_login_shell_prints_is_passed_over(player: Player) -> None:
    assert player.task("probe", {"does": "chatter"}).one["changed"] is True


@pytest.mark.parametrize("damage", [b"", b"no program\n", b"\x7fELF" + bytes(100)])
def test_a_damaged_program_is_replaced(player: Player, damage: bytes) -> None:
    player.task("probe")
    [program] = stored(player)
    whole = program.read_bytes()
    program.write_bytes(damage)
    run = player.task("probe")
    assert run.one.outcome == "ok", run.output
    assert program.read_bytes() == whole
    program.chmod(0o600)
    assert player.task("probe").one.outcome == "ok", "and one that may not be run"


def test_a_folder_that_others_can_change_is_refused(player: Player) -> None:
    player.task("probe")
    for folder in [player.folder, *(player.folder / CACHE).parents[:2], player.folder / CACHE]:
        folder.chmod(0o777)
        run = player.task("probe")
        refused(run.one, "module/unsafe-cache", f"{folder} is a link, belongs to somebody else or can be changed by others")
        folder.chmod(0o700)
    assert player.task("probe").one.outcome == "ok"


def test_a_link_on_the_way_is_refused(player: Player, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (player.folder / ".cache").symlink_to(tmp_path / "elsewhere")
    run = player.task("probe")
    assert f"{player.folder / '.cache'} is a link" in run.one.message, run.output
    assert not any((tmp_path / "elsewhere").glob("**/pharos-modules"))


def test_a_program_that_is_a_link_is_refused(player: Player, tmp_path: Path) -> None:
    player.task("probe")
    [program] = stored(player)
    program.rename(tmp_path / "program")
    program.symlink_to(tmp_path / "program")
    assert f"{program} is a link" in player.task("probe").one.message


def test_another_folder_can_be_chosen(player: Player) -> None:
    chosen = player.folder / "chosen folder"
    variables = {"pharos_module_cache": f"{player.folder}/{{{{ 'chosen' }}}} folder"}
    # the test's folder lies below the temporary folder, which everybody can write to
    run = player.play([{"pharos.platform.probe": {}}], variables=variables)
    assert f"{tempfile.gettempdir()} is a link, belongs to somebody else or can be changed by others" in run.one.message
    assert not any(chosen.glob("**/pharos-modules"))
    relative = player.play([{"pharos.platform.probe": {}}], variables={"pharos_module_cache": "cache"})
    refused(relative.one, "module/cache-path", "write an absolute path", "pharos_module_cache is 'cache'")


def test_programs_that_nobody_used_go(player: Player, tmp_path: Path) -> None:
    player.task("probe")
    [old] = stored(player)
    month = 31 * 86400
    for offset, kept in [(month - 2 * 86400, True), (month + 86400, False)]:
        used = old.parent / "used"
        at = used.stat().st_mtime - offset
        os.utime(used, (at, at))
        replace_program(tmp_path / "collections", f"#!/bin/sh\n# {offset}\necho '{{\"changed\": false}}'\n".encode())
        assert player.task("probe").one.outcome == "ok"
        assert old.exists() is kept


def test_a_task_marks_its_program_as_used(player: Player) -> None:
    player.task("probe")
    used = stored(player)[0].parent / "used"
    os.utime(used, (0, 0))
    player.task("probe")
    assert used.stat().st_mtime > 0


def test_an_interrupted_upload_leaves_nothing_that_runs(player: Player) -> None:
    player.task("probe")
    folder = stored(player)[0].parent
    (folder / ".new.abcdef").write_bytes(b"half")
    stored(player)[0].unlink()
    assert player.task("probe").one.outcome == "ok"
    os.utime(folder / ".new.abcdef", (0, 0))
    stored(player)[0].unlink()
    player.task("probe")
    assert [path.name for path in sorted(folder.iterdir())] == ["pharos-modules", "used"]


def test_secrets_are_masked_everywhere(player: Player) -> None:
    arguments = {"token": "hunter2", "nested": [{"token": "correct horse"}], "does": "say hunter2"}
    run = player.task("probe", arguments, verbosity=4)
    assert run.one.outcome == "ok", run.output
    assert run.one["invocation"]["module_args"] == {
        "does": "say ********",
        "nested": [{"token": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"}],
        "token": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER",
    }
    assert run.one.request["arguments"]["does"] == "say ********"
    assert "correct horse" not in str(run.one.result)
    shown = run.output.replace("say hunter2", "")  # the playbook's own text is not ours to hide
    assert "correct horse" not in shown and "hunter2" not in shown


@pytest.mark.parametrize("secret", ["a", "1", "\n", "failed", "module/killed", ["e", "rc"]])
def test_a_secret_takes_nothing_from_the_outcome(player: Player, secret: str | list[str]) -> None:
    nested = [{"token": each} for each in ([secret] if isinstance(secret, str) else secret)]
    run = player.task("probe", {"nested": nested, "does": "die"}, verbosity=4)
    assert run.code == 2, run.output
    assert (run.one.outcome, run.one["changed"]) == ("failed", False)
    [finding] = run.one["diagnostics"]
    assert (finding["code"], finding["severity"]) == ("module/killed", "error")
    assert all(
        set(result["token"]) <= set("VALUE_SPECIFIED_IN_NO_LOG_PARAMETER")
        for result in run.one["invocation"]["module_args"]["nested"]
    )
    if secret in ("a", "1", "\n"):
        refused(run.one, "module/killed", "killed by signal 11")


def test_a_dictionary_in_the_form_of_a_text_is_secret_as_a_whole(player: Player) -> None:
    run = player.task("probe", {"nested": "token=correct-horse", "does": "die"}, verbosity=4)
    assert run.one["invocation"]["module_args"]["nested"] == "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
    assert "correct-horse" not in str(run.one.result)


def test_documents_are_read_on_the_controller(player: Player) -> None:
    (player.folder / "files").mkdir()
    (player.folder / "files" / "site.yml").write_text("a: ü\n")
    run = player.task("probe", {"document": "site.yml"})
    assert run.one.request["arguments"]["document"] == {"name": "site.yml", "text": "a: ü\n"}
    os.mkfifo(player.folder / "pipe")
    for path, words in [
        ("/dev/zero", ["it is not a regular file", "kept in one first"]),
        (str(player.folder / "pipe"), ["it is not a regular file", "kept in one first"]),
        ("gone.yml", ["Could not find or access 'gone.yml'", "give the path of a file"]),
        (str(player.folder / "files"), ["Is a directory", "not of its folder"]),
    ]:
        run = player.task("probe", {"document": path})
        refused(
            run.one, "module/document-missing", "`document` is", path, "on the controller", "`make document` makes one", *words
        )


def test_a_document_that_is_no_text(player: Player) -> None:
    path = player.folder / "binary"
    path.write_bytes(b"a\xff")
    run = player.task("probe", {"document": str(path)})
    refused(run.one, "document/encoding", "`document` is", str(path), "offset 1 is 0xFF", "saved as UTF-8")


def test_a_document_beside_the_caller_is_found_by_no_relative_path(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    (player.folder / "here").mkdir()
    monkeypatch.chdir(player.folder / "here")
    Path("site.yml").write_text("a: b\n")
    tasks = [{"pharos.platform.probe": {"document": "{{ edge_document }}"}}]
    run = player.play(tasks, variables={"edge_document": "site.yml"})
    refused(run.one, "module/document-missing", f"write `{Path.cwd()}/site.yml`", "`document` (the variable `edge_document`)")


def test_a_folder_that_cannot_be_written(player: Player) -> None:
    (player.folder / ".cache" / "pharos").mkdir(mode=0o700, parents=True)
    (player.folder / ".cache").chmod(0o700)
    (player.folder / ".cache" / "pharos" / "modules").write_text("in the way\n")
    refused(player.task("probe").one, "module/cache-failed", "cannot make the folder", "Not a directory")


def test_every_code_of_the_transport_has_a_page() -> None:
    sources = [path.read_text() for path in (SOURCE / "plugins" / "plugin_utils").glob("*.py")]
    codes = {code for source in sources for code in re.findall(r'"(module/[a-z-]+)"', source)}
    assert len(codes) >= 11
    for code in sorted(codes):
        assert pharos.code(code).page.startswith(f"# {code}\n")


def test_an_architecture_without_a_program_is_said(player: Player, tmp_path: Path) -> None:
    manifest = tmp_path / "collections/ansible_collections/pharos/platform/files/manifest.json"
    manifest.write_text('{"programs": {"aarch64": "00"}}')
    refused(player.task("probe").one, "module/no-program", "no program for 'Linux x86_64'; this collection has: aarch64")
    manifest.unlink()
    refused(player.task("probe").one, "module/not-built", "holds no programs", "make modules")


def test_a_program_that_is_not_the_manifests_is_not_sent(player: Player, tmp_path: Path) -> None:
    for program in (tmp_path / "collections").glob("**/files/bin/*/pharos-modules"):
        program.write_bytes(b"another")
    run = player.task("probe")
    refused(run.one, "module/damaged-collection", "is not the program that the manifest names")
    assert stored(player) == []


def in_background(player: Player, *tasks: dict[str, object]) -> Run:
    variables = {"ansible_async_dir": str(player.folder / "jobs"), "ansible_python_interpreter": sys.executable}
    return player.play(tasks, variables=variables)


def test_a_task_in_the_background_is_waited_for(player: Player) -> None:
    player.task("probe")
    [program] = stored(player)
    whole = program.read_bytes()
    program.write_bytes(b"\x7fELF" + bytes(100))
    run = in_background(player, {"pharos.platform.probe": {"does": "greet"}, "async": 60, "poll": 1})
    assert run.one.outcome == "ok", run.output
    assert (run.one.request["arguments"], run.one["finished"]) == ({"does": "greet"}, True)
    assert program.read_bytes() == whole, "a damaged one is replaced before it starts"
    assert list((player.folder / "jobs").iterdir()) == []


def test_tasks_in_the_background_are_asked_about_later(player: Player) -> None:
    cases = {
        "greet": ("", "", 60),
        "die": ("module/killed", "killed by signal 11", 60),
        "lose": ("module/no-answer", "no answer (code 255)", 60),
        "sleep": ("module/killed", "ended after the 1 seconds of `async`", 1),
    }
    run = in_background(
        player,
        *(
            {"pharos.platform.probe": {"does": does}, "async": seconds, "poll": 0, "register": does}
            | {"environment": {"GREETING": "it's $HOME"}}
            for does, (_, _, seconds) in cases.items()
        ),
        *(
            {"ansible.builtin.async_status": {"jid": f"{{{{ {does}.ansible_job_id }}}}"}, "register": "seen"}
            | {"until": "seen.finished", "retries": 100, "delay": 0.1, "ignore_errors": True}
            for does in cases
        ),
    )
    assert [each.outcome for each in run.results[:4]] == ["ok"] * 4, run.output
    modes = {path.stat().st_mode & 0o777 for path in (player.folder / "jobs").iterdir()}
    assert (modes, (player.folder / "jobs").stat().st_mode & 0o777) == ({0o600}, 0o700)
    assert run.results[4]["greeting"] == "it's $HOME"
    for result, (code, says, _) in zip(run.results[5:], list(cases.values())[1:], strict=True):
        refused(result, code, says)


def test_nothing_secret_runs_in_the_background(player: Player) -> None:
    tasks = [{"pharos.platform.probe": {"token": "hunter2"}, "async": 10, "poll": 1}]
    assert "does not support async" in player.play(tasks).one.message
    assert not (player.folder / ".ansible_async").exists()


def test_what_answers_with_a_secret_does_not_run_in_the_background() -> None:
    modules = json.loads((SOURCE / "plugins" / "plugin_utils" / "modules.json").read_text())["modules"]
    assert modules["certificate_info"]["background"] and modules["certificate_files"]["background"]
    assert not modules["certificate_files_info"]["background"], "it returns private keys"
    assert not modules["site_info"]["background"], "it runs on the controller"


def test_six_hosts_fill_one_cache(player: Player) -> None:
    inventory = player.folder / "hosts"
    inventory.write_text("".join(f"h{n} ansible_connection=local\n" for n in range(6)))
    run = Player(player.folder, player.collections, inventory=inventory).task("probe")
    assert [result.outcome for result in run.results] == ["ok"] * 6, run.output
    [program] = stored(player)
    assert sorted(path.name for path in program.parent.iterdir()) == ["pharos-modules", "used"]
