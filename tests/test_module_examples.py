"""The examples of every module and plugin do their work: on booted hosts with a real ACME server, and at a real API server."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import pharos
from bed.commands import run
from bed.hosts import Host
from bed.pki import Authority
from bed.services.gateway import PLAIN
from bed.world import World
from cluster.control_plane import ControlPlane
from cluster.istio import install_kinds
from cluster.tools import program as tool
from edgebed.box import Box
from edgebed.edge import Edge
from play.collection import REPOSITORY, real
from play.documented import COLLECTION
from play.examples import Played, Scene, Step, documented, play
from play.run import Player

PLATFORM, SITE = "platform.example.org", "site.example.org"
LABORATORY = "icarus-site.pharos.127.0.0.1.sslip.io"
UNIT, SETTINGS = "pharos-site-runtime.service", "/etc/pharos/site-runtime.env"
INOTIFY = "/proc/sys/fs/inotify"

CHALLENGES = Step("edge_config", "Install the listener that answers ACME challenges")
SERVED = Step("edge_config", "Install the HTTPS listener with certificates that somebody else renews")
ADDED = [
    Step("route_extension", each)
    for each in ("Issue a certificate that names the hosts of a laboratory as well", "Serve the laboratory", "Keep serving it")
]


def steps(*names: str | Step) -> list[Step]:
    return [name if isinstance(name, Step) else Step(name) for name in names]


def twice(*names: str | Step) -> list[Step]:
    """Each a second time at once: what writes then changes nothing."""
    return list(chain.from_iterable((step, step) for step in steps(*names)))


# What writes is run twice. The first edge serves one name and then two; the second is given the certificates of both, and then
# becomes a development box with a laboratory.
EDGES = [
    Scene(
        "edge1",
        [
            *steps("site_info", "edge_render"),
            *twice(CHALLENGES),
            *steps("edge_listeners_info"),
            *twice("acme_lineages_info"),
            *steps("certificate_info", "filter certificates", "test covers"),
            *twice(SERVED),
        ],
        {"edge_environment_file": "one.json"},
    ),
    Scene("edge1", [CHALLENGES, *twice("acme_lineage")], {"edge_environment_file": "two.json"}),
    Scene("edge2", twice("certificate_files_info", "certificate_files")),
    Scene(
        "edge2",
        [
            *twice("mesh_node", "development_certificate"),
            *ADDED,
            *ADDED,
            *twice("service_binding", Step("route_extension", "Forget a laboratory")),
        ],
        {"edge_environment_file": "box.json"},
    ),
]
CLUSTER = [
    Scene(
        "localhost",
        [
            *steps("lookup edge_environment", "lookup routes", "filter topology", "test host_name"),
            *steps("mesh_render", "routes_render", "release_info", "release_info"),
            *steps("site_trust_render", "site_trust_render", "stages_info", "variables_info"),
        ],
    )
]


def environment_of(policy: str, **changes: Any) -> str:
    """An edge environment of the checkout, with another gateway or fewer origins."""
    names = ("catalogue/services.yaml", f"environments/{policy}/policy.yaml")
    made = pharos.edge_environment(*((name, (REPOSITORY / name).read_text()) for name in names))
    return json.dumps({**made, **changes})


@pytest.fixture
def player(tmp_path: Path) -> Player:
    """A user who has the collection, and beside the playbook what the examples name."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for name in ("catalogue", "charts", "environments"):
        (home / name).symlink_to(REPOSITORY / name)
    return Player(home, real(tmp_path / "collections"), home / "hosts.json")


def inventory(player: Player, groups: Mapping[str, Mapping[str, Mapping[str, Any]]], **variables: Any) -> None:
    here = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    children = {name: {"hosts": hosts} for name, hosts in groups.items()}
    everyone = {"hosts": {"localhost": here}, "vars": variables, "children": children}
    (player.folder / "hosts.json").write_text(json.dumps({"all": everyone}))


def test_every_module_and_plugin_has_an_example_and_each_of_its_tasks_is_run(player: Player) -> None:
    examples = documented(player)
    all_steps = [step for scene in EDGES + CLUSTER for step in scene.steps]
    assert {step.of for step in all_steps} == examples.keys()
    for name, tasks in examples.items():
        assert f"{COLLECTION}{name.split()[-1]}" in json.dumps(tasks), f"the example of {name} does not use it"
        tried = {task["name"] for step in all_steps if step.of == name for task in step.tasks(examples)}
        assert tried == {task["name"] for task in tasks}, f"{name}: all tasks of the example are run"


def judge_families(played: Played) -> None:
    """What reads or renders changes nothing, and what writes changes something once."""
    for example, action, changed in played.ours():
        wanted = [] if action.endswith(("_info", "_render")) else [True, False]
        assert (changed[:2] == wanted) if wanted else not any(changed), (example, action, changed)


@pytest.fixture
def edges(session_world: World, bookworm: Host, trixie: Host, player: Player) -> Iterator[Player]:
    """Two hosts as the examples find them; the names are those of the first."""
    world, home = session_world, player.folder
    gateway = {"upstreams": [f"{world.gateway.v4}:{PLAIN}"]}
    origins = {"pharos": f"https://{PLATFORM}", "site": f"https://{SITE}"}
    # the catalogue of a site that need not have every service: each name costs a certificate
    catalogue = (home / "catalogue" / "services.yaml").read_text()
    (home / "catalogue").unlink()
    (home / "catalogue").mkdir()
    (home / "catalogue" / "services.yaml").write_text(catalogue.replace("required_in: [distributed]", "required_in: []"))
    (home / "one.json").write_text(environment_of("example", profiles=[], origins={"pharos": origins["pharos"]}, gateway=gateway))
    (home / "two.json").write_text(environment_of("example", profiles=[], origins=origins, gateway=gateway))
    (home / "box.json").write_text(environment_of("devbox"))
    (home / "icarus").mkdir()
    laboratory = (REPOSITORY / "docs/examples/laboratory.yaml").read_text().replace("bench.example.org", LABORATORY)
    (home / "icarus" / "routes.yaml").write_text(laboratory)
    ssh = {"ansible_ssh_common_args": f"-F {world.bed.ssh_config}", "ansible_user": "admin"}
    python = {"ansible_python_interpreter": "/usr/bin/python3"}
    groups = {
        "platform-edge": {"edge1": {"ansible_host": trixie.name, **ssh, **python}},
        "box": {"edge2": {"ansible_host": bookworm.name, **ssh, **python}},
    }
    inventory(player, groups, edge_acme_server=world.acme.directory)

    for name in (PLATFORM, SITE):
        world.dns.point(name, trixie)
    trixie.trust(world.acme.api_ca_pem, "acme-api")
    for host in (trixie, bookworm):
        host.trust(world.acme.root_pem(), "acme-root")
    Box(world, bookworm, home).start_gateway()
    bookworm.put(f"[Service]\nEnvironmentFile={SETTINGS}\nExecStart=sleep infinity\n", f"/etc/systemd/system/{UNIT}")
    bookworm.put("# ours\nSITE_API_URL=https://old.example.org\n", SETTINGS)
    bookworm.run(f"systemctl daemon-reload && systemctl start {UNIT}")
    bookworm.run("mkdir -p /etc/containerd /opt/cni/bin /etc/cni/net.d && touch /etc/containerd/config.toml")
    # The kernel's own limits are those of this machine: these are a folder in their place.
    bookworm.run(
        "mkdir /run/inotify && cd /run/inotify && echo 16384 > max_queued_events && echo 128 > max_user_instances && "
        f"echo 8192 > max_user_watches && mount --bind /run/inotify {INOTIFY}"
    )

    def start(words: Sequence[str | Path], environment: Mapping[str, str]) -> tuple[int, str]:
        done = world.bed.control_exec(words, environment=environment, check=False)
        return done.code, done.stdout + done.stderr

    yield Player(home, player.collections, player.inventory, start)
    bookworm.run(f"umount {INOTIFY}", check=False)
    for name in (PLATFORM, SITE):
        world.dns.forget(name)


@pytest.mark.hosts
def test_the_examples_of_an_edge(session_world: World, bookworm: Host, trixie: Host, edges: Player) -> None:
    played = play(edges, documented(edges), EDGES, environment={"ANSIBLE_PIPELINING": "true"})
    judge_families(played)

    assert played.told("site_info", "certificate_names") == [[PLATFORM]]
    assert played.told("edge_listeners_info", "clear") == [True]
    assert played.told("certificate_info", "fit") == [True]
    assert played.told("acme_lineages_info", "requests") == [[PLATFORM], []]
    assert played.told("acme_lineage", "outstanding") == [True, True, False, False]
    assert played.told("mesh_node", "limits")[0]["max_user_watches"] > 8192

    # what was rendered for review, and what a client of each edge sees
    reviewed = [path.read_text() for path in edges.folder.glob("pharos-platform-*.conf")]
    assert reviewed and PLATFORM in "".join(reviewed)
    root = edges.folder / "root.pem"
    root.write_text(session_world.acme.root_pem())
    edge = Edge(session_world, trixie, root)
    assert [edge.status(f"https://{PLATFORM}/"), edge.status(f"http://{SITE}/")] == [200, 308]
    live = [f"/etc/letsencrypt/live/{name}/fullchain.pem" for name in (PLATFORM, SITE)]
    assert [bookworm.get(path) for path in live] == [trixie.get(path) for path in live]
    box = Box(session_world, bookworm, edges.folder)
    assert box.echo(LABORATORY, "/x")["gateway"], "until the edge is installed the next time"
    assert box.echo("platform.pharos.127.0.0.1.sslip.io")["gateway"]
    assert bookworm.get(SETTINGS) == f"# ours\nSITE_API_URL=https://{LABORATORY}:8443\n"
    assert bookworm.run("ls /opt/pharos-edge/extensions").stdout == ""

    # what the plugins said of the chain
    (dates,) = played.of("filter certificates", "Show until when each certificate is valid")
    assert len(dates["results"]) >= 2, "the certificate of the host and those above it"
    (names,) = played.of("test covers", "Say which host names need another certificate")
    assert [each.get("msg") for each in names["results"]] == [None, "kubeflow.example.org is not covered"]


@pytest.fixture
def controller(session_cluster: ControlPlane, player: Player) -> Iterator[Player]:
    """The controller of a cluster that has Istio's kinds, and the authority that the Applications bring."""
    plane = session_cluster
    install_kinds(plane)
    there = plane.kubectl("get", "namespace", "--output=name").stdout.split()
    for namespace in {"pharos", "istio-system"} - {name.removeprefix("namespace/") for name in there}:
        plane.kubectl("create", "namespace", namespace)
    cleared(plane)
    # another test may have made the namespaces of all backends, and the example makes those that are to come
    plane.kubectl("delete", "namespace", "gitlab", "--ignore-not-found")
    metadata = {"namespace": "pharos", "name": "site-api-trust"}
    bundle = {"ca.crt": Authority.create("site api").pem}
    plane.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": bundle})
    labels = {"storage-node": "True", "storage-control": "True"}
    nodes = {f"node-{number}": {"ansible_host": f"192.0.2.{number}", "node_labels": labels} for number in (1, 2, 3)}
    inventory(player, {"kube_control_plane": nodes, "kube_node": nodes, "etcd": nodes})
    yield player
    cleared(plane)


def cleared(plane: ControlPlane) -> None:
    """The cluster without a release of the routes and without a published trust, whichever test left them there."""
    gone = ["uninstall", "routes", f"--kubeconfig={plane.kubeconfig}", "--namespace=istio-system", "--ignore-not-found"]
    run([tool("helm"), *gone])
    for kind, namespace, name in (
        ("configmap", "pharos", "site-api-trust"),
        ("configmap", "istio-system", "pharos-site-api-trust"),
        ("secret", "istio-system", "pharos-site-api-trust"),
    ):
        plane.kubectl("delete", kind, name, f"--namespace={namespace}", "--ignore-not-found")


@pytest.mark.cluster
def test_the_examples_of_a_cluster(session_cluster: ControlPlane, controller: Player) -> None:
    folders = (str(tool("kubectl").parent), str(tool("helm").parent), os.environ["PATH"])
    environment = {"KUBECONFIG": str(session_cluster.kubeconfig), "PATH": os.pathsep.join(folders)}
    played = play(controller, documented(controller), CLUSTER, environment=environment)
    judge_families(played)

    # the file that the edge is rendered from, and what the other plugins say
    assert json.loads((controller.folder / "edge.json").read_text()) == json.loads(environment_of("example"))
    assert f"https://{PLATFORM}: " in json.dumps(played.of("lookup routes", "Show what the site serves")[0].result)
    assert played.results["filter topology"][-1]["msg"] == "node-1 of node-1, node-2, node-3"
    assert played.results["test host_name"][0]["msg"] == "edge1.example.org"

    # what Helm and the API server were told, and that nothing is to be done after that
    (releases,) = played.told("mesh_render", "releases")
    assert [each["name"] for each in releases] == ["istio-base", "istiod", "istio-cni", "istio-ingressgateway"]
    assert played.told("release_info", "action") == ["install", "unchanged"]
    assert [bool(objects) for objects in played.told("site_trust_render", "apply")] == [False, True, False, False]
    routes = session_cluster.kubectl("get", "virtualservices.networking.istio.io", "--namespace=istio-system", "--output=name")
    assert routes.stdout.strip()
    trusted = session_cluster.kubectl("get", "configmap", "pharos-site-api-trust", "--namespace=istio-system", "--output=name")
    assert trusted.stdout.strip()
    assert played.told("stages_info", "next") == ["storage-check"]
