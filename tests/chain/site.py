"""The site that the chain serves: its catalogue, its policy on a bed, and everything that is rendered from both."""

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

import pharos
from bed.pki import Authority, Leaf
from chain.chain import CALLER_LABELS, CALLERS, NODE_PORT, Served
from chain.pilot import GATEWAY_NAMESPACE
from chain.pods import Backend

Object = dict[str, Any]

CATALOGUE = Path(__file__).with_name("catalogue.yaml")
DOMAIN = "chain.test"

GATEWAY_NAME = "gateway.chain.test"
GATEWAY_CA = "/etc/pharos-edge/gateway-ca.pem"
_CERTIFICATE = "gateway-certificate"


def catalogue() -> Object:
    """The catalogue of `catalogue.yaml`."""
    read: Object = yaml.safe_load(CATALOGUE.read_text())
    return read


def origins(document: Object, port: int = 443) -> dict[str, str]:
    """An origin for each of its services."""
    suffix = "" if port == 443 else f":{port}"
    return {each["name"]: f"https://{each['name']}.{DOMAIN}{suffix}" for each in document["services"]}


def policy(
    document: Object,
    *,
    gateway: str,
    edges: Sequence[str],
    management: Sequence[str],
    fingerprints: Mapping[str, Sequence[str]],
    port: int = 443,
) -> Object:
    """The policy of a site that serves all of it; a development site if its port is another than 443."""
    return {
        "version": 1,
        "environment": "chain",
        "mode": "distributed" if port == 443 else "development",
        "foundation": {"kubernetes": "1.33.5", "cni": {"name": "calico", "version": "3.30.3"}},
        "identity": {"issuer": "https://aai.example.org"},
        "edge": {
            "origins": origins(document, port),
            "management_networks": list(management),
            "gateway": {"upstreams": [gateway]},
        },
        "gateway": {
            "node_port": NODE_PORT,
            "edges": [f"{address}/32" for address in edges],
            "callers": [{"namespace": CALLERS, "labels": CALLER_LABELS}],
            "fingerprints": {name: list(each) for name, each in fingerprints.items()},
        },
        "smtp": {"enabled": False},
    }


def over_tls(document: Object, policy: Object) -> tuple[Object, Object]:
    """Both documents with a gateway that edges speak HTTPS to, and verify by `GATEWAY_CA`."""
    document["mesh"]["https"] = {"service": 443, "pod": 8443}
    policy["edge"]["gateway"] |= {"protocol": "https", "sni": GATEWAY_NAME, "trust": GATEWAY_CA}
    policy["gateway"]["certificate"] = _CERTIFICATE
    return document, policy


def served(
    document: Object, policy: Object, nginx: Mapping[str, str], trust: Mapping[str, str], own: Leaf | None = None
) -> Served:
    """Everything that is rendered from both documents: for edges of these nginx versions, by release, and for the cluster.

    `trust` has the CA bundle of each Secret that the delivery publishes; `own` is the gateway's certificate, if it has one.
    """
    files = ("catalogue.yaml", text(document)), ("policy.yaml", text(policy))
    environment = ("edge.yaml", text(pharos.edge_environment(*files)))
    rendered = pharos.gateway_render(*files)
    return Served(
        edge_files={
            release: pharos.edge_render(files[0], environment, nginx=version, webroot="/var/www/acme")
            for release, version in nginx.items()
        },
        hosts=sorted(urlsplit(origin).hostname or "" for origin in policy["edge"]["origins"].values()),
        objects=[
            *(each["manifest"] for each in rendered["objects"]),
            *(_secret(name, {"ca.crt": bundle}) for name, bundle in trust.items()),
            *([_secret(_CERTIFICATE, {"tls.crt": own.fullchain_pem, "tls.key": own.key_pem})] if own else []),
        ],
        mesh=json.dumps(rendered["mesh_config"]),
    )


def _secret(name: str, texts: Mapping[str, str]) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": GATEWAY_NAMESPACE},
        "data": {key: base64.b64encode(text.encode()).decode() for key, text in texts.items()},
    }


def text(document: Object) -> str:
    """A document as it is read: JSON, which is YAML."""
    return json.dumps(document, indent=1)


def backends(document: Object, authority: Authority) -> list[Backend]:
    """A pod for each reviewed backend; one that is recognised by its fingerprint has a certificate without a name."""
    routes = [route for service in document["services"] for route in service["routes"]]
    spoken = {(each["backend"]["namespace"], each["backend"]["service"]): each for each in routes}
    return [_backend(document["mesh"], authority, spoken[key]) for key in sorted(spoken)]


def _backend(mesh: Object, authority: Authority, route: Object) -> Backend:
    backend = route["backend"]
    pods = mesh["backends"][backend["namespace"]][backend["service"]]
    sni, trust = backend.get("sni"), mesh["trust"].get(backend.get("trust"), {})
    names = [] if trust.get("recognised_by") == "fingerprint" else [sni]
    return Backend(
        backend["namespace"],
        backend["service"],
        backend["port"],
        kind=route["transport"],
        labels=pods["pods"],
        leaf=authority.issue(*names) if sni else None,
        target=next(each["pod"] for each in pods["ports"] if each["service"] == backend["port"]),
    )
