"""Envoy's bootstrap document for the bed's gateway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bed.services.gateway import Cluster, Route, VirtualHost

Document = dict[str, Any]

_TYPES = "type.googleapis.com/envoy.extensions"
_HTTP_OPTIONS = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
_LOGGED = {
    "authority": "%REQ(:AUTHORITY)%",
    "code": "%RESPONSE_CODE%",
    "direct": "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%",
    "flags": "%RESPONSE_FLAGS%",
    "forwarded_for": "%REQ(X-FORWARDED-FOR)%",
    "forwarded_proto": "%REQ(X-FORWARDED-PROTO)%",
    "method": "%REQ(:METHOD)%",
    "path": "%REQ(:PATH)%",
    "protocol": "%PROTOCOL%",
    "sni": "%REQUESTED_SERVER_NAME%",
}


@dataclass(frozen=True)
class Ports:
    """Where Envoy listens."""

    plain: int
    tls: int
    admin: int


@dataclass(frozen=True)
class Tls:
    """The names that the TLS listener answers to, and its files."""

    names: tuple[str, ...]
    chain: Path
    key: Path


def configuration(
    addresses: tuple[str, str],
    ports: Ports,
    tls: Tls,
    hosts: Sequence[VirtualHost],
    clusters: Mapping[str, Cluster],
    access_log: Path,
) -> Document:
    """The whole document: both listeners have the same routes; each tells the backend which one it was."""
    plain = {"filters": [_manager("plain", hosts, access_log)]}
    secured = {
        "filter_chain_match": {"server_names": list(tls.names)},
        "filters": [_manager("tls", hosts, access_log)],
        "transport_socket": _typed("transport_sockets.tls.v3.DownstreamTlsContext", "tls", _tls_context(tls)),
    }
    inspector = _typed("filters.listener.tls_inspector.v3.TlsInspector", "tls_inspector", {})
    return {
        "admin": {"address": _socket(addresses[0], ports.admin)},
        "static_resources": {
            "listeners": [
                _listener("plain", addresses, ports.plain, plain),
                {**_listener("tls", addresses, ports.tls, secured), "listener_filters": [inspector]},
            ],
            "clusters": [_cluster(name, cluster) for name, cluster in sorted(clusters.items())],
        },
    }


def _typed(kind: str, name: str, fields: Document) -> Document:
    return {"name": name, "typed_config": {"@type": f"{_TYPES}.{kind}", **fields}}


def _socket(address: str, port: int) -> Document:
    return {"socket_address": {"address": address, "port_value": port}}


def _listener(name: str, addresses: tuple[str, str], port: int, chain: Document) -> Document:
    first, second = (_socket(address, port) for address in addresses)
    return {"name": name, "address": first, "additional_addresses": [{"address": second}], "filter_chains": [chain]}


def _tls_context(tls: Tls) -> Document:
    pair = {"certificate_chain": {"filename": str(tls.chain)}, "private_key": {"filename": str(tls.key)}}
    return {"common_tls_context": {"alpn_protocols": ["h2", "http/1.1"], "tls_certificates": [pair]}}


def _manager(listener: str, hosts: Sequence[VirtualHost], access_log: Path) -> Document:
    log = {"path": str(access_log), "log_format": {"json_format": {**_LOGGED, "listener": listener}}}
    evidence = {"x-bed-listener": listener, "x-bed-sni": "%REQUESTED_SERVER_NAME%"}
    router = _typed("filters.http.router.v3.Router", "envoy.filters.http.router", {})
    fields = {
        "stat_prefix": listener,
        "use_remote_address": True,
        "xff_num_trusted_hops": 1,
        "upgrade_configs": [{"upgrade_type": "websocket"}],
        "access_log": [_typed("access_loggers.file.v3.FileAccessLog", "file", log)],
        "http_filters": [router],
        "route_config": {
            "virtual_hosts": [_virtual_host(f"host{place}", host) for place, host in enumerate(hosts)],
            "request_headers_to_add": [{"header": {"key": key, "value": text}} for key, text in evidence.items()],
        },
    }
    kind = "filters.network.http_connection_manager.v3.HttpConnectionManager"
    return _typed(kind, "envoy.filters.network.http_connection_manager", fields)


def _virtual_host(name: str, host: VirtualHost) -> Document:
    return {"name": name, "domains": list(host.domains), "routes": [_route(route) for route in host.routes]}


def _route(route: Route) -> Document:
    match: Document = {"prefix": route.prefix}
    if route.grpc:
        match["grpc"] = {}
    if route.websocket:
        match["headers"] = [{"name": "upgrade", "string_match": {"exact": "websocket", "ignore_case": True}}]
    return {"match": match, "route": {"cluster": route.cluster, "timeout": "0s"}}


def _cluster(name: str, cluster: Cluster) -> Document:
    endpoint = {"endpoint": {"address": _socket(cluster.address, cluster.port)}}
    document: Document = {
        "name": name,
        "type": "STATIC",
        "connect_timeout": "2s",
        "load_assignment": {"cluster_name": name, "endpoints": [{"lb_endpoints": [endpoint]}]},
    }
    if cluster.http2:
        options = {"@type": f"type.googleapis.com/{_HTTP_OPTIONS}"}
        explicit: Document = {"explicit_http_config": {"http2_protocol_options": {}}}
        document["typed_extension_protocol_options"] = {_HTTP_OPTIONS: {**options, **explicit}}
    return document
