"""From what pilot sends an Envoy by xDS to one static document for an Envoy that is not Istio's.

Only what the Envoy of this bed lacks, or has no server to ask for, is changed: filters of Istio's own are left out by name,
secrets and endpoints are put where pilot tells Envoy to ask for them, listeners take the pod's address. Routes,
authorization, normalisation and trust stay as pilot made them.
"""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from chain.pilot import Configuration

Object = dict[str, Any]

ADMIN_PORT = 15000

LEFT_OUT = frozenset(
    {
        "istio.alpn",
        "istio.metadata_exchange",
        "istio.stats",
        "envoy.filters.http.grpc_stats",
    }
)
"""Filters that tell the mesh's telemetry about a request; none decides about one."""


def static(configuration: Configuration, *, address: str, access_log: str) -> Object:
    """The whole document, for an Envoy on that address."""
    secrets = {each["name"]: each for each in configuration.secrets}
    resources = {
        "listeners": [_listener(each, configuration, address, access_log) for each in configuration.listeners],
        "clusters": [_cluster(each, configuration) for each in configuration.clusters],
    }
    for context in _tls_contexts(resources):
        _give_secrets(context, secrets)
    return {
        "admin": {"address": _socket("127.0.0.1", ADMIN_PORT)},
        "node": {"id": "gateway", "cluster": "gateway"},
        "static_resources": resources,
    }


def filters(listener: Object) -> Iterator[str]:
    """The names of its filters, those of HTTP included."""
    for chain in listener.get("filterChains", []):
        for each in chain["filters"]:
            yield each["name"]
            yield from (inner["name"] for inner in each["typedConfig"].get("httpFilters", []))


def _socket(address: str, port: int) -> Object:
    return {"socket_address": {"address": address, "port_value": port}}


def _listener(listener: Object, configuration: Configuration, address: str, access_log: str) -> Object:
    changed = copy.deepcopy(listener)
    changed["address"]["socketAddress"]["address"] = address
    changed.pop("additionalAddresses", None)
    routes = {each["name"]: each for each in configuration.routes}
    for chain in changed.get("filterChains", []):
        chain["filters"] = [each for each in chain["filters"] if each["name"] not in LEFT_OUT]
        for manager in (each["typedConfig"] for each in chain["filters"]):
            if "rds" in manager:
                manager["routeConfig"] = copy.deepcopy(routes[manager.pop("rds")["routeConfigName"]])
            manager["httpFilters"] = [each for each in manager.get("httpFilters", []) if each["name"] not in LEFT_OUT]
            for log in manager.get("accessLog", []):
                if "path" in log["typedConfig"]:
                    log["typedConfig"]["path"] = access_log
    return changed


def _cluster(cluster: Object, configuration: Configuration) -> Object:
    changed = copy.deepcopy(cluster)
    changed.pop("filters", None)  # Istio's own metadata exchange: see `LEFT_OUT`
    # For pods with a sidecar, which the gateway's own certificate of the mesh opens; this bed has none.
    matches = [each for each in changed.pop("transportSocketMatches", []) if each["name"] != "tlsMode-istio"]
    if matches:
        changed["transportSocketMatches"] = matches
    asked = changed.pop("edsClusterConfig", None)
    if asked is not None:
        name = asked.get("serviceName", changed["name"])
        changed["type"] = "STATIC"
        changed["loadAssignment"] = next(
            (copy.deepcopy(each) for each in configuration.endpoints if each["clusterName"] == name), {"clusterName": name}
        )
    return changed


def _tls_contexts(value: Any) -> Iterator[Object]:
    if isinstance(value, dict):
        if "commonTlsContext" in value:
            yield value["commonTlsContext"]
        for each in value.values():
            yield from _tls_contexts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _tls_contexts(each)


def _give_secrets(context: Object, secrets: Mapping[str, Object]) -> None:
    """Put the secrets themselves where they are asked for by name."""
    combined = context.pop("combinedValidationContext", None)
    if combined is not None:
        fetched = secrets[combined["validationContextSdsSecretConfig"]["name"]]["validationContext"]
        context["validationContext"] = {**fetched, **combined["defaultValidationContext"]}
    asked = context.pop("tlsCertificateSdsSecretConfigs", None)
    if asked is not None:
        context["tlsCertificates"] = [secrets[each["name"]]["tlsCertificate"] for each in asked]
