"""The rows that are asked of `pharos route explain` and of the real chain: every odd way to write a request that may be one of a
route, and everybody who may send it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from chain.question import Question

_OTHER_SPELLINGS = (
    "{path}",
    "{path}x",
    "{path}/x",
    "{path}/",
    "{path}?q=/admin",
    "{path};v=1",
    "{path}%3bv=1",
    "{path}/../",
    "{path}/..;/admin",
    "{path}/%2e%2e/admin",
    "{path}/../admin",
    "{path}/./x",
    "{path}//x",
    "/{path}",
    "//x{path}",
    "/x/..{path}",
    "{path}%2fx",
    "{path}%2Fx",
    "{path}%252fx",
    "{path}\\x",
    "{path}%5cx",
    "{path}%5Cx",
    "{path}%20x",
    "{path}#x",
    "{upper}",
    "{encoded}",
)
"""`{path}` is the route's own without its last slash, `{encoded}` has its first letter percent-encoded."""


@dataclass(frozen=True)
class People:
    """The addresses of those who ask."""

    manager: str
    """One of the management networks."""
    callers: str
    """The namespace of the pods that may ask the gateway without an edge."""
    caller_labels: tuple[tuple[str, str], ...]
    """The labels that they have."""

    def called(self, question: Question) -> Question:
        """The question as such a pod asks it."""
        return replace(question, by="pod", namespace=self.callers, labels=self.caller_labels)


def rows(paths: Mapping[str, Sequence[str]], people: People) -> list[Question]:
    """Every row over HTTP/1.1, none twice; `paths` has the paths of the routes of each host, with its port if that is not 443."""
    found = [
        *_spellings(paths, people),
        *_names(paths, people),
        *_forgeries(paths, people),
        *_absolute(paths),
    ]
    return list(dict.fromkeys(found))


def others(paths: Mapping[str, Sequence[str]], people: People) -> list[Question]:
    """The rows of everything else that is spoken: requests over HTTP/2, and those that ask for a WebSocket."""
    return list(dict.fromkeys([*_over_http2(paths, people), *_websockets(paths, people)]))


def calls(paths: Mapping[str, Sequence[str]], people: People) -> list[Question]:
    """The rows of gRPC calls; a path is a method's."""
    found = [replace(each, over="grpc", method="POST") for each in _over_http2(paths, people)]
    for question in _everybody(paths, people):
        found += [replace(question, over="grpc", method="POST")]
    return list(dict.fromkeys(found))


def _over_http2(paths: Mapping[str, Sequence[str]], people: People) -> Iterator[Question]:
    hosts = list(paths)
    for host, own in paths.items():
        other = hosts[(hosts.index(host) + 1) % len(hosts)]
        for path in own:
            for written in spellings(path):
                question = Question(f"https://{host}/", target=written, over="http2")
                yield question
                yield replace(question, by="edge", forwarded_for=people.manager)
            question = Question(f"https://{host}{path}", over="http2")
            yield replace(question, source=people.manager)
            yield from (replace(question, host=written) for written in _written(host, other) if written)
            yield from (replace(question, sni=sni) for sni in ("", _name(other), "unknown.test"))
            yield from (replace(question, forwarded_for=claim, by="node") for claim in ("127.0.0.1", people.manager))


def _websockets(paths: Mapping[str, Sequence[str]], people: People) -> Iterator[Question]:
    for question in _everybody(paths, people):
        yield replace(question, websocket=True)
        yield replace(question, websocket=True, target=f"{question.wire_target}/..;/x")


def _everybody(paths: Mapping[str, Sequence[str]], people: People) -> Iterator[Question]:
    for host, own in paths.items():
        for path in own:
            for written in (path, f"{path.rstrip('/')}/x"):
                question = Question(f"https://{host}/", target=written)
                yield question
                yield replace(question, source=people.manager)
                yield replace(question, by="edge")
                yield replace(question, by="edge", forwarded_for=people.manager)
                yield replace(question, by="node")
                yield replace(question, by="pod", namespace="strangers")
                yield people.called(question)


def spellings(path: str) -> Iterator[str]:
    """Every way to write a request for a route's path, or for one beside it."""
    stem = path.rstrip("/")
    letter = next((place for place, each in enumerate(stem) if each.isalpha()), None)
    encoded = path if letter is None else f"{stem[:letter]}%{ord(stem[letter]):02x}{stem[letter + 1 :]}"
    for spelling in _OTHER_SPELLINGS:
        written = spelling.format(path=stem, upper=path.upper(), encoded=encoded)
        yield written if written.startswith("/") else f"/{written}"
    yield path


def _spellings(paths: Mapping[str, Sequence[str]], people: People) -> Iterator[Question]:
    for host, own in paths.items():
        for path in own:
            for written in spellings(path):
                question = Question(f"https://{host}/", target=written)
                yield question
                yield replace(question, source=people.manager)
                yield replace(question, source="127.0.0.1")
                yield replace(question, by="edge")
                yield replace(question, by="edge", forwarded_for=people.manager)
                yield people.called(question)


def _names(paths: Mapping[str, Sequence[str]], people: People) -> Iterator[Question]:
    hosts = list(paths)
    for host, own in paths.items():
        other = hosts[(hosts.index(host) + 1) % len(hosts)]
        for path in own:
            question = Question(f"https://{host}{path}")
            for sni in ("", _name(other), _name(host).upper(), "unknown.test"):
                yield replace(question, sni=sni)
                yield replace(question, sni=sni, source=people.manager)
            for written in _written(host, other):
                yield replace(question, host=written)
                yield replace(question, host=written, source=people.manager)
                yield replace(question, host=written, by="edge")
                yield replace(question, host=written, by="edge", forwarded_for=people.manager)
                yield people.called(replace(question, host=written))


def _name(host: str) -> str:
    """Without the port of its origin."""
    return host.partition(":")[0]


def _written(host: str, other: str) -> list[str]:
    """Other ways to write a `Host` header, and other hosts."""
    name = _name(host)
    return [
        name,
        host.upper(),
        f"{name}.",
        f"{name}:443",
        f"{name}:8443",
        f"{name}:8080",
        f"{name}.:443",
        f"x.{host}",
        f"{name}x",
        other,
        "unknown.test",
        "127.0.0.1",
        "*",
        "",
    ]


def _forgeries(paths: Mapping[str, Sequence[str]], people: People) -> Iterator[Question]:
    claims = ("127.0.0.1", people.manager, f"192.0.2.1, {people.manager}", f"{people.manager}, 192.0.2.1", "::1", "nonsense")
    for host, own in paths.items():
        for path in own:
            question = Question(f"https://{host}{path}")
            for claim in claims:
                yield replace(question, forwarded_for=claim)
                yield replace(question, forwarded_for=claim, by="edge")
                yield replace(question, forwarded_for=claim, by="node")
                yield replace(question, forwarded_for=claim, by="pod", namespace="strangers")
                yield people.called(replace(question, forwarded_for=claim))


def _absolute(paths: Mapping[str, Sequence[str]]) -> Iterator[Question]:
    hosts = list(paths)
    for host, own in paths.items():
        other = hosts[(hosts.index(host) + 1) % len(hosts)]
        for path in own:
            question = Question(f"https://{host}{path}")
            for target in (
                f"https://{host}{path}",
                f"http://{host}{path}",
                f"https://{other}{path}",
                f"https://{_name(host)}.{path}",
            ):
                yield replace(question, target=target)
                yield replace(question, target=target, host=other)
                yield replace(question, target=target, by="edge")
