"""Laboratories before they are installed: `pharos check`, `catalogue.py --extensions -`, routes, rendering and the gateway."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import yaml

import pharos
from command import ROOT, run

EXAMPLE = ROOT / "docs" / "examples" / "laboratory.yaml"


def named(name: str, host: str) -> str:
    """The example under another name and on another host, with a CA bundle of that laboratory's own."""
    document = yaml.safe_load(EXAMPLE.read_text())
    document |= {"name": name, "namespace": name}
    for route in document["routes"]:
        route["host"] = host
        if "trust" in route["backend"]:
            route["backend"]["trust"] = f"{name}-trust"
    return json.dumps(document)


def catalogue(*arguments: str, stdin: str) -> subprocess.CompletedProcess[str]:
    """The command that operators type."""
    argv = [sys.executable, str(ROOT / "scripts" / "catalogue.py"), *arguments]
    return subprocess.run(argv, cwd=ROOT, input=stdin, text=True, capture_output=True, check=False, timeout=60)


def test_laboratories_come_as_a_stream() -> None:
    example = EXAMPLE.read_text()
    fit = f"{example}---\n{named('daedalus', 'daedalus.example.org')}\n"
    answer = run(["check", "--env", "example", "--extensions", "-"], stdin=fit)
    assert (answer.returncode, answer.stdout) == (0, "4 documents fit\n"), answer.stdout + answer.stderr

    # a conflict: both places are those of the stream
    conflict = f"{example}---\n{named('daedalus', 'bench.example.org')}\n"
    answer = run(["check", "--env", "example", "--extensions", "-", "--format", "json"], stdin=conflict)
    assert answer.returncode == 1
    (finding,) = json.loads(answer.stdout)
    places = [(label["file"], label["line"]) for label in finding["labels"]]
    first = example.splitlines().index("    host: bench.example.org") + 1
    assert finding["code"] == "extension/host-shared"
    assert places == [("-[2]", len(example.splitlines()) + 2), ("-[1]", first)]


def test_a_stream_that_is_not_read_is_not_fit() -> None:
    whole = f"{EXAMPLE.read_text()}---\n{named('daedalus', 'bench.example.org')}\n"
    for stream, code in (
        ("", "document/empty"),
        ("---\n# nothing\n---\n", "document/empty"),
        ("# long\n" * 700_000 + whole, "document/budget"),
    ):
        for words in (["check"], ["routes"], ["gateway", "render"]):
            answer = run([*words, "--env", "example", "--extension", "-"], stdin=stream)
            assert answer.returncode == 1, words
            assert code in answer.stdout + answer.stderr, words


def test_what_is_given_as_a_laboratory_is_judged_as_one() -> None:
    """A playbook that pipes another file than the laboratory's must not be told that it fits."""
    policy = (ROOT / "environments/icarus-cloud/policy.yaml").read_text()
    for words in (["check"], ["check", "--env", "example"]):
        answer = run([*words, "--extensions", "-"], stdin=policy)
        assert answer.returncode == 1, answer.stdout
        assert "this is a policy, and the extension of a laboratory is meant here" in answer.stdout
    lacking = run(["check", "--extensions", "-"], stdin="version: 1\n")
    assert lacking.returncode == 1
    assert [key for key in ("name", "namespace", "routes") if f"`{key}`" not in lacking.stdout] == [], lacking.stdout


def test_the_script_judges_as_the_command_does() -> None:
    assert catalogue("--extensions", "-", stdin=EXAMPLE.read_text()).returncode == 0
    refused = catalogue("--extensions", "-", stdin=named("icarus", "platform.example.org"))
    assert refused.returncode == 1
    assert "extension/host-taken" in refused.stdout


def test_routes_and_rendering_take_a_laboratory(tmp_path: Path) -> None:
    words: list[str | bytes] = ["--env", "example", "--extension", str(EXAMPLE), "--format", "json"]
    hosts = {host["host"]: host for host in json.loads(run(["routes", *words]).stdout)}
    routes = {route["id"]: route for route in hosts["bench.example.org"]["routes"]}
    assert set(routes) == {"icarus-bench", "icarus-console"}
    assert routes["icarus-console"]["backend"]["namespace"] == "icarus"
    without = json.loads(run(["routes", "--env", "example", "--format", "json"]).stdout)
    assert [host for host in hosts.values() if host["host"] != "bench.example.org"] == without

    files = json.loads(run(["edge", "render", *words]).stdout)
    assert "set $pharos_route icarus-console;" in "".join(files.values())
    broken = tmp_path / "broken.yaml"
    broken.write_text(EXAMPLE.read_text().replace("bench.example.org", "site.example.org"))
    refused = run(["edge", "render", "--env", "example", "--extension", str(broken)])
    assert refused.returncode == 1
    assert "extension/host-taken" in refused.stderr


def test_the_example_fits_its_schema() -> None:
    documents = [(name, (ROOT / name).read_text()) for name in ("catalogue/services.yaml", "docs/examples/laboratory.yaml")]
    assert len(pharos.check(documents)) == 0


def test_the_gateways_objects_of_a_laboratory_are_its_own() -> None:
    words: list[str | bytes] = ["gateway", "render", "--env", "example", "--extension", str(EXAMPLE)]
    answer = run([*words, "--laboratory", "icarus"])
    assert answer.returncode == 0, answer.stderr
    objects = [document for document in yaml.safe_load_all(answer.stdout) if document]
    kinds = {document["kind"] for document in objects}
    assert kinds >= {"Gateway", "VirtualService", "AuthorizationPolicy", "DestinationRule", "NetworkPolicy"}
    for document in objects:
        labels = document["metadata"].get("labels") or {}
        assert "pharos.platform/route" not in labels, document["metadata"]
        assert document["metadata"]["namespace"] in {"istio-system", "icarus"}
    hosts = [host for each in objects if each["kind"] == "VirtualService" for host in each["spec"]["hosts"]]
    assert hosts == ["bench.example.org"]

    # the catalogue's objects are the same with and without it
    def of_catalogue(*more: str) -> list[object]:
        printed = run(["gateway", "render", "--env", "example", "--format", "json", *more])
        objects = json.loads(printed.stdout)["objects"]
        return [each["manifest"] for each in objects if each["manifest"]["metadata"].get("labels")]

    assert of_catalogue() == of_catalogue("--extension", str(EXAMPLE)) != []
