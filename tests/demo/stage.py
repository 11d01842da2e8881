"""What the demo brings up, step by step."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pharos
from bed import world
from bed.commands import bed_environment, run
from bed.hosts import Bed, Host, HostSpec
from bed.services.gateway import PLAIN
from bed.world import World

REPOSITORY = Path(__file__).resolve().parents[2]
CATALOGUE = Path("catalogue/services.yaml")
POLICY = Path("environments/example/policy.yaml")
_NETS = range(250, 199, -1)

Say = Callable[[str], None]


def play(prefix: str, say: Say) -> int:
    """Everything, until a request has gone through edge, gateway and backend; the bed stays up."""
    bed = Bed(prefix, _free_net(), reachable=True).up()
    try:
        return _play(bed, say)
    except BaseException:
        bed.down()
        raise


def _play(bed: Bed, say: Say) -> int:
    say("DNS, a local ACME server (Pebble), an Envoy in the gateway's place and an echo server behind it")
    around = world.start(bed)
    say("a Debian 13 host: systemd, sshd, nginx, certbot")
    (host,) = bed.boot(HostSpec("edge", "trixie"))
    environment = _environment(around)
    names = sorted(origin.removeprefix("https://") for origin in environment["origins"].values())
    for name in names:
        around.dns.point(name, host)
    host.trust(around.acme.api_ca_pem, "acme-api")
    host.trust(around.acme.root_pem(), "acme-root")
    authority = bed.folder / "ca.pem"
    authority.write_text(around.acme.root_pem())
    say(f"the playbook, for the {len(names)} names of environments/example/policy.yaml")
    status = _playbook(bed, host, environment, around)
    if status != 0:
        say("the playbook failed: the host stays up for a look (make demo-down removes it)")
        return status
    say(f"issued {len(names)} certificates, installed {_version(host)}, checked that renewal works")
    curl = _curl(names, host, authority)
    said = run(curl, environment=os.environ).stdout
    say("a request through edge, gateway and backend was answered")
    print(f"\n{said.rstrip()}\n\nThe site is up. Ask it yourself:\n\n  {shlex.join(curl)}\n")
    print(f"Look at the host:  ssh -F {bed.ssh_config} root@{host.name}    Remove it:  make demo-down", flush=True)
    return 0


def _free_net() -> int:
    """A net of the beds' range that this machine has no route into."""
    routes = run(["ip", "-json", "route", "show", "root", "10.77.0.0/16"]).stdout
    taken = {route["dst"] for route in json.loads(routes or "[]")}
    return next(net for net in _NETS if f"10.77.{net}.0/24" not in taken)


def _environment(around: World) -> dict[str, Any]:
    """The example site's edge environment, with the stand-in gateway's address."""
    texts = [(str(path), (REPOSITORY / path).read_text()) for path in (CATALOGUE, POLICY)]
    environment: dict[str, Any] = pharos.edge_environment(*texts)
    environment["gateway"] = {"upstreams": [f"{around.gateway.v4}:{PLAIN}"]}
    return environment


def _playbook(bed: Bed, host: Host, environment: dict[str, Any], around: World) -> int:
    """Run it as an operator does, with its own output; returns its exit status."""
    document = bed.folder / "edge.yaml"
    document.write_text(json.dumps(environment, indent=2) + "\n")
    variables = {
        "edge_environment_file": str(document),
        "edge_certificate_mode": "certbot",
        "edge_acme_server": around.acme.directory,
    }
    inventory = bed.write_inventory(bed.folder / "inventory.json", {"platform-edge": [host]}, variables=variables)
    folder = Path(sys.executable).parent
    extended = {
        "ANSIBLE_CONFIG": str(REPOSITORY / "ansible.cfg"),
        "ANSIBLE_SSH_CONTROL_PATH_DIR": str(bed.folder / "ssh"),
        "PATH": os.pathsep.join((str(folder), os.environ.get("PATH", ""))),
    }
    ansible = [str(folder / "ansible-playbook"), "-i", str(inventory), "playbooks/edge-distributed.yml"]
    words = [*bed.control.enter(), *ansible]
    # In a session of its own: an interruption ends it with the bed, instead of wherever it is.
    done = subprocess.run(words, cwd=REPOSITORY, env=bed_environment(extended), check=False, start_new_session=True)
    return done.returncode


def _version(host: Host) -> str:
    return host.run("nginx -v").stderr.strip().removeprefix("nginx version: ")


def _curl(names: list[str], host: Host, authority: Path) -> list[str]:
    """A request from this machine, which needs neither its resolver nor its trust store."""
    name = next(name for name in names if name.startswith("platform."))
    proxied = any(os.environ.get(variable) for variable in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"))
    direct = ["--noproxy", "*"] if proxied else []
    resolve = ["--resolve", f"{name}:443:{host.v4}", "--cacert", str(authority)]
    return ["curl", "--silent", "--show-error", "--fail", *direct, *resolve, f"https://{name}/"]
