"""``deploy-plan`` as a whole process, on sites that an operator could have."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bed.waiting import until
from platform_deploy._resolver import descendants
from sites import inventories
from sites.site import ROOT, Site, folder

PHAROS = Path(sys.executable).with_name("pharos")


@pytest.fixture
def home() -> Iterator[Path]:
    """An operator's home. Not below /tmp: others may replace what lies there, and private files are refused for that."""
    base = ROOT / ".local/tests"
    path = base / f"home-{os.getpid()}-{time.monotonic_ns()}"
    path.mkdir(parents=True)
    path.chmod(0o700)
    yield path
    shutil.rmtree(path)


def laboratory(home: Path) -> Site:
    """The three-node laboratory."""
    return inventories.laboratory(Site(home, "icaruscloudlab"))


def legacy(home: Path) -> Site:
    """The nine-node site with the names of old."""
    return inventories.legacy(Site(home, "example"))


def codes(text: str) -> list[str]:
    """The codes of the errors in a report."""
    return re.findall(r"^\s*error\[([a-z/-]+)\]", text, re.MULTILINE)


def recorded(site: Site) -> dict[str, object]:
    """The newest plan of a site."""
    newest = max((site.state / "plans").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    plan: dict[str, object] = json.loads(newest.read_text(encoding="utf-8"))
    return plan


def show(site: Site) -> subprocess.CompletedProcess[str]:
    """The newest plan, as `pharos plan show` prints it."""
    command = [str(PHAROS), "plan", "show", "--env", site.environment]
    return subprocess.run(command, cwd=ROOT, env=site.environ(), text=True, capture_output=True, check=False, timeout=60)


def private(path: Path) -> None:
    """Everything below a folder is private."""
    for entry in [path, *path.rglob("*")]:
        wanted = 0o700 if entry.is_dir() else 0o600
        assert entry.lstat().st_mode & 0o777 == wanted, entry


def test_a_three_node_laboratory_is_planned(home: Path) -> None:
    site = laboratory(home)
    done = site.plan()
    assert done.returncode == 0, done.stdout + done.stderr
    for words in ("icaruscloudlab", "lab1", "lab2", "lab3", "control-plane", "offline"):
        assert words in done.stdout, words
    assert "sw1" not in done.stdout, "a switch is no part of the cluster"
    assert "hunter2" not in done.stdout + done.stderr
    private(site.state)
    private(site.private)
    plan = recorded(site)
    assert (plan["environment"], plan["offline"]) == ("icaruscloudlab", True)


def test_a_nine_node_site_with_the_names_of_old_is_planned(home: Path) -> None:
    site = legacy(home)
    done = site.plan()
    assert done.returncode == 0, done.stdout + done.stderr
    record = json.dumps(recorded(site))
    for words in ("cn1", "cn9", "198.51.100.9", "kube-master", "kube_control_plane", "platform.example.org", "hmac-sha256:"):
        assert words in record, words
    assert "hunter2" not in record
    plan = recorded(site)
    topology = plan["topology"]
    assert isinstance(topology, dict)
    members = [f"cn{number}" for number in range(1, 10)]
    assert sorted(topology["nodes"]) == members, "no switch, no edge"
    assert topology["primary"] == {"node": "cn1", "because": "group"}
    assert topology["aliases"]["kube_control_plane"] == topology["aliases"]["etcd"] == members[:3]
    assert topology["aliases"]["kube_node"] == members
    assert {"kube-master", "kube-master-primary", "kube-node"} <= topology["groups"].keys(), "the names of old are kept"
    assert plan["edge"]["servers"] == ["edge1"]  # type: ignore[index]
    needed = [host["certificate"] for host in plan["edge"]["hosts"]]  # type: ignore[index]
    assert all(set(certificate) == {"host", "chain"} for certificate in needed), "what each name needs, of which none is seen"
    (seen,) = json.loads(record)["certificates"]
    assert (seen["use"], seen["days_left"] > 0) == ("external_identity", True)
    assert f"authority of the external AAI  {seen['days_left']} days left" in done.stdout
    assert re.search(r"platform\.example\.org +certificate not seen", done.stdout)
    shown = show(site)
    assert "cn9" in shown.stdout, shown.stderr


def test_a_site_of_five_thousand_hosts_is_planned(home: Path) -> None:
    site = inventories.generated(Site(home, "icaruscloudlab"), 5000)
    done = site.plan()
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "of 5000 hosts" in done.stderr, "long work says how far it is"
    topology = recorded(site)["topology"]
    assert isinstance(topology, dict)
    assert len(topology["nodes"]) == 5000


def test_a_dirty_tree_is_planned_and_said(home: Path, checkout: Path) -> None:
    site = laboratory(home)
    clean = site.plan(checkout)
    assert clean.returncode == 0, clean.stderr
    assert recorded(site)["revision"]["dirty"] is False  # type: ignore[index]
    committed = recorded(site)["pinned"]
    policy = checkout / "environments/icaruscloudlab/policy.yaml"
    policy.write_text(policy.read_text().replace("kubernetes: ", "kubernetes: 9"))
    shutil.copytree(policy.parent, checkout / "environments/new-site")
    dirty = site.plan(checkout)
    assert dirty.returncode == 0, dirty.stderr
    assert recorded(site)["revision"]["dirty"] is True  # type: ignore[index]
    assert recorded(site)["pinned"] == committed, "the plan is of the commit"
    assert "uncommitted changes, which are no part of it" in dirty.stdout
    new = site.plan(checkout, ENV="new-site")
    assert (new.returncode, codes(new.stderr)) == (2, ["environment/unknown"]), "a committed policy names the environments"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the committed documents of a site."""
    for part in ("catalogue", "environments"):
        shutil.copytree(ROOT / part, tmp_path / "checkout" / part)
    made = tmp_path / "checkout"
    shutil.copy(ROOT / "ansible.cfg", made)
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "site: as it stands"]):
        subprocess.run(["git", *command], cwd=made, check=True)
    return made


def wait_for(path: Path) -> None:
    """Wait until a file is there and holds something."""
    for _ in range(600):
        if path.is_file() and path.read_text(encoding="utf-8").strip():
            return
        time.sleep(0.1)
    raise AssertionError(f"{path} did not come")


def held(site: Site) -> subprocess.Popen[str]:
    """A plan that waits in the middle: the program that gives its vault password waits for a pipe."""
    gate = site.private / "gate"
    os.mkfifo(gate, 0o600)
    password = site.put("vault-password", f"#!/bin/sh\necho here >{site.private}/waiting\ncat {gate}\n")
    password.chmod(0o700)
    running = subprocess.Popen(
        # Whoever runs the tests in the background has interrupts ignored, for all that they start too.
        ["env", "--default-signal=INT", *site.command()],
        cwd=ROOT,
        env=site.environ(ANSIBLE_VAULT_PASSWORD_FILE=str(password)),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    wait_for(site.private / "waiting")
    return running


def test_of_two_plans_at_once_the_second_is_refused(home: Path) -> None:
    site = laboratory(home)
    first = held(site)
    second = site.plan()
    assert (second.returncode, codes(second.stderr)) == (1, ["file/lock-held"]), second.stderr
    assert f"process {first.pid}" in second.stderr
    assert "deploy-plan" in second.stderr
    (site.private / "gate").write_text("secret\n")
    out, err = first.communicate(timeout=120)
    assert first.returncode == 0, out + err
    assert site.plan().returncode == 0


def test_a_killed_plan_leaves_readable_state(home: Path) -> None:
    site = laboratory(home)
    assert site.plan().returncode == 0
    before = recorded(site)
    running = held(site)
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate(timeout=60)
    assert recorded(site) == before
    shown = show(site)
    assert shown.returncode == 0, shown.stderr
    again = site.plan()
    assert again.returncode == 0, "the lock went with its holder: " + again.stderr


def test_a_plan_keeps_within_the_operators_own_limit_of_memory(home: Path) -> None:
    site = laboratory(home)
    command = ["prlimit", f"--as={3 << 30}:{3 << 30}", *site.command()]
    done = subprocess.run(command, cwd=ROOT, env=site.environ(), text=True, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def lives(process: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes() != b""
    except OSError:
        return False


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_what_a_plan_started_ends_with_it(home: Path, ended_by: signal.Signals) -> None:
    running = held(laboratory(home))
    started = list(descendants(running.pid))
    assert len(started) > 1, "the resolver, and the program that gives the password"
    running.send_signal(ended_by)
    out, err = running.communicate(timeout=60)
    until(lambda: not any(map(lives, started)), "end of what the plan had started")
    assert (out, "Traceback" in err) == ("", False), err
    if ended_by == signal.SIGINT:
        assert (running.returncode, err.splitlines()[-1]) == (130, "deploy-plan: interrupted")


@pytest.mark.parametrize(
    ("variables", "expected", "status"),
    [
        ({"ENV": ""}, ["environment/not-selected"], 2),
        ({"ENV": "icarus-clud"}, ["environment/unknown"], 2),
        ({"TARGET": "dev-ada"}, ["environment/mixed-selection"], 2),
        ({"SSH_HOST": "box.example.net"}, ["environment/mixed-selection"], 2),
        ({"OFFLINE": "yes"}, ["environment/offline-value"], 2),
        ({"INVENTORY": "  "}, ["environment/path"], 2),
        ({"STATE_DIR": "~root/st"}, ["environment/path"], 2),
        ({"STATE_DIR": "~/.config/pharos/environments/icaruscloudlab/keys"}, ["environment/path"], 2),
        ({"DEPLOY_RUNNER": "pharos-admin@site-runner"}, ["environment/runner"], 1),
        ({"INVENTORY": "/nowhere/hosts.yml"}, ["environment/inventory-missing"], 3),
    ],
)
def test_a_selection_that_cannot_be_is_refused(home: Path, variables: dict[str, str], expected: list[str], status: int) -> None:
    site = Site(home, "icaruscloudlab")
    done = site.plan(ROOT, **variables)
    assert (done.returncode, codes(done.stdout + done.stderr)) == (status, expected), done.stderr
    if expected == ["environment/inventory-missing"]:
        assert "the inventory is not there" in done.stdout and "/nowhere/hosts.yml: `INVENTORY`" in done.stdout
        assert "was refused" not in done.stdout
    else:
        assert list(home.iterdir()) == [], "nothing was made or opened"


def test_a_recorded_runner_is_refused_by_name(home: Path, checkout: Path) -> None:
    record = checkout / ".local/deployments/icaruscloudlab/runner.json"
    folder(record.parent, checkout)
    record.write_text('{"runner": "pharos-admin@site-runner"}')
    done = laboratory(home).plan(checkout)
    assert (done.returncode, codes(done.stderr)) == (1, ["environment/runner"])
    assert ".local/deployments/icaruscloudlab/runner.json" in done.stderr
    record.unlink()
    record.symlink_to("nowhere")
    assert codes(laboratory(home).plan(checkout).stderr) == ["environment/runner"], "a record that leads nowhere is one"
    record.unlink()
    assert laboratory(home).plan(checkout).returncode == 0


def test_the_personal_settings_are_not_read(home: Path, checkout: Path) -> None:
    os.mkfifo(checkout / ".env")  # whoever opens it waits for ever
    shutil.copy(ROOT / "Makefile", checkout)
    assert laboratory(home).plan(checkout).returncode == 0
    variables = subprocess.run(
        ["make", "-pn", "help", "ENV=icaruscloudlab"], cwd=checkout, capture_output=True, text=True, check=True, timeout=60
    )
    assert "ENV = icaruscloudlab" in variables.stdout


def test_without_an_environment_the_personal_selection_is_untouched(home: Path, checkout: Path) -> None:
    settings = checkout / ".env"
    settings.write_text("TARGET=dev-ada\n")
    done = Site(home, "").plan(checkout, TARGET="dev-ada", SSH_HOST="box.example.net")
    assert (done.returncode, codes(done.stderr)) == (2, ["environment/not-selected"])
    assert settings.read_text() == "TARGET=dev-ada\n"
    assert list(home.iterdir()) == []
    shutil.copy(ROOT / "Makefile", checkout)
    printed = subprocess.run(
        ["make", "-n", "demo", "TARGET=dev-ada"], cwd=checkout, capture_output=True, text=True, check=False, timeout=60
    )
    assert printed.returncode == 0, printed.stderr


def test_make_hands_everything_over() -> None:
    words = ["make", "-n", "deploy-plan", "ENV=icaruscloudlab", "OFFLINE=1"]
    printed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert "python -m platform_deploy deploy-plan" in printed.stdout


@pytest.mark.parametrize("target", ["demo", "test", "deploy"])
def test_offline_is_for_a_plan_alone(target: str) -> None:
    done = subprocess.run(["make", "-n", target, "OFFLINE=1"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "OFFLINE=1 is for deploy-plan alone" in done.stderr


def test_every_tool_is_looked_for_first(home: Path, tmp_path: Path) -> None:
    site = laboratory(home)
    done = site.plan(PATH=str(tmp_path))
    assert (done.returncode, codes(done.stderr)) == (3, ["environment/tool"]), done.stderr
    for tool in ("git", "python3", "uv"):
        assert f"`{tool}`" in done.stderr
    assert "`ssh`" not in done.stderr, "an offline plan reaches no host"
    online = site.plan(PATH=str(tmp_path), OFFLINE="")
    assert codes(online.stderr) == ["environment/tool"], "in one finding, before anything is opened"
    for tool in ("git", "python3", "uv", "ssh", "setpriv", "prlimit", "timeout"):
        assert f"`{tool}`" in online.stderr
    assert not site.state.exists()
    wrong = site.plan(ENV="nowhere", PATH=str(tmp_path))
    assert codes(wrong.stderr) == ["environment/unknown", "environment/tool"], "the selection is told first"


def test_the_checkout_is_frozen_whatever_git_is_told(home: Path, checkout: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", other], check=True)
    given = {"GIT_DIR": f"{other}/.git", "GIT_WORK_TREE": str(other), "GIT_INDEX_FILE": f"{other}/index"}
    done = laboratory(home).plan(checkout, **given)
    assert done.returncode == 0, done.stdout + done.stderr
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=checkout, capture_output=True, text=True, check=True).stdout
    assert commit.strip()[:7] in done.stdout


def test_what_is_not_private_is_refused_all_at_once(home: Path) -> None:
    site = laboratory(home)
    (site.inventory / "hosts.yml").chmod(0o640)
    (site.inventory / "group_vars").chmod(0o755)
    done = site.plan()
    assert (done.returncode, codes(done.stdout)) == (1, ["file/mode", "file/mode"]), done.stderr
    assert f"chmod 0600 {site.inventory}/hosts.yml" in done.stdout
    assert f"chmod 0700 {site.inventory}/group_vars" in done.stdout
