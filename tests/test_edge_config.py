"""The module `edge_config` on hosts that boot: each listener is installed as a transaction, or nothing is."""

import time
from dataclasses import replace

import pytest

from bed.hosts import Host
from bed.spare import Spare
from bed.world import World
from edge import binary
from edge.machine import FILES, STATE, WELCOME, Listener, Machine
from edge.site import GIT, PLATFORM, Site

pytestmark = pytest.mark.hosts

FIRST_HTTP = ["mark", "retire_welcome", "write", "test", "mark", "reload", "prove", "clear"]
FIRST_HTTPS = ["mark", "write", "test", "mark", "reload", "prove", "clear"]

# A unit that takes port 443 in the moment in which nginx is reloaded: after everything was judged.
THIEF = """[Service]
ExecReload=
ExecReload=-/usr/bin/systemd-run --quiet --unit=thief /usr/bin/python3 -m http.server --bind 0.0.0.0 443
ExecReload=/bin/sh -c 'until ss -ltnH "sport = :443" | grep -q .; do sleep 0.05; done'
ExecReload=/usr/sbin/nginx -s reload
"""


@pytest.fixture
def site(session_world: World) -> Site:
    """The site that is served."""
    return Site(f"{session_world.gateway.v4}:8080")


@pytest.fixture
def old(session_world: World, bookworm: Host, site: Site) -> Machine:
    """A fresh Debian 12 host: nginx 1.22."""
    return Machine(session_world.bed, bookworm, site)


@pytest.fixture
def new(session_world: World, trixie: Host, site: Site) -> Machine:
    """A fresh Debian 13 host: nginx 1.26."""
    return Machine(session_world.bed, trixie, site)


@pytest.fixture(params=["bookworm", "trixie"])
def machine(request: pytest.FixtureRequest, session_world: World, site: Site) -> Machine:
    """Each of the hosts in turn."""
    host: Host = request.getfixturevalue(request.param)
    return Machine(session_world.bed, host, site)


def drop_in(machine: Machine, text: str) -> None:
    """Change how nginx's unit reloads; without a text, as the package has it again."""
    folder = "/etc/systemd/system/nginx.service.d"
    if text:
        machine.host.put(text, f"{folder}/reload.conf")
    else:
        machine.host.run(f"rm -rf {folder}")
    machine.host.run("systemctl daemon-reload")


def test_both_listeners_are_installed_once_and_served(machine: Machine) -> None:
    http = machine.run("http").ok()
    assert (http.changed, http.steps) == (True, FIRST_HTTP)
    assert not machine.exists(WELCOME)
    https = machine.run("https").ok()
    assert (https.changed, https.steps) == (True, FIRST_HTTPS)
    assert [each["host"] for each in https.said["certificates"]] == machine.site.hosts
    for v6 in (False, True):
        assert machine.status(f"https://{PLATFORM}/", v6=v6) == "200"
        assert machine.status(f"https://{PLATFORM}/admin", v6=v6) == "403"
        assert machine.status(f"http://{PLATFORM}/x", v6=v6) == "308"
        assert machine.status("https://other.example.org/", v6=v6) == "000"
    assert not machine.marker("http") and not machine.marker("https")

    workers, tree = machine.workers(), machine.tree()
    for listener in ("http", "https"):
        again = machine.run(listener).ok()
        assert (again.changed, again.steps, again.said.get("diff")) == (False, [], None)
    assert machine.workers() == workers, "an unchanged run does not reload"
    assert machine.tree() == tree
    machine.assert_sound()


def test_certificates_of_somebody_else_need_no_port_80(old: Machine) -> None:
    assert not old.run("http", mode="existing").ok().changed
    assert old.run("https", mode="existing").ok().steps == FIRST_HTTPS
    assert old.exists(WELCOME)
    assert old.status(f"https://{GIT}/") == "200"
    old.run("http").ok()
    gone = old.run("http", mode="existing").ok()
    assert "remove" in gone.steps
    assert not old.exists(FILES["http"])
    old.assert_sound()


def test_check_mode_judges_and_changes_nothing(new: Machine) -> None:
    tree, logs, workers = new.tree(), new.logs(), new.workers()
    for listener in ("http", "https"):
        answer = new.run(listener, check=True).ok()
        assert answer.changed
        after = {each["after_header"]: each["after"] for each in answer.said["diff"]}
        assert PLATFORM in after[FILES[listener]]
    assert (new.tree(), new.logs(), new.workers()) == (tree, logs, workers)
    assert not new.exists("/var/lib/pharos-edge")
    new.host.put("server { listen 80 default_server; }\n", "/etc/nginx/conf.d/shop.conf")
    new.host.run(f"rm {WELCOME}")
    assert "edge/second-default-server" in new.run("http", check=True).codes


def test_a_changed_route_and_a_swapped_certificate(new: Machine) -> None:
    new.run("https").ok()
    new.site = replace(new.site, management=["10.0.0.0/8"])
    changed = new.run("https").ok()
    assert changed.changed
    assert next(each["before_header"] for each in changed.said["diff"]) == FILES["https"]
    assert new.status(f"https://{PLATFORM}/admin") == "200"

    leaf = new.certificate(PLATFORM)
    assert new.serial(PLATFORM) != leaf.certificate.serial_number
    told = new.run("https", check=True).ok()
    assert told.changed and new.serial(PLATFORM) != leaf.certificate.serial_number
    swapped = new.run("https").ok()
    assert (swapped.changed, swapped.steps) == (True, ["test", "mark", "reload", "prove", "clear"])
    assert new.serial(PLATFORM) == leaf.certificate.serial_number
    assert not new.run("https").ok().changed


def test_an_unfit_certificate_names_host_file_and_certificate(old: Machine) -> None:
    old.certificate(GIT, old.site.leaf("other.example.org"))
    tree = old.tree()
    answer = old.run("https")
    assert answer.codes == ["certificate/host-mismatch"]
    assert GIT in answer.text and f"/etc/letsencrypt/live/{GIT}/fullchain.pem" in answer.text
    old.host.run(f"rm -r /etc/letsencrypt/live/{GIT}")
    assert old.run("https").codes == ["module/unreadable-file"]
    in_check = old.run("https", check=True).ok()
    assert "edge/certificate-to-be-issued" in in_check.notes
    assert old.tree() == tree


def test_a_candidate_that_nginx_refuses_leaves_the_tree_alone(machine: Machine) -> None:
    machine.run("http").ok()
    machine.host.put(
        "upstream pharos_web-pages { server 127.0.0.1:9; }\nmap $host $pharos_https { default 1; }\n"
        "log_format pharos_https '$host';\n",
        "/etc/nginx/conf.d/zz.conf",
    )
    machine.host.run("nginx -t")
    tree = machine.tree()
    answer = machine.run("https")
    assert answer.codes == ["edge/candidate-refused"], answer.text
    assert machine.tree() == tree
    assert not machine.exists(FILES["https"])


def test_somebody_elses_broken_file_is_named(old: Machine) -> None:
    old.host.put("server {\n    frobnicate on;\n}\n", "/etc/nginx/conf.d/shop.conf")
    tree = old.tree()
    answer = old.run("https")
    assert answer.codes == ["edge/broken-configuration"], answer.text
    assert "/etc/nginx/conf.d/shop.conf:2" in answer.text
    assert old.tree() == tree


@pytest.mark.parametrize("check", [False, True])
def test_an_unchanged_run_judges_what_somebody_broke_since(machine: Machine, check: bool) -> None:
    listeners: tuple[Listener, ...] = ("http", "https")
    for listener in listeners:
        machine.run(listener).ok()
    workers, logs = machine.workers(), machine.logs()
    machine.host.put("server {\n    listen 8081;\n    frobnicate on;\n}\n", "/etc/nginx/conf.d/shop.conf")
    tree = machine.tree()
    for listener in listeners:
        answer = machine.run(listener, check=check)
        assert (answer.codes, answer.changed) == (["edge/broken-configuration"], False), answer.text
        assert "/etc/nginx/conf.d/shop.conf:3" in answer.text
    assert (machine.tree(), machine.logs(), machine.workers()) == (tree, logs, workers)

    # what collides with our file is found in ours
    machine.host.run("rm /etc/nginx/conf.d/shop.conf")
    machine.host.put("upstream pharos_web-pages { server 127.0.0.1:9; }\n", "/etc/nginx/conf.d/aa.conf")
    answer = machine.run("https", check=check)
    assert answer.codes == ["edge/candidate-refused"], answer.text
    assert "as it stands" in answer.text

    # with nothing of ours to serve the tree is somebody else's alone; and once it is mended there is nothing to do
    machine.host.run("rm /etc/nginx/conf.d/aa.conf")
    for listener in listeners:
        assert not machine.run(listener, check=check).ok().changed


def test_a_lineage_that_was_lost_is_no_fault_of_the_tree(old: Machine) -> None:
    for listener in ("http", "https"):
        old.run(listener).ok()
    old.host.run(f"rm -r /etc/letsencrypt/live/{GIT}")
    assert not old.run("http", check=True).ok().changed, "it is requested again, which needs this listener"
    assert "edge/certificate-to-be-issued" in old.run("https", check=True).ok().notes


@pytest.mark.parametrize("listener", ["http", "https"])
def test_a_port_that_another_program_holds(new: Machine, listener: Listener) -> None:
    port = {"http": 80, "https": 443}[listener]
    new.host.run("systemctl stop nginx")
    new.host.run(f"systemd-run --quiet --unit=squatter python3 -m http.server {port}")
    new.host.run(f"until ss -ltnH 'sport = :{port}' | grep -q .; do sleep 0.05; done")
    tree = new.tree()
    answer = new.run(listener)
    assert answer.codes == ["edge/port-held"]
    assert "python3 (pid " in answer.text and "squatter.service" in answer.text
    assert new.tree() == tree
    new.host.run("systemctl stop squatter")
    started = new.run(listener).ok()
    assert "start" in started.steps
    new.assert_sound()


def test_a_port_that_another_file_of_nginx_holds(old: Machine) -> None:
    shop = "server {\n    listen *:443 ssl default_server;\n    ssl_reject_handshake on;\n}\n"
    old.host.put(shop, "/etc/nginx/conf.d/shop.conf")
    answer = old.run("https")
    assert "edge/second-default-server" in answer.codes
    assert "/etc/nginx/conf.d/shop.conf:2" in answer.text
    assert not old.exists(FILES["https"])
    old.host.put(
        shop.replace("default_server", "").replace("ssl_rej", f"server_name {GIT}; ssl_rej"),
        "/etc/nginx/conf.d/shop.conf",
    )
    assert "edge/duplicate-server-name" in old.run("https").codes


def test_a_socket_that_takes_both_families_is_refused(new: Machine) -> None:
    new.host.run(f"rm {WELCOME}")
    new.host.put("server { listen [::]:80 ipv6only=off; server_name shop.example.org; }\n", "/etc/nginx/conf.d/shop.conf")
    answer = new.run("http")
    assert answer.failed and not new.exists(FILES["http"])
    assert {"edge/socket-conflict", "edge/duplicate-listen"} & set(answer.codes), answer.text


def test_a_reload_that_is_refused_stays_pending_and_is_completed(machine: Machine) -> None:
    drop_in(machine, "[Service]\nExecReload=\nExecReload=/bin/false\n")
    answer = machine.run("https")
    assert (answer.codes, answer.changed) == (["edge/reload-failed"], True)
    assert machine.exists(FILES["https"]) and machine.marker("https")
    assert machine.status(f"https://{PLATFORM}/") == "000"
    again = machine.run("https")
    assert again.codes == ["edge/reload-failed"], "it stays pending as long as it fails"
    drop_in(machine, "")
    completed = machine.run("https").ok()
    assert completed.said["resumed"] and completed.changed
    assert completed.steps == ["reload", "prove", "clear"]
    assert "edge/pending" in completed.notes
    assert machine.status(f"https://{PLATFORM}/") == "200"
    assert not machine.run("https").ok().changed


def test_a_reload_without_effect_is_undone(machine: Machine) -> None:
    machine.run("http").ok()
    before = machine.tree()
    drop_in(machine, THIEF)
    answer = machine.run("https")
    assert (answer.codes, answer.changed) == (["edge/reload-without-effect"], False), answer.text
    assert "bind() to 0.0.0.0:443 failed (98: Address already in use)" in answer.text
    machine.host.run("systemctl stop thief")
    drop_in(machine, "")
    assert not machine.exists(FILES["https"]) and not machine.marker("https")
    assert machine.tree() == before
    machine.assert_sound()
    machine.run("https").ok()


def test_a_first_installation_that_fails_puts_the_welcome_link_back(old: Machine) -> None:
    drop_in(old, THIEF.replace("443", "8080").replace("/usr/sbin/nginx -s reload", "/bin/true"))
    target = old.host.run(f"readlink {WELCOME}").stdout
    answer = old.run("http")
    assert "edge/reload-without-effect" in answer.codes
    assert old.host.run(f"readlink {WELCOME}").stdout == target
    assert not old.exists(FILES["http"])
    old.host.run("systemctl stop thief")
    drop_in(old, "")
    old.assert_sound()
    assert old.run("http").ok().steps == FIRST_HTTP


def test_what_is_served_otherwise_is_undone(new: Machine) -> None:
    new.run("https").ok()
    text = new.host.get(FILES["https"])
    new.certificate(PLATFORM)
    # Between judgement and reload somebody swaps the files: nginx takes them, and the proof meets what a client would.
    swap = f"cp -a /etc/letsencrypt/live/{GIT}/. /etc/letsencrypt/live/{PLATFORM}/"
    drop_in(new, f"[Service]\nExecReload=\nExecReload=/bin/sh -c '{swap}; nginx -s reload'\n")
    new.site = replace(new.site, management=["10.0.0.0/8"])
    answer = new.run("https")
    assert set(answer.codes) == {"edge/stale-certificate"}, answer.text
    assert not answer.changed
    assert new.host.get(FILES["https"]) == text
    assert not new.marker("https")
    assert new.status(f"https://{PLATFORM}/admin") == "403"


def test_every_starting_state_of_the_unit(machine: Machine) -> None:
    host = machine.host
    for state in ("disable --now", "stop", "kill --signal=KILL"):
        host.run(f"systemctl {state} nginx")
        if state.startswith("kill"):
            host.run("until systemctl is-failed nginx; do sleep 0.05; done", check=False, timeout=20)
        answer = machine.run("https").ok()
        assert answer.changed
        assert host.run("systemctl is-active nginx").stdout.strip() == "active"
        assert host.run("systemctl is-enabled nginx").stdout.strip() == "enabled"
        assert machine.status(f"https://{GIT}/") == "200"
    host.run("systemctl disable nginx")
    assert machine.run("https").ok().steps == ["enable"]
    host.run("systemctl stop nginx; systemctl mask nginx")
    assert "edge/unit-masked" in machine.run("https").codes


def test_a_start_that_fails_leaves_a_stopped_nginx_as_it_was(old: Machine) -> None:
    old.host.run("systemctl disable --now nginx")
    tree = old.tree()
    start = "[Service]\nExecStartPre=\nExecStartPre=/bin/false\n"
    drop_in(old, start)
    answer = old.run("http")
    assert (answer.codes, answer.changed) == (["edge/reload-failed"], False)
    drop_in(old, "")
    assert old.tree() == tree
    assert old.host.run("systemctl is-enabled nginx", check=False).stdout.strip() == "disabled"
    old.run("http").ok()


def test_a_host_without_nginx(session_world: World, spare: Spare, site: Site) -> None:
    bare = spare("bookworm", installed=False)
    machine = Machine(session_world.bed, bare, site)
    for listener in ("http", "https"):
        told = machine.run(listener, check=True).ok()
        assert told.changed and "edge/nginx-missing" in told.notes
        assert machine.run(listener).codes == ["edge/nginx-missing"]
    bare.run("systemd-run --quiet --unit=squatter python3 -m http.server 80")
    bare.run("until ss -ltnH 'sport = :80' | grep -q .; do sleep 0.05; done")
    assert machine.run("http", check=True).codes == ["edge/port-held"], "judged before the package is installed"
    bare.run("systemctl stop squatter; apt-get -qq install nginx >/dev/null")
    machine.run("http").ok()
    machine.run("https").ok()
    assert machine.status(f"https://{PLATFORM}/") == "200"


def test_a_listen_address_that_changes_needs_a_restart(machine: Machine) -> None:
    machine.run("https").ok()
    address = {"listen_addresses": [machine.host.v4]}
    refused = machine.run("https", **address)
    assert refused.codes == ["edge/restart-needed"]
    assert machine.status(f"https://{PLATFORM}/", v6=True) == "200"
    allowed = machine.run("https", allow_restart=True, **address).ok()
    assert "restart" in allowed.steps
    assert machine.status(f"https://{PLATFORM}/") == "200"
    assert machine.status(f"https://{PLATFORM}/", v6=True) == "000"
    assert not machine.run("https", **address).ok().changed


def test_an_address_that_the_host_does_not_have(session_world: World, machine: Machine, spare: Spare, site: Site) -> None:
    machine.run("https").ok()
    tree = machine.tree()
    for address in ("192.0.2.99", "2001:db8:99::1", "fe80::99"):
        for check in (True, False):
            answer = machine.run("https", listen_addresses=[machine.host.v4, address], check=check)
            assert answer.codes == ["edge/listen-address-absent"], answer.text
            assert f"`{address}`" in answer.text and f"`{machine.host.v4}`" in answer.text
    for written in ("eth0", "443", f"{machine.host.v4}:443", f"[{machine.host.v6}]"):
        answer = machine.run("https", listen_addresses=[written])
        assert answer.codes == ["name/listen-address"], answer.text
        assert "listen_addresses[0]" in answer.text and f"`{written}`" in answer.text
    assert machine.tree() == tree

    # also where the package is not there yet, and where the host has no such family
    bare = Machine(session_world.bed, spare("bookworm", installed=False, ipv6=False), site)
    assert bare.run("https", listen_addresses=["192.0.2.99"], check=True).codes == ["edge/listen-address-absent"]
    assert bare.run("https", listen_addresses=["2001:db8:99::1"], check=True).codes == ["edge/listen-address"]


def test_clocks_that_disagree(old: Machine) -> None:
    assert old.run("https", instant=time.time() + 301).codes == ["edge/clock-skew"]
    assert old.run("https", instant=time.time() - 1000).codes == ["edge/clock-skew"]
    assert not old.exists(FILES["https"])


def test_an_unsupported_host_says_what_was_found(old: Machine) -> None:
    old.host.put('ID=rocky\nVERSION_ID="9.4"\nPRETTY_NAME="Rocky Linux 9.4"\n', "/usr/lib/os-release")
    answer = old.run("https")
    assert answer.codes == ["edge/unsupported-host"]
    assert "Rocky Linux 9.4" in answer.text


def test_an_nginx_outside_its_unit(old: Machine) -> None:
    old.host.run("systemctl stop nginx; systemd-run --quiet --unit=mine nginx -g 'daemon off;'")
    old.host.run("until pgrep -f '^nginx: master' >/dev/null; do sleep 0.05; done")
    answer = old.run("https")
    assert "edge/outside-unit" in answer.codes
    assert "mine.service" in answer.text


def test_the_host_is_locked_against_a_second_run(old: Machine) -> None:
    old.run("https").ok()
    old.host.run(f"systemd-run --quiet --unit=other flock {STATE}/lock sleep 100")
    old.host.run(f"until ! flock --nonblock {STATE}/lock true; do sleep 0.05; done")
    old.site = replace(old.site, management=["10.0.0.0/8"])
    assert old.run("https").codes == ["file/lock-held"]
    old.host.run("systemctl stop other")
    old.run("https").ok()


def test_somebody_elses_file_in_our_place_is_kept(new: Machine) -> None:
    theirs = "server { listen 8443; server_name shop.example.org; }\n"
    new.host.put(theirs, FILES["https"])
    assert new.run("https").codes == ["edge/foreign-file"]
    assert new.host.get(FILES["https"]) == theirs


def test_only_root_installs(old: Machine) -> None:
    told = old.host.run(
        "runuser -u nobody -- /usr/local/lib/pharos-modules -",
        check=False,
        stdin=(
            '{"module": "edge_config", "version": "0.1.0", "instant": 0, "arguments": {"listener": "http", '
            '"environment_file": {"name": "e", "text": ""}, "catalogue_file": {"name": "c", "text": ""}}}'
        ),
    )
    assert "edge/not-root" in told.stdout


def test_the_shipped_binary_has_no_kill_points() -> None:
    assert b"PHAROS_KILL_AFTER" in binary.build("kill-points").read_bytes()
    assert b"PHAROS_KILL_AFTER" not in binary.build().read_bytes()
    assert b"PHAROS_KILL_AFTER" not in binary.shipped().read_bytes()
