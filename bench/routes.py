"""10,000 routes resolved, checked and rendered: the core beside Python's jsonschema with Jinja2, in one run.

    python bench/routes.py [--json] [--routes N]

The peer does the same work on the same decoded documents: the committed JSON Schema, the rules across routes (paths,
joined names, reviewed backends, origins), and a template that prints the locations and upstreams. Reading YAML is
measured beside it.
"""

import argparse
import json
import re
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

import jinja2
import jsonschema
import yaml

ROOT = Path(__file__).parents[1]
SERVICES = 100
TARGET_MILLISECONDS = 60
TARGET_RATIO = 50
UNITS = {"ns": 1e-6, "µs": 1e-3, "ms": 1.0, "s": 1e3}

TEMPLATE = """\
{% for route in routes %}
upstream pharos_{{ route.id }} {
    zone pharos_{{ route.id }} 64k;
{% for address in gateway %}
    server {{ address }} max_fails=3 fail_timeout=10s;
{% endfor %}
    keepalive 16;
}
{% endfor %}
{% for host in hosts %}
server {
    listen 443 ssl http2;
    listen [::]:443 ssl http2;
    server_name {{ host.name }};
    ssl_certificate /etc/letsencrypt/live/{{ host.name }}/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/{{ host.name }}/privkey.pem;
{% for route in host.routes %}
    location {% if route.exact %}= {% endif %}{{ route.path }} {
{% if route.access == "management" %}
        allow 127.0.0.0/8;
        allow ::1;
        deny all;
{% endif %}
        client_max_body_size {{ route.body }};
        proxy_request_buffering {{ "off" if route.stream in ("request", "both") else "on" }};
        proxy_buffering {{ "off" if route.stream in ("response", "both") else "on" }};
        proxy_read_timeout {{ route.timeout }}s;
        {% if route.transport == "grpc" %}grpc_pass grpc{% else %}proxy_pass http{% endif %}://pharos_{{ route.id }};
    }
{% endfor %}
}
{% endfor %}
"""


def documents(routes: int) -> tuple[str, dict[str, str]]:
    """A catalogue of this many routes, as text, and the origin of each of its services."""
    per_service = routes // SERVICES
    lines = ["version: 1", "gateways: [public]", "trust: [internal-ca]", "backends:"]
    lines += [
        f"  ns-{number}: {{http-backend: [8080], grpc-backend: [8080], https-backend: [8080]}}" for number in range(SERVICES)
    ]
    lines.append("services:")
    for service in range(SERVICES):
        lines.append(f"  - name: service-{service}\n    gateway: public\n    routes:")
        for route in range(per_service):
            kind = ("http", "http", "https", "grpc")[route % 4]
            tls = f", sni: https-backend.ns-{service}.svc, trust: internal-ca" if kind == "https" else ""
            lines.append(
                f"      - name: route-{route}\n"
                f"        match: {{{'exact' if route % 10 == 0 else 'prefix'}: /v1/part-{route}/}}\n"
                f"        access: public\n"
                f"        transport: {'grpc' if kind == 'grpc' else 'http'}\n"
                f"        backend: {{service: {kind}-backend, namespace: ns-{service}, port: 8080, protocol: {kind}{tls}}}"
            )
    origins = {f"service-{number}": f"https://service-{number}.example.org" for number in range(SERVICES)}
    return "\n".join(lines) + "\n", origins


def resolve(catalogue: dict[str, Any], origins: dict[str, str]) -> list[dict[str, Any]]:
    """The hosts with their routes, after the rules that a schema cannot say."""
    ids: set[str] = set()
    hosts: dict[str, dict[str, Any]] = {}
    for service in catalogue["services"]:
        name = origins[service["name"]].removeprefix("https://")
        if name in hosts:
            raise ValueError(f"two services at {name}")
        paths: set[tuple[str, str]] = set()
        routes = []
        for route in service["routes"]:
            identity = f"{service['name']}-{route['name']}"
            ((kind, path),) = route["match"].items()
            backend = route["backend"]
            reviewed = catalogue["backends"].get(backend["namespace"], {}).get(backend["service"], [])
            if identity in ids or len(identity) > 63 or (kind, path) in paths or backend["port"] not in reviewed:
                raise ValueError(identity)
            ids.add(identity)
            paths.add((kind, path))
            routes.append(
                {
                    "id": identity,
                    "exact": kind == "exact",
                    "path": path,
                    "access": route["access"],
                    "transport": route["transport"],
                    "body": route.get("body", "1m"),
                    "stream": route.get("stream", "none"),
                    "timeout": route.get("timeout", 60),
                }
            )
        routes.sort(key=lambda route: (not route["exact"], -len(route["path"]), route["path"]))
        hosts[name] = {"name": name, "routes": routes}
    return [hosts[name] for name in sorted(hosts)]


def peer(routes: int, runs: int) -> dict[str, float]:
    """Milliseconds of the peer: reading, and the work itself."""
    text, origins = documents(routes)
    began = time.perf_counter()
    catalogue = yaml.load(text, Loader=yaml.CSafeLoader)
    read = time.perf_counter() - began
    schema = json.loads((ROOT / "catalogue/schema/catalogue.json").read_text())
    validator = jsonschema.Draft7Validator(schema)
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, autoescape=False)  # noqa: S701 - no HTML
    template = environment.from_string(TEMPLATE)
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        validator.validate(catalogue)
        hosts = resolve(catalogue, origins)
        every = [route for host in hosts for route in host["routes"]]
        template.render(hosts=hosts, routes=every, gateway=["192.0.2.11:30080", "192.0.2.12:30080"])
        seconds.append(time.perf_counter() - began)
    return {"read": read * 1e3, "work": statistics.median(seconds) * 1e3}


def core(routes: int) -> dict[str, float]:
    """Milliseconds of the core, as its own benchmark measures them (medians)."""
    command = ["cargo", "bench", "--quiet", "--locked", "--package", "pharos-core", "--bench", "routes"]
    printed = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=True).stdout
    return medians(printed, routes)


def medians(printed: str, routes: int) -> dict[str, float]:
    """The medians at this number of routes, by the name of the benchmark."""
    found: dict[str, float] = {}
    name = ""
    for line in printed.splitlines():
        words = line.strip("│├╰─ ").split()
        if not words:
            continue
        if words[0].isdigit():
            if int(words[0]) == routes:
                columns = re.findall(r"([\d.]+) (ns|µs|ms|s)\b", line)
                value, unit = columns[2]
                found[name] = float(value) * UNITS[unit]
        else:
            name = words[0]
    return found


def main() -> None:
    """Measure both and print them."""
    parser = argparse.ArgumentParser(description="routes: the core beside jsonschema and Jinja2")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--routes", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    ours = core(options.routes)
    theirs = peer(options.routes, options.runs)
    work = ours["resolve_check_render"]
    result = {
        "routes": options.routes,
        "core_ms": round(work, 2),
        "core_read_ms": round(ours["read"], 2),
        "peer_ms": round(theirs["work"], 1),
        "peer_read_ms": round(theirs["read"], 1),
        "ratio": round(theirs["work"] / work, 1),
        "target": {"core_ms": TARGET_MILLISECONDS, "ratio": TARGET_RATIO},
    }
    if options.json:
        print(json.dumps(result))
    else:
        print(
            f"{options.routes} routes resolved, checked, rendered: core {work:.1f} ms, peer {theirs['work']:.0f} ms,",
            end=" ",
        )
        print(f"{result['ratio']} times (target: {TARGET_MILLISECONDS} ms, {TARGET_RATIO} times)")
        print(f"reading the catalogue: core {ours['read']:.1f} ms, PyYAML's C loader {theirs['read']:.0f} ms")


if __name__ == "__main__":
    main()
