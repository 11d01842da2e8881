"""How a task reaches its program on real hosts, over ssh and by `become`."""

import base64
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bed.hosts import Host
from bed.world import World
from play.collection import real, with_program
from play.run import Player

pytestmark = pytest.mark.hosts
PROBE: dict[str, Any] = {"pharos.platform.probe": {}}
CACHE = ".cache/pharos/modules"


@pytest.fixture
def control(session_world: World, trixie: Host, tmp_path: Path) -> Player:
    """The control side, which reaches the host as `admin`; the collection's program is that of the tests."""

    def start(words: Sequence[str | Path], environment: Mapping[str, str]) -> tuple[int, str]:
        done = session_world.bed.control_exec(words, environment=environment, check=False)
        return done.code, done.stdout + done.stderr

    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    inventory = session_world.bed.write_inventory(home / "hosts.json", {"targets": [trixie]}, user="admin")
    return Player(home, with_program(tmp_path / "collections"), inventory, start)


@pytest.mark.parametrize("pipelining", ["true", "false"])
def test_a_task_is_one_command(control: Player, trixie: Host, pipelining: str) -> None:
    run = control.play([PROBE, PROBE], environment={"ANSIBLE_PIPELINING": pipelining})
    assert [result.outcome for result in run.results] == ["ok", "ok"], run.output
    assert run.commands == 4, "asked, stored, asked again; asked"
    assert run.results[1]["program"].startswith(f"/home/admin/{CACHE}/")
    assert trixie.run(f"find /home/admin/{CACHE} -perm /077").stdout == ""


def test_no_python_is_needed(control: Player, trixie: Host) -> None:
    trixie.run("rm /usr/bin/python3*")
    assert control.play([PROBE | {"become": True}]).one.outcome == "ok"


def test_root_runs_what_lies_in_roots_home(control: Player, trixie: Host) -> None:
    run = control.play([PROBE | {"become": True}, PROBE | {"become": True}])
    assert run.commands == 4, run.output
    assert (run.results[1]["user"], run.results[1]["program"].split("/.cache")[0]) == ("root", "/root")
    assert not trixie.run(f"test -e /home/admin/{CACHE}", check=False).ok


def test_another_user_without_access_control_lists(control: Player, trixie: Host) -> None:
    trixie.run("useradd --create-home keeper; ! command -v setfacl")
    for method in ("sudo", "su"):
        task = PROBE | {"become": True, "become_user": "keeper", "become_method": method}
        if method == "su":  # a file is sent: `su` takes the input for itself; from root it asks for no password
            task |= {"vars": {"ansible_user": "root"}}
        run = control.play([task])
        assert run.one.outcome == "ok", run.output
        assert (run.one["user"], run.one["program"].split("/.cache")[0]) == ("keeper", "/home/keeper")
        assert run.one.request["module"] == "probe"


def test_files_reach_another_user_by_access_control_lists(control: Player, trixie: Host) -> None:
    """`su` takes the input for itself, so files are sent: Ansible's own rules say how another user may read them."""
    trixie.run("useradd --create-home keeper && echo keeper:secret | chpasswd")
    task = PROBE | {"become": True, "become_user": "keeper", "become_method": "su"}
    variables = {"ansible_become_password": "secret", "ansible_remote_tmp": "~/of-ours"}
    refused = control.play([task], variables=variables)
    assert refused.one.outcome == "failed", refused.output
    assert "Failed to set permissions on the temporary files" in refused.one.message
    setfacl = shutil.which("setfacl")
    assert setfacl
    program = base64.b64encode(Path(setfacl).read_bytes()).decode()
    trixie.run(f"echo {program} | base64 -d > /usr/bin/setfacl && chmod 0755 /usr/bin/setfacl")
    run = control.play([task], variables=variables)
    assert run.one.outcome == "ok", run.output
    assert (run.one["user"], run.one.request["module"]) == ("keeper", "probe")
    assert "setfacl -m u:keeper:r" in run.output
    assert trixie.run("find /var/tmp /home/admin -name 'ansible-tmp*'").stdout == ""


def test_every_way_of_asking_in_one_play(control: Player, trixie: Host) -> None:
    trixie.run("useradd --create-home keeper && useradd --create-home other")
    other = {"become": True, "become_user": "keeper"}
    run = control.play(
        [
            PROBE | other | {"vars": {"ansible_user": "root"}},
            PROBE | other | {"loop": ["one", "two"]},
            {"pharos.platform.probe": {"does": "greet", "token": "canary-token"}} | {"no_log": True},
            PROBE | {"delegate_to": "localhost", "vars": {"ansible_connection": "local"}},
            # `async_status` is a module of Ansible's, which reaches another user by its standard input alone
            PROBE | other | {"async": 60, "poll": 1, "vars": {"ansible_pipelining": True}},
            PROBE | other | {"check_mode": True, "diff": True, "vars": {"ansible_pipelining": True}},
            PROBE | {"become": True, "become_user": "other"} | {"vars": {"ansible_remote_tmp": "/nowhere/to/be"}},
        ],
        verbosity=4,
    )
    assert [each.outcome for each in run.results] == ["ok"] * 7, run.output
    root, looped, hidden, here, background, checked, elsewhere = run.results
    assert {each["user"] for each in (root, background, checked, *looped["results"])} == {"keeper"}
    assert "canary-token" not in run.output and hidden["censored"]
    assert here["program"].startswith(str(control.folder / CACHE))
    assert here.request["host"].startswith("localhost (for ")
    assert (checked.request["_ansible_check_mode"], checked.request["_ansible_diff"]) == (True, True)
    assert elsewhere["user"] == "other", "no temporary folder is made where none is needed"
    assert trixie.run("find /home/keeper/.ansible_async -type f").stdout == ""


def test_a_program_of_somebody_else_is_refused(control: Player, trixie: Host) -> None:
    control.play([PROBE])
    trixie.run(f"useradd keeper; cd /home/admin/{CACHE}/* && chown keeper pharos-modules && chmod 0755 pharos-modules")
    run = control.play([PROBE])
    assert [each["code"] for each in run.one["diagnostics"]] == ["module/unsafe-cache"], run.output
    assert "/pharos-modules is a link, belongs to somebody else" in run.one.message


def test_a_host_that_asks_for_a_terminal_is_sent_files(control: Player, trixie: Host) -> None:
    trixie.run("umask 227 && echo 'Defaults:admin requiretty' > /etc/sudoers.d/terminal")
    run = control.play([PROBE | {"become": True}])
    assert run.one.outcome == "ok", run.output
    assert run.one["user"] == "root"
    assert trixie.run("ls -A /home/admin/.ansible/tmp").stdout == ""


@pytest.mark.parametrize(("does", "says"), [("die", "killed by signal 11"), ("lose", "code 255")])
def test_a_program_that_breaks_does_not_lose_the_host(control: Player, does: str, says: str) -> None:
    run = control.task("probe", {"does": does}, become=True)
    assert run.one.outcome == "failed", run.output
    assert says in run.one.message


def test_a_folder_of_somebody_else_is_refused(control: Player, trixie: Host) -> None:
    trixie.run("useradd keeper; install -d -o keeper /home/admin/.cache")
    assert "/home/admin/.cache is a link, belongs to somebody else" in control.play([PROBE]).one.message
    trixie.run("rmdir /home/admin/.cache && install -d -o keeper -m 0700 /srv/keeper && ln -s /srv/keeper /root/.cache")
    run = control.play([PROBE | {"become": True}])
    assert "/root/.cache is a link" in run.one.message, run.output
    assert trixie.run("ls -A /srv/keeper").stdout == ""


def test_a_user_without_a_home_needs_another_folder(control: Player, trixie: Host) -> None:
    task = PROBE | {"become": True, "become_user": "www-data"}
    run = control.play([task])
    assert "cannot make the folder /var/www/.cache/pharos/modules" in run.one.message, run.output
    assert "Permission denied" in run.one.message
    trixie.run("install -d -o www-data -m 0700 /var/lib/keep")
    run = control.play([task], variables={"pharos_module_cache": "/var/lib/keep/modules"})
    assert run.one["program"].startswith("/var/lib/keep/modules/"), run.output


def test_a_home_that_cannot_be_entered(control: Player, trixie: Host) -> None:
    trixie.run("useradd --home-dir /nowhere keeper")
    run = control.play([PROBE | {"become": True, "become_user": "keeper"}])
    assert [each["code"] for each in run.one["diagnostics"]] == ["module/no-home"], run.output
    assert "/nowhere" in run.one.message


def test_a_file_system_that_runs_no_programs(control: Player, trixie: Host) -> None:
    trixie.run("mkdir -m 0700 /root/.cache && mount -t tmpfs -o noexec,mode=700 none /root/.cache")
    run = control.play([PROBE | {"become": True}])
    assert "lies on a file system that runs no programs (`noexec`)" in run.one.message, run.output
    assert [each["code"] for each in run.one["diagnostics"]] == ["module/noexec-cache"]
    variables = {"pharos_module_cache": "/var/lib/pharos-modules"}
    assert control.play([PROBE | {"become": True}], variables=variables).one.outcome == "ok"


def test_a_full_disk(control: Player, trixie: Host) -> None:
    trixie.run("mkdir -m 0700 /root/.cache && mount -t tmpfs -o size=8k,mode=700 none /root/.cache")
    trixie.run("head -c 64k /dev/zero > /root/.cache/ballast", check=False)
    run = control.play([PROBE | {"become": True}])
    assert "No space left on device" in run.one.message and "free some space" in run.one.message, run.output
    trixie.run("rm /root/.cache/ballast")
    assert control.play([PROBE | {"become": True}]).one.outcome == "ok"


def test_the_real_program_judges_on_the_host(control: Player, trixie: Host, tmp_path: Path) -> None:
    player = Player(control.folder, real(tmp_path / "real"), control.inventory, control.start)
    file = {"host": "a.example.org", "certificate": "/srv/a.pem", "key": "/srv/a.key"}
    run = player.task("certificate_info", {"files": [file]}, become=True, check=True)
    assert run.one.outcome == "ok", run.output
    assert run.one["fit"] is False
    places = [finding["labels"][0]["file"] for finding in run.one["diagnostics"]]
    assert places == ["/srv/a.pem", "/srv/a.key"]
    assert trixie.run("ls /root/.cache/pharos/modules/*/pharos-modules").ok
    assert run.commands == 3
