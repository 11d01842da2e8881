"""The module is killed after every step of both transactions: the host stays sound, and the next run completes."""

from dataclasses import replace

import pytest

from bed.hosts import Host
from bed.world import World
from edge.machine import FILES, WELCOME, Listener, Machine
from edge.site import PLATFORM, Site
from test_edge_config import FIRST_HTTP, FIRST_HTTPS, THIEF, drop_in

pytestmark = pytest.mark.hosts

CHANGED = ["mark", "write", "test", "mark", "reload", "prove", "clear"]


@pytest.fixture(params=["bookworm", "trixie"])
def machine(request: pytest.FixtureRequest, session_world: World) -> Machine:
    """Each of the hosts in turn, with a module that can be killed."""
    host: Host = request.getfixturevalue(request.param)
    return Machine(session_world.bed, host, Site(f"{session_world.gateway.v4}:8080"), "kill-points")


def reset(machine: Machine) -> None:
    """Bring the host back to what it was before its first transaction."""
    machine.host.run(
        f"rm -rf {' '.join(FILES.values())} /var/lib/pharos-edge; "
        f"ln -sf /etc/nginx/sites-available/default {WELCOME}; systemctl restart nginx"
    )


def served(machine: Machine, listener: Listener) -> str:
    """What a client is answered by the listener."""
    return machine.status(f"{listener}://{PLATFORM}/")


@pytest.mark.parametrize(("listener", "steps"), [("http", FIRST_HTTP), ("https", FIRST_HTTPS)])
def test_a_first_installation_that_is_killed(machine: Machine, listener: Listener, steps: list[str]) -> None:
    for killed in range(1, len(steps) + 1):
        reset(machine)
        assert machine.module(listener, kill_after=killed) is None, f"not killed after {killed} steps"
        machine.assert_sound()
        assert machine.marker(listener) == (killed < len(steps))
        completed = machine.run(listener).ok()
        assert completed.said["resumed"] == (killed < len(steps)), f"killed after {steps[killed - 1]}"
        assert served(machine, listener) == {"http": "308", "https": "200"}[listener]
        assert not machine.marker(listener)
        assert machine.exists(WELCOME) == (listener == "https")
        assert machine.run(listener).ok().steps == []
        machine.assert_sound()
    reset(machine)
    assert machine.module(listener, kill_after=len(steps) + 1) is not None, "there are no more steps"


def test_a_change_that_is_killed(machine: Machine) -> None:
    before = machine.site
    after = replace(before, management=["10.0.0.0/8"])
    admin = f"https://{PLATFORM}/admin"
    machine.run("https").ok()
    for killed in range(1, len(CHANGED) + 1):
        machine.site = before
        machine.run("https").ok()
        assert machine.status(admin) == "403"
        machine.site = after
        assert machine.module("https", kill_after=killed) is None
        # What serves until the next run is the old state or the new one, never nothing.
        assert served(machine, "https") == "200"
        machine.assert_sound()
        machine.run("https").ok()
        assert machine.status(admin) == "200"
        assert machine.run("https").ok().steps == []


def test_an_interrupted_change_that_is_given_up(machine: Machine) -> None:
    before = machine.site
    machine.run("https").ok()
    text = machine.host.get(FILES["https"])
    for killed in range(1, len(CHANGED)):
        machine.site = replace(before, management=["10.0.0.0/8"])
        assert machine.module("https", kill_after=killed) is None
        machine.site = before
        machine.run("https").ok()
        assert machine.host.get(FILES["https"]) == text
        assert machine.status(f"https://{PLATFORM}/admin") == "403"
        assert not machine.marker("https")


def test_an_undo_that_is_killed(machine: Machine) -> None:
    """The proof fails, and the undo is killed after each of its steps."""
    # Six steps are done when the reload turns out to have no effect, then: remove, reload, settle, clear.
    done = FIRST_HTTPS.index("prove")
    for killed in range(done + 1, done + 5):
        reset(machine)
        drop_in(machine, THIEF)
        assert machine.module("https", kill_after=killed) is None, f"not killed after {killed} steps"
        machine.host.run("systemctl stop thief; systemctl reset-failed thief", check=False)
        drop_in(machine, "")
        machine.assert_sound()
        machine.run("https").ok()
        assert served(machine, "https") == "200"
        assert not machine.marker("https")


def test_a_host_that_goes_down_in_the_middle(machine: Machine) -> None:
    for killed in (2, 4):
        reset(machine)
        assert machine.module("http", kill_after=killed) is None
        machine.host.run("sync")
        assert machine.host.power_cycle() in {"running", "degraded"}
        machine.host.run("nginx -t && systemctl is-active nginx")
        machine.run("http").ok()
        assert served(machine, "http") == "308"
        machine.host.restart()
        assert served(machine, "http") == "308"
