"""The test bed itself: what the other tests stand on works as they take it to."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from bed import network, nginx, pki, roots, tools, waiting
from bed.commands import CommandError
from bed.hosts import Bed, Host
from bed.services import Cluster, Faults, Route, VirtualHost
from bed.services.gateway import ECHO_CLUSTERS
from bed.spare import Spare
from bed.world import World

TESTS = Path(__file__).resolve().parent


@pytest.mark.hosts
def test_hosts_boot_systemd_and_take_ssh(bookworm: Host, trixie: Host) -> None:
    for host, version in ((bookworm, "nginx/1.22."), (trixie, "nginx/1.26.")):
        assert host.run("systemctl is-system-running").stdout.strip() == "running"
        assert host.run("cat /proc/1/comm").stdout.strip() == "systemd"
        assert host.ssh("hostname").stdout.strip() == host.name
        assert host.ssh("sudo --non-interactive id -u", user="admin").stdout.strip() == "0"
        assert version in host.run("nginx -v").stderr


@pytest.mark.hosts
def test_nginx_is_started_by_systemd_and_reached_over_both_families(session_world: World, bookworm: Host, trixie: Host) -> None:
    for host in (bookworm, trixie):
        assert host.v6
        host.run("systemctl disable --now nginx")
        assert not session_world.bed.curl(f"http://{host.v4}/", check=False).ok
        host.put(f"{host.name}\n", "/var/www/html/index.html")
        host.run("systemctl enable --now nginx")
        for address in (host.v4, f"[{host.v6}]"):
            assert session_world.bed.curl(f"http://{address}/").stdout == f"{host.name}\n"


@pytest.mark.hosts
def test_a_host_without_nginx_installs_it_without_a_network(spare: Spare) -> None:
    bare, alone = spare("bookworm", installed=False), spare("trixie", ipv6=False)
    assert not bare.run("command -v nginx certbot", check=False).ok
    bare.run("apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y nginx certbot python3-venv")
    assert bare.run("systemctl is-active nginx").stdout.strip() == "active"
    assert bare.run("ip route show default").stdout == ""
    assert alone.v6 is None
    assert "inet6" not in alone.run("ip address").stdout


@pytest.mark.hosts
def test_reset_throws_away_what_was_written(trixie: Host) -> None:
    trixie.put("kept\n", "/etc/nginx/conf.d/kept.conf", mode=0o600)
    trixie.snapshot("kept")
    trixie.put("lost\n", "/etc/nginx/conf.d/lost.conf")
    trixie.run("rm /etc/nginx/nginx.conf")
    trixie.reset("kept")
    assert trixie.run("stat -c '%a %U' /etc/nginx/conf.d/kept.conf").stdout == "600 root\n"
    assert trixie.get("/etc/nginx/nginx.conf").startswith("user www-data")
    with pytest.raises(FileNotFoundError):
        trixie.get("/etc/nginx/conf.d/lost.conf")
    trixie.reset()
    with pytest.raises(FileNotFoundError):
        trixie.get("/etc/nginx/conf.d/kept.conf")


@pytest.mark.hosts
def test_the_disk_survives_a_power_cut_and_a_restart(bookworm: Host) -> None:
    bookworm.put("written\n", "/var/lib/note")
    for again in (bookworm.power_cycle, bookworm.restart):
        before = bookworm.run("cat /proc/sys/kernel/random/boot_id; stat -c %Z /proc/1").stdout
        assert again() == "running"
        assert bookworm.get("/var/lib/note") == "written\n"
        assert bookworm.run("cat /proc/sys/kernel/random/boot_id; stat -c %Z /proc/1").stdout != before


@pytest.mark.hosts
def test_certbot_gets_a_certificate_through_the_webroot(session_world: World, trixie: Host, tmp_path: Path) -> None:
    acme, dns = session_world.acme, session_world.dns
    trixie.trust(acme.api_ca_pem)
    certbot = (
        "certbot certonly -n --agree-tos --register-unsafely-without-email"
        f" --server {acme.directory} --webroot -w /var/www/html -d a.edge.test"
    )
    refused = trixie.run(certbot, check=False)
    assert refused.code == 1
    assert 'could not resolve URL "http://a.edge.test:80/' in refused.stdout
    dns.point("a.edge.test", trixie)
    trixie.run(certbot)
    root = tmp_path / "root.pem"
    root.write_text(acme.root_pem())
    chain = tmp_path / "chain.pem"
    chain.write_text(trixie.get("/etc/letsencrypt/live/a.edge.test/fullchain.pem"))
    verify = ["openssl", "verify", "-CAfile", str(root), "-untrusted", str(chain)]
    session_world.bed.control_exec([*verify, "-verify_hostname", "a.edge.test", str(chain)])


@pytest.mark.hosts
def test_acme_faults_are_selectable(session_world: World, trixie: Host) -> None:
    acme = session_world.acme
    certbot = (
        "certbot certonly -n --agree-tos --register-unsafely-without-email"
        f" --server {acme.directory} --webroot -w /var/www/html -d nowhere.edge.test"
    )
    trixie.trust(acme.api_ca_pem)
    acme.start(Faults(always_valid=True))
    trixie.run(certbot)
    acme.start(Faults(nonce_reject=100))
    assert not trixie.run(f"{certbot} --force-renewal", check=False).ok
    acme.start()


@pytest.mark.hosts
def test_dns_answers_fails_and_stops_on_request(session_world: World, bookworm: Host) -> None:
    dns = session_world.dns
    lookup = "getent ahosts b.edge.test"
    assert not bookworm.run(lookup, check=False).ok
    dns.point("b.edge.test", bookworm)
    assert {bookworm.v4, bookworm.v6} <= set(bookworm.run(lookup).stdout.split())
    assert bookworm.v4 in session_world.bed.control_exec(lookup.split()).stdout
    dns.fail("b.edge.test")
    assert not bookworm.run(lookup, check=False).ok
    dns.mend("b.edge.test")
    dns.stop()
    assert not bookworm.run(lookup, check=False).ok
    dns.start()
    assert bookworm.v4 in bookworm.run(lookup).stdout


@pytest.mark.hosts
def test_the_gateway_routes_http_websocket_and_grpc(session_world: World) -> None:
    gateway, bed = session_world.gateway, session_world.bed
    for address in (gateway.v4, f"[{gateway.v6}]"):
        told = json.loads(bed.curl("-d", "four", "-H", "Host: a.test", f"http://{address}:8080/x?y=1").stdout)
        assert (told["method"], told["path"], told["body"]) == ("POST", "/x?y=1", 4)
        assert ["host", "a.test"] in told["headers"]
    chunked = ["-H", "Transfer-Encoding: chunked", "-d", "seven__"]
    assert json.loads(bed.curl(*chunked, f"http://{gateway.v4}:8080/").stdout)["body"] == 7
    (answer,) = session_world.websocket("ws://a.test:8080/live", "hello", connect=gateway.v4)
    assert (answer["message"], answer["path"]) == ("hello", "/live")
    unary = session_world.grpc("a.test:8080", "hello", connect=gateway.v4, headers={"x-mine": "1"})
    message, metadata = unary["answers"][0].split("\n")
    assert message == "hello"
    assert ["x-mine", "1"] in json.loads(metadata)
    both = session_world.grpc("a.test:8080", "1", "2", connect=gateway.v4, method="/any.Service/Bidi")
    assert both == {"answers": ["1", "2"]}
    unknown = session_world.grpc("a.test:8080", "1", connect=gateway.v4, method="/any.Service/Nope")
    assert unknown["code"] == "UNIMPLEMENTED"


@pytest.mark.hosts
def test_the_gateway_has_tls_by_name_and_routes_of_its_own(session_world: World, tmp_path: Path) -> None:
    gateway, bed = session_world.gateway, session_world.bed
    trust = tmp_path / "gateway.pem"
    trust.write_text(gateway.ca_pem)

    def ask(name: str, path: str) -> list[str]:
        return ["--cacert", str(trust), "--resolve", f"{name}:8443:{gateway.v4}", f"https://{name}:8443{path}"]

    told = json.loads(bed.curl(*ask("gateway.bed.test", "/")).stdout)
    assert ["x-bed-sni", "gateway.bed.test"] in told["headers"]
    assert not bed.curl(*ask("other.bed.test", "/"), check=False).ok
    hosts = (VirtualHost(("gateway.bed.test:8443",), (Route("/slow", "slow"), Route("/dead", "dead"))),)
    gateway.start(hosts, {**ECHO_CLUSTERS, "dead": Cluster(7099)})
    for path, code in (("/slow", "200"), ("/dead", "503"), ("/other", "404")):
        answer = bed.curl("-o", "/dev/null", "-w", "%{http_code}", *ask("gateway.bed.test", path))
        assert answer.stdout == code
    waiting.until(lambda: any(entry["code"] == 404 for entry in gateway.access_log()), "the access log")
    gateway.pause()
    assert bed.curl("-m", "1", f"http://{gateway.v4}:8080/", check=False).code == 28  # curl: timeout
    gateway.resume()
    gateway.start()


@pytest.mark.hosts
def test_a_killed_run_leaves_nothing_for_the_next(bed_name: tuple[str, int]) -> None:
    prefix = f"{bed_name[0]}k"
    script = f"""
        import os, sys
        sys.path.insert(0, {str(TESTS)!r})
        from bed.hosts import Bed, HostSpec
        bed = Bed({prefix!r}, 251, reachable=True).up()
        bed.boot(HostSpec("left", "bookworm"))
        bed.spawn("sleep", ["sleep", "1000"])
        print(bed.hosts["left"].leader(), flush=True)
        os.kill(os.getpid(), {int(signal.SIGKILL)})
    """
    killed = subprocess.run([sys.executable, "-c", dedent(script)], stdout=subprocess.PIPE, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    leader = Path("/proc") / killed.stdout.strip()
    assert _runs(leader)
    assert network.existing(prefix)
    assert "200" in _curl(f"http://{network.Net(251).v4(network.FIRST_HOST)}/")
    with Bed(prefix, 250):
        assert not _runs(leader)
        with pytest.raises(RuntimeError, match=rf"another process \(pid {os.getpid()}\) has the bed"):
            Bed(prefix, 249).up()
    assert not network.existing(prefix)
    assert not Path("/sys/class/net", f"bed-{prefix}").exists()
    assert prefix not in Path("/proc/self/mountinfo").read_text()


def _runs(process: Path) -> bool:
    """Whether a process still does something: one that its parent has not yet collected does not."""
    try:
        return bool((process / "cmdline").read_bytes())
    except OSError:
        return False


def _curl(address: str) -> str:
    argv = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-m", "5", address]
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout


@pytest.mark.hosts
@pytest.mark.parametrize("series", ["1.22", "1.26"])
def test_nginx_runs_without_a_host(series: str, tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text(
        "daemon off; pid nginx.pid; events {}\n"
        f"http {{ access_log off; server {{ listen unix:{tmp_path}/s; return 200 $nginx_version; }} }}\n"
    )
    argv = [*nginx.binary(series), "-p", str(tmp_path), "-c", "nginx.conf", "-e", str(tmp_path / "error.log")]
    subprocess.run([*argv, "-t", "-q"], check=True, cwd=tmp_path)
    running = subprocess.Popen(argv, cwd=tmp_path)
    waiting.until((tmp_path / "s").is_socket, "nginx")
    asked = ["curl", "-s", "--unix-socket", str(tmp_path / "s"), "http://x/"]
    assert subprocess.run(asked, capture_output=True, text=True, check=True).stdout.startswith(series)
    assert int((tmp_path / "nginx.pid").read_text()) == running.pid
    running.terminate()
    assert running.wait(10) == 0


@pytest.mark.hosts
def test_nginx_of_sees_the_packages_own_configuration() -> None:
    said = subprocess.run([TESTS / "bin/nginx-of", "1.26", "-T"], capture_output=True, text=True, check=True, cwd="/")
    assert "# configuration file /etc/nginx/sites-enabled/default:" in said.stdout
    said = subprocess.run([TESTS / "bin/nginx-of", "1.23"], capture_output=True, text=True, check=False)
    assert said.returncode != 0
    assert "no nginx 1.23" in said.stderr


def test_issued_certificates_verify(tmp_path: Path) -> None:
    root = pki.Authority.create("root")
    leaf = root.intermediate("first").intermediate("second").issue("a.test", "*.b.test", "192.0.2.1", "2001:db8::1")
    chain, key = leaf.write(tmp_path, "leaf")
    (tmp_path / "root.pem").write_text(root.pem)
    assert key.stat().st_mode & 0o777 == 0o600
    verify = ["openssl", "verify", "-x509_strict", "-CAfile", str(tmp_path / "root.pem"), "-untrusted", str(chain)]
    for wanted in (["-verify_hostname", "x.b.test"], ["-verify_ip", "2001:db8::1"]):
        subprocess.run([*verify, *wanted, str(chain)], check=True, stdout=subprocess.DEVNULL)
    wrong = subprocess.run([*verify, "-verify_hostname", "c.test", str(chain)], check=False, capture_output=True)
    assert wrong.returncode != 0


@pytest.mark.hosts
def test_a_failing_command_tells_what_it_said(bookworm: Host) -> None:
    with pytest.raises(CommandError, match=r"exit 3: .*\nout\n\nerr") as raised:
        bookworm.run("echo out; echo err >&2; exit 3")
    assert raised.value.result.code == 3
    assert os.environ["PATH"] not in bookworm.run("env").stdout


def test_roots_of_other_recipes_go_after_a_month(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "pharos/testbed/roots"
    monkeypatch.setattr(roots, "_build", lambda release, path: path.mkdir())
    monkeypatch.setattr(roots, "need_root", lambda: None)
    monkeypatch.setattr(tools, "ensure", lambda: None)
    month = 31 * 86400

    def aged(name: str, seconds: int) -> Path:
        path = folder / name
        (path / "base").mkdir(parents=True)
        (folder / f"{name.lstrip('.').partition('.')[0]}.lock").touch()
        then = path.stat().st_mtime - seconds
        os.utime(path, (then, then))
        return path

    old, killed, recent = aged("trixie-old", month), aged(".trixie-older.x1", month), aged("trixie-other", month // 2)
    ours = folder / roots.ensure.__wrapped__("trixie").path.name
    assert sorted(folder.iterdir()) == sorted([ours, recent, *(path.with_name(f"{path.name}.lock") for path in (ours, recent))])
    assert not old.exists() and not killed.exists()

    # what is used is young again: another recipe's run leaves it
    then = ours.stat().st_mtime - month
    os.utime(ours, (then, then))
    roots.ensure.__wrapped__("trixie")
    monkeypatch.setattr(roots, "_key", lambda: "of another recipe")
    roots.prune(folder)
    assert ours.is_dir()
