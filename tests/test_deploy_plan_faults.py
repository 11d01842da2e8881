"""``deploy-plan`` where files, directories and the machine are not as they should be: what is said, with which exit status."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import pharos
from bed.waiting import until
from platform_deploy._console import Progress
from platform_deploy.inventory import ResolverError, resolve
from sites import inventories
from sites.site import ROOT, Site

PHAROS = Path(sys.executable).with_name("pharos")


@pytest.fixture
def home() -> Iterator[Path]:
    """An operator's home, not below /tmp."""
    base = ROOT / ".local/tests"
    path = base / f"home-{os.getpid()}-{time.monotonic_ns()}"
    path.mkdir(parents=True)
    path.chmod(0o700)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def site(home: Path) -> Site:
    """The three-node laboratory."""
    return inventories.laboratory(Site(home, "icaruscloudlab"))


def codes(text: str) -> list[str]:
    """The codes of the errors in a report."""
    return re.findall(r"^\s*error\[([a-z/-]+)\]", text, re.MULTILINE)


def run(site: Site, *words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The command `pharos`, as the site's operator runs it."""
    return subprocess.run(
        [str(PHAROS), *words], cwd=cwd, env=site.environ(), text=True, capture_output=True, check=False, timeout=120
    )


def test_every_level_and_every_file_is_told_in_one_run(site: Site) -> None:
    root = site.home / ".config/pharos/environments"
    site.put("keys/fingerprint.key", "")
    site.state.mkdir(parents=True)
    wrong = [(root, 0o750), (site.private, 0o755), (site.inventory, 0o711), (site.private / "keys", 0o755)]
    wrong += [(site.inventory / "hosts.yml", 0o640), (site.private / "keys/fingerprint.key", 0o644)]
    for path, mode in wrong:
        path.chmod(mode)
    site.state.chmod(0o755)
    done = site.plan()
    assert done.returncode == 1
    for path in [*(path for path, _ in wrong), site.state]:
        assert re.search(rf"chmod 0[67]00 {re.escape(str(path))}`", done.stderr), (path, done.stderr)
    assert "`INVENTORY`" in done.stderr and "`STATE_DIR`" in done.stderr, "each path names the variable that it comes from"
    site.state.chmod(0o700)
    done = site.plan()
    told = done.stdout
    assert codes(told) == ["file/mode"] * len(wrong), "without a fault of the records the same is in the plan"
    for path, _ in wrong:
        assert f"chmod {'0700' if path.is_dir() else '0600'} {path}`" in told
        path.chmod(0o700 if path.is_dir() else 0o600)
    site.private.joinpath("keys/fingerprint.key").unlink()
    assert site.plan().returncode == 0


def test_a_state_that_is_read_only_ends_as_a_failure_of_the_world(site: Site) -> None:
    assert site.plan().returncode == 0
    mounted = ["unshare", "--mount", "sh", "-c", f'mount --bind -o ro "{site.state}" "{site.state}"; exec "$@"', "sh"]
    done = subprocess.run(
        [*mounted, *site.command()], cwd=ROOT, env=site.environ(), text=True, capture_output=True, check=False, timeout=120
    )
    assert (done.returncode, codes(done.stderr)) == (3, ["file/io"]), done.stderr
    assert "`STATE_DIR`" in done.stderr and "findmnt" in done.stderr


def test_a_full_disk_ends_as_a_failure_of_the_world(site: Site) -> None:
    site.state.mkdir(parents=True)
    mounted = f'mount -t tmpfs -o size=4k,mode=0700 none "{site.state}"; head -c 8192 /dev/zero >"{site.state}/x" || :; exec "$@"'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mounted, "sh", *site.command()],
        cwd=ROOT,
        env=site.environ(),
        text=True,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, codes(done.stderr)[:1]) == (3, ["file/io"]), done.stderr
    assert "No space left" in done.stderr and "df -h" in done.stderr


def test_a_plan_that_cannot_be_recorded_is_printed_all_the_same(site: Site) -> None:
    assert site.plan().returncode == 0
    journal = site.state / "journal.jsonl"
    sound = journal.read_text()
    journal.write_text(sound.replace("planned", "plannde"))
    done = site.plan()
    assert (done.returncode, codes(done.stderr)) == (1, ["plan/journal-damaged"]), done.stderr
    assert "lab3" in done.stdout and "Not recorded" in done.stdout
    assert "is not recorded" in done.stderr
    journal.rename(site.state / "journal.old")
    shutil.move(site.state / "latest.json", site.state / "latest.old")
    assert site.plan().returncode == 0, "what the page says: both are moved away, and the next plan begins anew"


# A program that the rights of files hold for, as for any user but root.
BOUND_BY_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]


def test_what_cannot_be_seen_is_not_called_missing(home: Path) -> None:
    hidden = home / "hidden"
    hidden.mkdir(mode=0)
    path = hidden / "inventory/hosts.yml"
    script = f"import pharos; print(pharos.private_inventory('/nowhere', {str(path)!r}, [])[1].json())"
    command = [*BOUND_BY_RIGHTS, sys.executable, "-c", script]
    done = subprocess.run(command, text=True, capture_output=True, check=True, timeout=60)
    (found,) = json.loads(done.stdout)
    assert (found["code"], found["labels"][0]["file"]) == ("file/io", str(path.parent))
    assert "Permission denied" in found["message"] and "namei" in found["help"]


def test_files_that_cannot_be_read_are_all_named_and_are_the_worlds_fault(tmp_path: Path) -> None:
    locked = tmp_path / "locked.yaml"
    locked.write_text("version: 1\n")
    locked.chmod(0)
    absent = tmp_path / "absent.yaml"
    for words in (["check"], ["edge", "inspect"], ["plan", "diff"]):
        command = [*BOUND_BY_RIGHTS, str(PHAROS), *words, str(locked), str(absent)]
        done = subprocess.run(command, text=True, capture_output=True, check=False, timeout=60)
        assert done.returncode == 3, done.stderr
        assert f"cannot read: Permission denied\n--> {locked}\n" in done.stderr, "both are named"
        assert f"cannot read: No such file or directory\n--> {absent}\n" in done.stderr, "both are named"


def test_a_working_directory_that_was_removed_is_told_as_that(site: Site, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    for command in (site.command(), [str(PHAROS), "check"], [str(PHAROS), "plan", "show", "--env", "icaruscloudlab"]):
        removed = f'cd "{gone}" && rmdir "{gone}" && exec "$@"'
        done = subprocess.run(
            ["sh", "-c", removed, "sh", *command], env=site.environ(), text=True, capture_output=True, check=False, timeout=60
        )
        assert (done.returncode, done.stdout) == (3, ""), done.stderr
        assert "cannot read: it was removed\n--> the working directory\n = help: go to another directory" in done.stderr, (
            done.stderr
        )
        gone.mkdir()


def test_outside_a_checkout_it_is_wrong_usage(site: Site, tmp_path: Path) -> None:
    done = site.plan(tmp_path)
    assert done.returncode == 2 and "run this in a checkout" in done.stderr


def test_two_environments_never_share_records(site: Site) -> None:
    state = site.home / "records"
    first = site.plan(STATE_DIR=str(state))
    assert first.returncode == 0, first.stderr
    other = inventories.legacy(Site(site.home, "example"))
    refused = other.plan(STATE_DIR=str(state))
    assert (refused.returncode, codes(refused.stderr)) == (1, ["plan/other-environment"]), refused.stderr
    environment = other.environ(STATE_DIR=str(state))
    shown = subprocess.run(
        [str(PHAROS), "plan", "show", "--env", "example"],
        cwd=ROOT,
        env=environment,
        text=True,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (shown.returncode, codes(shown.stderr)) == (1, ["plan/other-environment"]), shown.stderr


def test_an_environment_that_is_none_is_never_recommended(site: Site) -> None:
    done = run(site, "plan", "show", "--env", "nope")
    assert done.returncode == 2
    assert "ENV=nope" not in done.stderr and "icaruscloudlab" in done.stderr
    assert "make deploy-plan ENV=example" in run(site, "plan", "show", "--env", "example").stderr


def test_what_can_be_judged_beside_a_closed_vault_is_judged(site: Site) -> None:
    site.put("inventory/group_vars/all/vault.yml", "$ANSIBLE_VAULT;1.2;AES256;prod\n6162\n")
    site.put("inventory/host_vars/lab1.yml", "ip: '{{ nowhere }}'\npharos_aip_access: ssh\n")
    site.put("inventory/host_vars/lab2.yml", 'node_taints: ["a=b:Never"]\n')
    done = site.plan()
    found = codes(done.stdout)
    assert done.returncode == 1
    for code in ("ansible/vault-file", "ansible/undefined", "inventory/unknown-variable", "inventory/taint"):
        assert code in found, (code, done.stdout)
    listed = run(site, "inventory", str(site.inventory / "hosts.yml"))
    assert {"inventory/unknown-variable", "inventory/taint"} <= set(codes(listed.stderr)), listed.stderr


BOMB = "\n".join(
    ["x: &x0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    + [f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 10)}]" for n in range(1, 9)]
)


def test_what_unfolds_without_end_never_reaches_ansible(site: Site) -> None:
    site.put("inventory/group_vars/all.yml", BOMB + "\nip: '{{ x8 }}'\n")
    done = site.plan()
    assert (done.returncode, codes(done.stdout)) == (1, ["document/budget"]), done.stdout + done.stderr
    assert "Ansible resolves" not in done.stderr and "lol" not in done.stdout
    listed = run(site, "inventory", str(site.inventory / "hosts.yml"))
    assert (listed.returncode, codes(listed.stderr)) == (1, ["document/budget"]), listed.stderr


def test_an_inventory_takes_no_more_memory_than_it_may(site: Site) -> None:
    path = site.inventory / "hosts.yml"
    assert resolve(path, ROOT, lambda _: None)[1] == []
    large = "\n".join(f"    n{number}: {{note: {'x' * 1000}{number}}}" for number in range(200_000))
    path.write_text(f"kube_node:\n  hosts:\n{large}\n")
    with pytest.raises(ResolverError, match="more than the 400 MiB of memory"):
        resolve(path, ROOT, lambda _: None, most_bytes=400 << 20)


def test_long_work_says_so_again_and_again(capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []

    def thrice() -> bool:
        said.extend(capsys.readouterr().err.splitlines())
        return len(said) >= 3

    with Progress("deploy-plan", again=0.05) as progress:
        progress("Ansible resolves the inventory")
        until(thrice, "it is said again and again")
    assert said[0] == "deploy-plan: Ansible resolves the inventory"
    assert all(line.endswith(" s so far") for line in said[1:])


def test_a_picture_has_one_form(site: Site) -> None:
    for graph in ("svg", "dot"):
        done = run(site, "inventory", str(site.inventory / "hosts.yml"), "--graph", graph, "--format", "json")
        assert (done.returncode, done.stdout) == (2, "") and "--graph or --format" in done.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "is empty"), (b" \n\t", "nothing but blanks"), (b"\xef\xbb\xbf{}", "byte order mark"), (b" " * (5 << 20), "4 MiB")],
)
def test_a_file_of_the_identity_is_told_as_what_it_is(home: Path, content: bytes, said: str) -> None:
    site = inventories.legacy(Site(home, "example"))
    (site.private / "aai.json").write_bytes(content)
    done = site.plan()
    assert (done.returncode, codes(done.stdout)) == (1, ["identity/json"]), done.stdout
    assert said in done.stdout


def test_a_file_of_the_identity_that_others_may_read_is_not_read(home: Path) -> None:
    site = inventories.legacy(Site(home, "example"))
    (site.private / "aai.json").chmod(0o640)
    done = site.plan()
    assert (done.returncode, codes(done.stdout)) == (1, ["file/mode"]), done.stdout
    assert f"chmod 0600 {site.private}/aai.json" in done.stdout
    assert "authority of the external AAI" not in done.stdout


def test_the_class_of_a_code_is_its_exit_status() -> None:
    assert pharos.missing_inventory("example", "/x").exit_status == 3
    empty = pharos.private_survey(ROOT, [])
    assert (len(empty), empty.exit_status) == (0, 0)
