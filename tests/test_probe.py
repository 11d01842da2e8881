"""The probe of a live site's routes: a real edge with a real Envoy behind it, asked as operators ask."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bed.commands import Result
from bed.hosts import Host
from bed.pki import Authority
from bed.services.gateway import ECHO_CLUSTERS, PLAIN, Cluster, Route, VirtualHost
from bed.world import World
from edgebed.documents import CALLS, CHAT, WEB, Site
from edgebed.edge import Edge
from edgebed.playbook import Playbook

pytestmark = pytest.mark.hosts

NOBODY = 9


@dataclass(frozen=True)
class Asked:
    """A folder with a site's documents, asked from the control side, which manages nothing."""

    world: World
    edge: Edge
    folder: Path

    def write(self, site: Site, *, access: str = "public") -> None:
        catalogue = site.catalogue()
        catalogue["services"][0]["routes"][0]["access"] = access
        policy = {
            "version": 1,
            "environment": "bed",
            "mode": "distributed",
            "foundation": {"kubernetes": "1.33.5", "cni": {"name": "calico", "version": "3.30.3"}},
            "edge": {
                "origins": {service: f"https://{host}" for service, host in site.origins.items()},
                "gateway": {"upstreams": [site.gateway]},
            },
        }
        for path, document in (("catalogue/services.yaml", catalogue), ("environments/bed/policy.yaml", policy)):
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(json.dumps(document))

    def ask(self, *arguments: str) -> Result:
        words = ["--env", "bed", "--trust", str(self.edge.authority), "--address", self.edge.host.v4, *arguments]
        program = [sys.executable, "-m", "devbox.mesh.probe", *words]
        return self.world.bed.control_exec(["env", "--chdir", str(self.folder), *program], check=False)

    def verdicts(self, *arguments: str) -> dict[str, Any]:
        """Route -> the code of what is wrong with its answer."""
        said = self.ask("--format", "json", *arguments)
        assert said.code in (0, 1, 3), said.stderr
        verdicts = {each["question"]["route"]: each["code"] for each in json.loads(said.stdout)}
        assert said.code == (3 if "probe/no-answer" in verdicts.values() else int(any(verdicts.values())))
        return verdicts


def test_each_way_in_which_a_route_may_fail(session_world: World, trixie: Host, tmp_path: Path) -> None:
    world = session_world
    authority = Authority.create("test bed edge")
    (tmp_path / "authority.pem").write_text(authority.pem)
    edge = Edge(world, trixie, tmp_path / "authority.pem")
    site = Site(f"{world.gateway.v4}:{PLAIN}")
    files = edge.put_leaves(authority, site.hosts)
    documents = {**site.write(tmp_path / "site"), "edge_certificate_files": files}
    Playbook(world.bed, tmp_path, trixie).run(documents)
    asked = Asked(world, edge, tmp_path / "checkout")
    asked.write(site)
    sound = {"calls-calls": None, "chat-chat": None, "web-web": None}
    try:
        # each route in its own manner: HTTP, a WebSocket, a gRPC call
        report = tmp_path / "probe.xml"
        said = asked.ask("--junit", str(report))
        assert said.code == 0, said.stdout + said.stderr
        assert [line.split()[0] for line in said.stdout.splitlines()[1:]] == ["calls-calls", "chat-chat", "web-web"]
        assert set(re.findall(r'<testcase classname="[^"]+" name="([^"]+)"/>', report.read_text())) == set(sound)

        # a laboratory's routes are asked as well: the edge was not told of this one
        laboratory = tmp_path / "icarus.yaml"
        route = {"name": "web", "host": "icarus.edge.test", "match": {"prefix": "/"}, "access": "public", "transport": "http"}
        backend = {"service": "bench", "port": 8080}
        document = {"version": 1, "name": "icarus", "namespace": "icarus", "routes": [{**route, "backend": backend}]}
        laboratory.write_text(json.dumps(document))
        assert asked.verdicts("--extension", str(laboratory)) == {**sound, "icarus-web": "probe/no-answer"}

        # the edge was not told of a name
        asked.write(site.at(web="new.edge.test"))
        assert asked.verdicts() == {**sound, "web-web": "probe/no-answer"}, "no certificate, hence no handshake"
        asked.write(site)

        # a management route that answers to whoever asks, where refusal is expected
        asked.write(site, access="management")
        assert asked.verdicts("--from", "192.0.2.7/32") == {**sound, "web-web": "probe/open"}
        assert asked.verdicts() == sound, "without knowing where one stands, an answer is as good as a refusal"
        managed = {**documents, "edge_catalogue_file": str(asked.folder / "catalogue/services.yaml")}
        Playbook(world.bed, tmp_path, trixie).run(managed)
        assert asked.verdicts("--from", "192.0.2.7/32") == sound
        asked.write(site)
        assert asked.verdicts() == {**sound, "web-web": "probe/refused"}
        Playbook(world.bed, tmp_path, trixie).run(documents)

        # the gateway knows another path of the application alone, and nothing behind the socket
        hosts = (
            VirtualHost((WEB,), (Route("/elsewhere/", "http"),)),
            VirtualHost((CHAT,), (Route("/", "websocket"),)),
            VirtualHost((CALLS,), (Route("/", "grpc"),)),
        )
        world.gateway.start(hosts, {**ECHO_CLUSTERS, "websocket": Cluster(NOBODY), "grpc": Cluster(NOBODY, http2=True)})
        failing = asked.verdicts()
        assert failing == {
            "calls-calls": "probe/backend-unreached",
            "chat-chat": "probe/backend-unreached",
            "web-web": "probe/no-route",
        }
    finally:
        world.gateway.start()

    # the edge is gone
    trixie.run("systemctl stop nginx")
    said = asked.ask("--timeout", "2")
    assert said.code == 3
    assert said.stdout.count("probe/no-answer") == 3 and "another edge by `--address`" in said.stderr
    assert "Connection refused" in said.stdout


def test_wrong_usage_and_refused_documents(session_world: World, trixie: Host, tmp_path: Path) -> None:
    (tmp_path / "authority.pem").write_text(Authority.create("test bed edge").pem)
    asked = Asked(session_world, Edge(session_world, trixie, tmp_path / "authority.pem"), tmp_path)
    asked.write(Site("192.0.2.1:8080"))
    wrong = asked.ask("--from", "192.0.2.7/24")
    assert (wrong.code, "192.0.2.7/24" in wrong.stderr) == (2, True)
    wrong = asked.ask("--address", "edge.test")
    assert (wrong.code, "`--address`" in wrong.stderr) == (2, True)
    asked.write(Site("192.0.2.1:8080").at(web=CHAT))
    refused = asked.ask()
    assert (refused.code, refused.stdout) == (1, "")
    assert "error[" in refused.stderr
