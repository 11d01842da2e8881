"""Questions about requests, asked from Python: one explainer, many answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pharos

ROOT = Path(__file__).parents[1]
CASES = ROOT / "core/tests/explain"


def text(name: str, known_as: str) -> tuple[str, bytes]:
    return known_as, (CASES / name).read_bytes()


CATALOGUE = text("catalogue.yaml", "catalogue.yaml")
POLICY = text("policy.yaml", "environments/example/policy.yaml")


def test_one_explainer_answers_many_questions() -> None:
    explainer = pharos.RouteExplainer(CATALOGUE, POLICY, extensions=[text("lab.yaml", "lab.yaml")])
    answer = explainer.explain({"url": "https://site.example.org/v1/site?x"})
    assert [hop["hop"] for hop in answer["hops"]] == [
        "edge",
        "entrance",
        "gateway",
        "authorization",
        "trust",
        "service",
        "network_policy",
    ]
    assert (answer["verdict"], answer["refused_by"], answer["answered"], answer["status"]) == ("allow", None, None, None)
    assert answer["paths"] == {"raw": "/v1/site?x", "edge": "/v1/site", "gateway": "/v1/site"}
    assert explainer.explain({"url": "https://lab.example.org/api"})["route"] == "lab-api"
    assert json.loads(json.dumps(answer)) == answer


@pytest.mark.parametrize(
    ("question", "refused_by", "answered", "status"),
    [
        ({"url": "https://site.example.org/v1/sitex"}, "edge", "status", 404),
        ({"url": "https://other.example.org/"}, "edge", "handshake", None),
        ({"url": "https://site.example.org/", "by": "pod", "namespace": "llm"}, "entrance", "unreachable", None),
        ({"url": "https://platform.example.org/admin", "by": "node", "from": "192.0.2.7"}, "authorization", "status", 403),
        ({"url": "https://platform.example.org/", "method": "QUERY"}, "gateway", "status", 400),
        ({"url": "https://site.example.org/v1/site", "backend": {"signed_by": "nobody"}}, "trust", "status", 503),
    ],
)
def test_a_refusal_says_where_and_how(question: dict[str, object], refused_by: str, answered: str, status: int | None) -> None:
    [answer] = pharos.route_explain(CATALOGUE, POLICY, [question])
    assert (answer["verdict"], answer["refused_by"]) == ("deny", refused_by)
    assert (answer["answered"], answer["status"]) == (answered, status)
    last = answer["hops"][-1]
    assert (last["hop"], last["verdict"]) == (refused_by, "deny")


def test_a_question_that_cannot_be_asked_is_refused() -> None:
    explainer = pharos.RouteExplainer(CATALOGUE, POLICY)
    with pytest.raises(pharos.RejectedError) as refusal:
        explainer.explain({"url": "https://platform.example.org/", "by": "pod"})
    assert [finding.code for finding in refusal.value.report.diagnostics] == ["explain/caller"]
    with pytest.raises(ValueError, match="structure"):
        explainer.explain({"address": "https://platform.example.org/"})
