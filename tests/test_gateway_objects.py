"""The objects of the gateway are what a real API server with Istio's kinds takes, field by field, and what Istio itself takes."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import pharos
from bed.commands import Result
from chain.pilot import Proxy, RefusedError, pilot
from cluster.control_plane import ControlPlane
from cluster.istio import install_kinds

pytestmark = pytest.mark.cluster

REPOSITORY = Path(__file__).resolve().parents[1]
POLICIES = {path.parent.name: path for path in sorted(REPOSITORY.glob("environments/*/policy.yaml"))}
SERVED = sorted(name for name, path in POLICIES.items() if "edge" in yaml.safe_load(path.read_text()))

Object = dict[str, Any]


@pytest.fixture(scope="module")
def plane(session_cluster: ControlPlane) -> ControlPlane:
    """A cluster with Istio's kinds and the namespaces of every environment's objects.

    The namespaces stay: other tests of this cluster want them as well, and one that is being deleted takes no object.
    """
    install_kinds(session_cluster)
    names = {each["metadata"]["namespace"] for environment in SERVED for each in rendered(environment)}
    session_cluster.apply(*({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in sorted(names)))
    return session_cluster


def rendered(environment: str) -> list[Object]:
    """Every object of an environment's gateway, in the order in which they are applied."""
    catalogue = REPOSITORY / "catalogue" / "services.yaml"
    files = [(path.name, path.read_text()) for path in (catalogue, POLICIES[environment])]
    return [each["manifest"] for each in pharos.gateway_render(*files)["objects"]]


def judged(plane: ControlPlane, objects: list[Object]) -> Result:
    """What the API server says to the objects, each field held against the kind's schema; nothing is kept."""
    text = "\n---\n".join(map(json.dumps, objects))  # in a List, kubectl would judge the fields itself
    strictly = ["--dry-run=server", "--validate=strict", "--output=name"]
    return plane.kubectl("create", *strictly, "--filename=-", stdin=text, check=False)


def test_what_is_rendered_is_not_empty() -> None:
    assert len(SERVED) > 1
    kinds = {each["kind"] for environment in SERVED for each in rendered(environment)}
    assert kinds >= {
        "AuthorizationPolicy",
        "DestinationRule",
        "EnvoyFilter",
        "Gateway",
        "NetworkPolicy",
        "Service",
        "VirtualService",
    }


@pytest.mark.parametrize("environment", SERVED)
def test_every_object_is_taken(plane: ControlPlane, environment: str) -> None:
    objects = rendered(environment)
    said = judged(plane, objects)
    assert said.ok, said.stderr
    assert len(said.stdout.split()) == len(objects)


def test_what_istio_says_of_every_object() -> None:
    """Its admission webhook refuses what no schema can; of an EnvoyFilter it always warns."""
    gateway = Proxy("192.0.2.1", {"istio": "ingressgateway"})
    with pilot() as asked:
        for environment in SERVED:
            objects = [each for each in rendered(environment) if ".istio.io/" in each["apiVersion"]]
            warnings = asked.ask(gateway, [], objects).warnings
            assert [each for each in warnings if not each.startswith("EnvoyFilter ")] == []
        objects[-1]["spec"].pop("http", None)
        with pytest.raises(RefusedError, match="http"):
            asked.ask(gateway, [], objects[-1:])


@pytest.mark.parametrize(
    ("kind", "path", "value", "told"),
    [
        ("VirtualService", ["spec", "http", 0, "rout"], [], 'unknown field "spec.http[0].rout"'),
        ("VirtualService", ["spec", "http", 0, "timeout"], "0s", "must be a valid duration greater than 1ms"),
        ("Gateway", ["spec", "servers", 0, "port", "number"], "80", "spec.servers[0].port.number"),
        ("AuthorizationPolicy", ["spec", "action"], "PERMIT", 'Unsupported value: "PERMIT"'),
        ("DestinationRule", ["spec", "trafficPolicy", "portLevelSettings", 0, "tls", "mode"], "VERIFY", "Unsupported value"),
        ("EnvoyFilter", ["spec", "configPatches", 0, "applyTo"], "UPSTREAM", "Unsupported value"),
        ("NetworkPolicy", ["spec", "ingress", 0, "from", 0, "ipBlok"], {}, 'unknown field "spec.ingress[0].from[0].ipBlok"'),
    ],
)
def test_a_broken_field_is_refused(plane: ControlPlane, kind: str, path: list[str | int], value: object, told: str) -> None:
    of_kind = [each for each in rendered("example") if each["kind"] == kind]
    broken = copy.deepcopy(next(each for each in of_kind if has(each, path[:-1])))
    where: Any = broken
    for step in path[:-1]:
        where = where[step]
    where[path[-1]] = value
    said = judged(plane, [broken])
    assert not said.ok
    assert told in said.stderr


def has(value: Any, path: list[str | int]) -> bool:
    """Whether there is something at a path."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError):
            return False
    return True
