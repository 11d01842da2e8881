"""Random catalogues over the chain's own backends: hosts and paths that begin alike, nest, and differ in one letter."""

import random
from typing import Any

Object = dict[str, Any]

_SEGMENTS = ("a", "A", "ab", "a.b", "a~b", "a,b", "b", "a:b", "..a", "a@b", "-")
_NAMES = ("a", "aa", "a-a", "b", "ab")
_DEEPEST = 3


def catalogue(chance: random.Random, whole: Object) -> Object:
    """A catalogue that is judged sound: other services and routes, to the reviewed backends of `whole`."""
    names = chance.sample(_NAMES, chance.randint(1, 3))
    services = [_service(chance, name, _backends(whole)) for name in names]
    return {**whole, "services": services}


def _backends(whole: Object) -> list[Object]:
    backends = [route["backend"] for service in whole["services"] for route in service["routes"]]
    return list({str(each): each for each in backends}.values())


def _service(chance: random.Random, name: str, backends: list[Object]) -> Object:
    routes: dict[str, Object] = {}
    for number in range(chance.randint(1, 5)):
        match = {chance.choice(("prefix", "prefix", "exact")): _path(chance)}
        backend = chance.choice(backends)
        route = {
            "name": f"r{number}",
            "match": match,
            "access": chance.choice(("public", "management")),
            "transport": "grpc" if backend.get("protocol") == "grpc" else "http",
            "backend": backend,
            "encoded_slashes": chance.random() < 0.2,
        }
        if route["transport"] == "http" and chance.random() < 0.2:
            route |= {"websocket": True, "timeout": 600}
        routes.setdefault(str(match), route)
    return {"name": name, "gateway": "platform", "routes": list(routes.values())}


def _path(chance: random.Random) -> str:
    segments = [chance.choice(_SEGMENTS) for _ in range(chance.randint(0, _DEEPEST))]
    path = "/" + "/".join(segments)
    return f"{path}/" if segments and chance.random() < 0.4 else path
