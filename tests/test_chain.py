"""What `pharos route explain` says becomes of a request is what becomes of it: nginx, then Envoy as Istio's pilot configures it
from the rendered objects, then the application. Nothing of either side is asked about the other."""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.hashes import SHA256

import pharos
from bed.hosts import Bed, HostSpec
from bed.network import CONTROL
from bed.pki import Authority, Leaf
from bed.waiting import until
from chain import envoy, matrix, random_site, site
from chain.chain import CALLER_LABELS, CALLERS, MANAGER, NODE_PORT, Chain
from chain.matrix import People
from chain.pilot import pilot
from chain.pods import Backend
from chain.question import Outcome, Question

pytestmark = [pytest.mark.hosts, pytest.mark.cluster]

NGINX = {"bookworm": "1.22.1", "trixie": "1.26.3"}
RANDOM_SITES = 12
QUESTIONS_OF_A_SITE = 120
ALLOWED = Question("https://app.chain.test/")
NAMED, NAMELESS = "native/site-api:443", "storage/store:443"
SNI = "site-api.native.svc"

Object = dict[str, Any]


class Stand:
    """The chain, and the documents that it serves now."""

    def __init__(self, chain: Chain, authority: Authority) -> None:
        """Serve nothing yet; the authority is that of the applications' certificates."""
        self.chain = chain
        self.authority = authority
        self.catalogue: Object = {}
        self.people = People(chain.bed.net.v4(MANAGER), CALLERS, tuple(CALLER_LABELS.items()))

    def policy_of(self, catalogue: Object, port: int = 443, *, managed: bool = True) -> Object:
        """The policy of a site with this catalogue here; one that is not `managed` states no management network."""
        (nameless,) = (each for each in self.chain.backends if each.name == NAMELESS)
        assert nameless.leaf
        return site.policy(
            catalogue,
            gateway=f"{self.chain.gateway_address}:{NODE_PORT}",
            edges=[host.v4 for host in self.chain.edges.values()],
            management=[f"{self.people.manager}/32"] if managed else [],
            fingerprints={"store-trust": [nameless.leaf.certificate.fingerprint(SHA256()).hex()]},
            port=port,
        )

    def serve(self, catalogue: Object, policy: Object, *releases: str, own: Leaf | None = None) -> None:
        """Serve documents, from these edges; with a certificate of the gateway's own if they state one."""
        self.catalogue = catalogue
        self.served = site.served(catalogue, policy, NGINX, self.trust(self.authority), own)
        self.chain.serve(self.served, releases or tuple(NGINX))
        files = ("catalogue.yaml", site.text(catalogue)), ("policy.yaml", site.text(policy))
        self.explainer = pharos.RouteExplainer(*files)

    def serve_over_tls(self, authority: Authority, release: str) -> Callable[[Leaf], None]:
        """Serve the site by a gateway that this edge verifies by that authority; the answer gives it another certificate."""
        documents = site.over_tls(site.catalogue(), self.policy_of(site.catalogue()))
        self.chain.edges[release].put(authority.pem, site.GATEWAY_CA)

        def present(leaf: Leaf) -> None:
            self.chain.give_gateway(site.served(*documents, NGINX, self.trust(self.authority), leaf))

        self.serve(*documents, release, own=authority.issue(site.GATEWAY_NAME))
        return present

    def trust(self, authority: Authority) -> dict[str, str]:
        """That authority's bundle under every name that is published."""
        return {each["published"]: authority.pem for each in site.catalogue()["mesh"]["trust"].values()}

    def expected(self, question: Question) -> tuple[str | None, bool | None]:
        """The backend that the explanation ends at, `None` if it ends before; and whether a WebSocket comes of it."""
        said = self.explainer.explain(question.document())
        return (backend_of(self.catalogue, said["route"]) if said["verdict"] == "allow" else None), said["upgraded"]

    def differences(self, questions: Iterable[Question], release: str) -> str:
        """The rows on which explanation and chain disagree, with both sides, a line each."""
        found = []
        for question in questions:
            expected, real = self.expected(question), self.chain.ask(question, release)
            if expected != (real.backend, real.upgraded):
                found.append(f"{question}: explained {expected}, real {real}")
        return "\n".join(found)


def backend_of(catalogue: Object, joined: str) -> str:
    """NAMESPACE/SERVICE:PORT of the backend of a route, which its joined name means."""
    for service in catalogue["services"]:
        for route in service["routes"]:
            if f"{service['name']}-{route['name']}" == joined:
                backend = route["backend"]
                return f"{backend['namespace']}/{backend['service']}:{backend['port']}"
    raise LookupError(joined)


def impostors(backends: list[Backend], authority: Authority) -> dict[str, Backend]:
    """Pods that answer in the place of a backend that is verified, each with one thing wrong."""
    by_name = {each.name: each for each in backends}
    named, nameless = by_name[NAMED], by_name[NAMELESS]
    another = Authority.create("another authority")
    return {
        "another authority": replace(named, leaf=another.issue(SNI)),
        "another name": replace(named, leaf=authority.issue("other.native.svc")),
        "no name": replace(named, leaf=authority.issue()),
        "another leaf": replace(nameless, leaf=authority.issue()),
    }


@pytest.fixture(scope="module")
def bench(bed_name: tuple[str, int]) -> Iterator[Stand]:
    """Edges of both releases in front of one gateway, which serve whatever the last test let them."""
    authority = Authority.create("applications")
    backends = site.backends(site.catalogue(), authority)
    with Bed(f"{bed_name[0]}c", net=220) as bed, pilot() as asked:
        old, new = bed.boot(HostSpec("old", "bookworm"), HostSpec("new", "trixie"))
        chain = Chain(bed, {"bookworm": old, "trixie": new}, asked, backends, impostors(backends, authority))
        yield Stand(chain, authority)


@pytest.fixture
def stand(bench: Stand) -> Stand:
    """They serve the site of `catalogue.yaml`."""
    document = site.catalogue()
    if bench.catalogue != document:
        bench.serve(document, bench.policy_of(document))
    return bench


@pytest.fixture
def misled(stand: Stand) -> Iterator[Stand]:
    """The same, for a test that leads a Service to another pod or gives the gateway other trust."""
    yield stand
    stand.chain.behind = {each.name: each for each in stand.chain.backends}
    stand.chain.give_gateway(stand.served)


def asked_for(outcome: Outcome) -> dict[str, list[str]]:
    """The headers that the backend saw, by name in lower case."""
    seen: dict[str, list[str]] = {}
    for name, value in outcome.evidence["headers"]:
        seen.setdefault(name.lower(), []).append(value)
    return seen


# What the chain is made of


def test_only_what_tells_and_never_what_decides_is_left_out(stand: Stand) -> None:
    assert stand.chain.configuration
    filters = {name for each in stand.chain.configuration.listeners for name in envoy.filters(each)}
    assert filters - envoy.LEFT_OUT == {
        "envoy.filters.network.http_connection_manager",
        "envoy.filters.http.rbac",
        "envoy.filters.http.fault",
        "envoy.filters.http.cors",
        "envoy.filters.http.router",
    }


@pytest.mark.parametrize("release", NGINX)
def test_every_transport_reaches_its_backend(stand: Stand, release: str) -> None:
    chain, edge = stand.chain, stand.chain.edges[release]
    plain = chain.ask(Question("https://app.chain.test/api/v1?x=1", forwarded_for="192.0.2.9"), release)
    headers = asked_for(plain)
    assert (plain.backend, plain.path, headers["host"]) == ("apps/api:8080", "/api/v1?x=1", ["app.chain.test"])
    assert headers["x-forwarded-for"] == [f"{chain.bed.net.v4(CONTROL)},{edge.v4}"]
    assert headers["x-forwarded-proto"] == ["https"]
    assert plain.evidence["peer"] == chain.gateway_address
    socket = chain.websocket(Question("https://app.chain.test/live/talk"), "hello", release)
    assert (socket["backend"], socket["path"], socket["message"]) == ("apps/chat:8080", "/live/talk", "hello")
    call = chain.grpc(Question("https://calls.chain.test/"), "/bed.Echo/Unary", release)
    assert (call["backend"], call["path"]) == ("apps/calls:9000", "/bed.Echo/Unary")
    for url, sni in (("https://native.chain.test/v1/commands/x", SNI), ("https://store.chain.test/", "store.storage.svc")):
        verified = chain.ask(Question(url), release)
        assert verified.allowed, verified
        assert (verified.evidence["sni"], verified.evidence["client"]) == (sni, False)


@pytest.mark.parametrize("fault", ["another authority", "another name", "no name", "another leaf"])
def test_a_backend_that_is_not_who_it_should_be_is_not_spoken_to(misled: Stand, fault: str) -> None:
    impostor = misled.chain.impostors[fault]
    question = Question("https://native.chain.test/v1/commands/x" if impostor.name == NAMED else "https://store.chain.test/")
    assert misled.chain.ask(question).backend == impostor.name
    misled.chain.behind[impostor.name] = impostor
    misled.chain.give_gateway(misled.served)
    refused = misled.chain.ask(question)
    assert (refused.backend, refused.detail[:3]) == (None, "503"), refused
    assert misled.chain.ask(ALLOWED).allowed


def test_a_fingerprint_does_not_stand_for_the_authority(misled: Stand) -> None:
    document, policy = site.catalogue(), misled.policy_of(site.catalogue())
    question = Question("https://store.chain.test/")
    assert misled.chain.ask(question).allowed
    misled.chain.give_gateway(site.served(document, policy, NGINX, misled.trust(Authority.create("another authority"))))
    assert misled.chain.ask(question).detail.startswith("503")


@pytest.mark.parametrize("release", NGINX)
def test_an_edge_speaks_https_to_no_gateway_but_its_own(bench: Stand, release: str) -> None:
    """Right name and authority, then one of the two wrong; and what is asked of the gateway is answered as over HTTP."""
    authority, another = Authority.create("gateways"), Authority.create("another authority")
    present = bench.serve_over_tls(authority, release)
    page, talk, call = (
        Question("https://app.chain.test/api/v1"),
        Question("https://app.chain.test/live/talk", websocket=True),
        Question("https://calls.chain.test/bed.Echo/Unary", over="grpc", method="POST"),
    )
    outside = matrix.others({"ops.chain.test": ["/"], "app.chain.test": ["/admin"]}, bench.people)
    assert bench.differences([page, talk, call, *(each for each in outside if each.by == "client")], release) == ""
    for issuer, name in ((authority, site.GATEWAY_NAME), (another, site.GATEWAY_NAME), (authority, "other.chain.test")):
        present(issuer.issue(name))
        shown = {"gateway": {"trusted": issuer is authority, "names": [name]}}
        for question in (page, talk, call):
            said = bench.explainer.explain(question.document() | shown)
            real = bench.chain.ask(question, release)
            assert (said["verdict"] == "allow", said["upgraded"]) == (real.allowed, real.upgraded), (said, real)
            assert real.allowed or (said["refused_by"], said["status"], real.detail[:3]) == ("entrance_trust", 502, "502"), real


def test_the_gateway_logs_no_query_and_no_credentials(stand: Stand) -> None:
    url = "https://app.chain.test/api/told?token=canary-query"
    stand.chain.curl(url, "--header", "Authorization: Bearer canary-bearer", "--referer", f"{url}&canary-referer")
    until(lambda: "/api/told" in stand.chain.access_log.read_text(), "the gateway's log has the request")
    assert "canary" not in stand.chain.access_log.read_text()


# The same questions


@pytest.mark.parametrize("release", NGINX)
def test_every_row_of_the_matrix_is_answered_alike(stand: Stand, release: str) -> None:
    questions = matrix.rows(paths_of(stand.catalogue), stand.people)
    if release == "bookworm":
        questions = [each for each in questions if each.by == "client"]  # the others never meet an edge
    reached = {stand.expected(question)[0] for question in questions}
    assert len(questions) > 1000
    assert reached >= {None, *(each.name for each in stand.chain.backends)}
    assert stand.differences(questions, release) == ""


@pytest.mark.parametrize("release", NGINX)
def test_http2_and_websockets_are_answered_alike(stand: Stand, release: str) -> None:
    questions = matrix.others(paths_of(stand.catalogue), stand.people)
    if release == "bookworm":
        questions = [each for each in questions if each.by == "client"]
    asked = [stand.expected(question) for question in questions if question.websocket]
    assert {upgraded for _, upgraded in asked} == {None, True, False}
    assert stand.differences(questions, release) == ""


@pytest.mark.parametrize("release", NGINX)
def test_calls_are_answered_alike(stand: Stand, release: str) -> None:
    questions = matrix.calls({"calls.chain.test": ["/bed.Echo/Unary"], "native.chain.test": []}, stand.people)
    assert {stand.expected(question)[0] for question in questions} == {None, "apps/calls:9000"}
    assert stand.differences(questions, release) == ""


def test_a_management_route_is_closed_to_all_but_its_networks(stand: Stand) -> None:
    """Said apart from any explanation, so that both sides cannot be wrong together."""
    ask, manager = stand.chain.ask, stand.people.manager
    for url in ("https://ops.chain.test/", "https://app.chain.test/admin/x", "https://files.chain.test/private/x"):
        question = Question(url)
        assert ask(replace(question, source=manager)).backend == "apps/ops:8080"
        assert ask(replace(question, by="edge", forwarded_for=manager)).backend == "apps/ops:8080"
        for claim in (manager, "127.0.0.1"):
            assert not ask(replace(question, forwarded_for=claim)).allowed
            for by in (replace(question, by="node"), replace(question, by="pod"), stand.people.called(question)):
                assert not ask(replace(by, forwarded_for=claim)).allowed


@pytest.mark.parametrize("seed", range(RANDOM_SITES))
def test_random_sites_are_answered_alike(bench: Stand, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    document = random_site.catalogue(chance, site.catalogue())
    policy = bench.policy_of(document, chance.choice((443, 8443)), managed=chance.random() < 0.7)
    release = chance.choice(list(NGINX))
    bench.serve(document, policy, release)
    paths = paths_of(document, policy)
    questions = [*matrix.rows(paths, bench.people), *matrix.others(paths, bench.people)]
    asked = chance.sample(questions, min(len(questions), QUESTIONS_OF_A_SITE))
    assert bench.differences(asked, release) == ""


def paths_of(document: Object, policy: Object | None = None) -> dict[str, list[str]]:
    """The paths of the routes at each origin's host and port."""
    origins = policy["edge"]["origins"] if policy else site.origins(document)
    found: dict[str, list[str]] = {}
    for service in document["services"]:
        own = found.setdefault(origins[service["name"]].removeprefix("https://"), [])
        own += [path for route in service["routes"] for path in route["match"].values()]
    return found
