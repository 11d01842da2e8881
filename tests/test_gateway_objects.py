"""The objects of the gateway are what a real API server with Istio's kinds takes, field by field."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import pharos
from bed.commands import Result
from cluster.control_plane import ControlPlane
from cluster.istio import install_kinds

_ROOT = Path(__file__).parents[1]
_BY_HAND = Path(__file__).parent / "chain" / "objects.yaml"

Object = dict[str, Any]


@pytest.fixture(scope="session")
def istio_cluster(session_cluster: ControlPlane) -> Iterator[ControlPlane]:
    install_kinds(session_cluster)
    for name in ("istio-system", "apps"):
        session_cluster.kubectl("create", "namespace", name)
    yield session_cluster
    for name in ("istio-system", "apps"):
        session_cluster.kubectl("delete", "namespace", name, "--wait=false")


def _ask(plane: ControlPlane, objects: list[Object]) -> Result:
    """What the API server says to the objects, each field held against the kind's schema; nothing is kept."""
    text = "\n---\n".join(map(json.dumps, objects))  # in a List, kubectl would judge the fields itself
    return plane.kubectl(
        "create", "--dry-run=server", "--validate=strict", "--output=name", "--filename=-", stdin=text, check=False
    )


def _by_hand() -> list[Object]:
    return [each for each in yaml.safe_load_all(_BY_HAND.read_text()) if each]


@pytest.mark.cluster
def test_objects_written_by_hand_are_taken(istio_cluster: ControlPlane) -> None:
    objects = _by_hand()
    said = _ask(istio_cluster, objects)
    assert said.ok, said.stderr
    assert len(said.stdout.split()) == len(objects)


@pytest.mark.cluster
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
def test_a_broken_field_is_refused(
    istio_cluster: ControlPlane, kind: str, path: list[str | int], value: object, told: str
) -> None:
    broken = copy.deepcopy(next(each for each in _by_hand() if each["kind"] == kind))
    where: Any = broken
    for step in path[:-1]:
        where = where[step]
    where[path[-1]] = value
    said = _ask(istio_cluster, [broken])
    assert not said.ok
    assert told in said.stderr


def _files(catalogue: str, policy: str) -> tuple[tuple[str, bytes], tuple[str, bytes]]:
    return (catalogue, (_ROOT / catalogue).read_bytes()), (policy, (_ROOT / policy).read_bytes())


_SITES = {
    "workshop": ("core/tests/gateway/workshop/services.yaml", "core/tests/gateway/workshop/policy.yaml"),
    **{name: ("catalogue/services.yaml", f"environments/{name}/policy.yaml") for name in ("devbox", "example", "icarus-cloud")},
}


@pytest.fixture(scope="module")
def namespaces(istio_cluster: ControlPlane) -> Iterator[set[str]]:
    """The namespaces that the API server has; those that tests add are gone after all of them."""
    known = set(istio_cluster.kubectl("get", "namespaces", "--output=name").stdout.replace("namespace/", "").split())
    before = set(known)
    yield known
    for name in known - before:
        istio_cluster.kubectl("delete", "namespace", name, "--wait=false")


@pytest.mark.cluster
@pytest.mark.parametrize("site", sorted(_SITES))
def test_what_is_rendered_is_taken(istio_cluster: ControlPlane, namespaces: set[str], site: str) -> None:
    rendered = pharos.gateway_render(*_files(*_SITES[site]))
    objects = [each["manifest"] for each in rendered["objects"]]
    for name in {each["metadata"]["namespace"] for each in objects} - namespaces:
        istio_cluster.kubectl("create", "namespace", name)
        namespaces.add(name)
    said = _ask(istio_cluster, objects)
    assert said.ok, said.stderr
    assert len(said.stdout.split()) == len(objects)
