"""The chart of the routes, by real Helm: what it prints is what the core renders, and what was not reviewed is refused."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

import pharos
from bed.commands import Result, run
from cluster.control_plane import ControlPlane
from cluster.istio import install_kinds
from cluster.tools import program

pytestmark = pytest.mark.cluster

REPOSITORY = Path(__file__).resolve().parents[1]
CHART = REPOSITORY / "charts" / "routes"
SITES = ["devbox", "example", "icarus-cloud"]

Object = dict[str, Any]


def documents(environment: str) -> list[tuple[str, str]]:
    paths = ("catalogue/services.yaml", f"environments/{environment}/policy.yaml")
    return [(path, (REPOSITORY / path).read_text()) for path in paths]


def rendered(environment: str) -> list[Object]:
    catalogue, policy = documents(environment)
    return [each["manifest"] for each in pharos.gateway_render(catalogue, policy)["objects"]]


def values_of(environment: str, folder: Path, chart: Path = CHART) -> Path:
    """The values as the command prints them."""
    words = ["pharos", "gateway", "values", "--env", environment, "--chart", str(chart)]
    said = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    path = folder / "values.json"
    path.write_text(said)
    return path


def helm(*words: str | Path, check: bool = True) -> Result:
    return run([program("helm"), *words], check=check)


def key(document: Object) -> tuple[str, str, str]:
    return document["kind"], document["metadata"]["namespace"], document["metadata"]["name"]


@pytest.mark.parametrize("environment", SITES)
def test_helm_prints_what_the_core_renders(environment: str, tmp_path: Path) -> None:
    values = values_of(environment, tmp_path)
    assert "1 chart(s) linted, 0 chart(s) failed" in helm("lint", "--strict", CHART, "--values", values).stdout
    printed = [each for each in yaml.safe_load_all(helm("template", "routes", CHART, "--values", values).stdout) if each]
    expected = rendered(environment)
    assert len(printed) == len(expected) > 20
    assert {key(each): each for each in printed} == {key(each): each for each in expected}


def changed(values: Path, pointer: list[str | int], value: object) -> Path:
    document = json.loads(values.read_text())
    where: Any = document
    for step in pointer[:-1]:
        where = where[step]
    where[pointer[-1]] = value
    path = values.with_name("changed.json")
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("words", [["template", "routes"], ["lint"]])
def test_what_was_not_reviewed_is_refused_by_helm_itself(words: list[str], tmp_path: Path) -> None:
    values = values_of("example", tmp_path)
    destination: list[str | int] = ["spec", "http", 0, "route", 0, "destination", "host"]
    unreviewed = changed(values, ["objects", "virtualServices", 0, *destination], "metrics.monitoring.svc.cluster.local")
    said = helm(*words, CHART, "--values", unreviewed, check=False)
    assert not said.ok
    assert "/objects/virtualServices/0" in said.stdout + said.stderr

    # within the surface, and yet not what the documents say
    by_hand = changed(values, ["objects", "virtualServices", 0, "spec", "http", 0, "name"], "another")
    said = helm(*words, CHART, "--values", by_hand, check=False)
    assert not said.ok
    assert (
        "change the catalogue or the policy" if words[0] == "template" else "as they were rendered"
    ) in said.stdout + said.stderr

    said = helm(*words, CHART, check=False)
    assert not said.ok and "`pharos gateway values --env ENV" in said.stdout + said.stderr, (
        "without values there is nothing to print"
    )
    for missing in ("version", "chart"):
        part = json.loads(values.read_text())
        del part[missing]
        by_hand.write_text(json.dumps(part))
        said = helm(*words, CHART, "--values", by_hand, check=False)
        assert not said.ok and "`pharos gateway values --env ENV" in said.stdout + said.stderr, missing


def test_a_site_of_another_catalogue_has_a_schema_of_its_own(tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(REPOSITORY / "examples" / "small-company", site)
    shutil.copytree(CHART, site / "charts" / "routes")

    def printed(*words: str) -> str:
        command = ["pharos", "gateway", *words]
        return subprocess.run(command, cwd=site, capture_output=True, text=True, check=True).stdout

    # The values are printed for a chart with a schema of the same catalogue; Helm too refuses them with the other one.
    others = (CHART / "values.schema.json").read_text()
    own_schema = site / "charts" / "routes" / "values.schema.json"
    own_schema.write_text(printed("schema"))
    values = site / "values.json"
    values.write_text(printed("values", "--env", "production"))
    own_schema.write_text(others)
    said = helm("template", "routes", site / "charts" / "routes", "--values", values, check=False)
    assert not said.ok and "/objects/virtualServices/0" in said.stderr, "the schema is that of the other catalogue"

    own_schema.write_text(printed("schema"))
    values.write_text(printed("values", "--env", "production"))
    objects = helm("template", "routes", site / "charts" / "routes", "--values", values).stdout
    assert "host: storefront.shop.svc.cluster.local" in objects
    destination: list[str | int] = ["objects", "virtualServices", 0, "spec", "http", 0, "route", 0, "destination", "host"]
    said = helm(
        "template", "routes", site / "charts" / "routes", "--values", changed(values, destination, "a.b.svc"), check=False
    )
    assert not said.ok and "/objects/virtualServices/0" in said.stderr

    own = subprocess.run(["pharos", "gateway", "schema"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    assert own == (CHART / "values.schema.json").read_text()


def test_a_changed_chart_is_a_changed_value(tmp_path: Path) -> None:
    copy = tmp_path / "routes"
    shutil.copytree(CHART, copy)
    before = json.loads(values_of("example", tmp_path, copy).read_text())
    template = copy / "templates" / "objects.yaml"
    template.write_text(template.read_text() + "# more\n")
    after = json.loads(values_of("example", tmp_path, copy).read_text())
    assert before["chart"] != after["chart"]
    assert before["objects"] == after["objects"]


def test_a_release_is_installed_and_a_failed_one_is_rolled_back(session_cluster: ControlPlane, tmp_path: Path) -> None:
    plane = session_cluster
    to: list[str | Path] = [f"--kubeconfig={plane.kubeconfig}", "--namespace=istio-system"]
    install_kinds(plane)
    namespaces = sorted({each["metadata"]["namespace"] for each in rendered("example")})
    # They stay: other tests of this cluster want them as well, and one that is being deleted takes no object.
    plane.apply(*({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in namespaces))
    try:
        values = values_of("example", tmp_path)
        upgrade: list[str | Path] = ["upgrade", "--install", "routes", CHART, *to, "--atomic"]
        helm(*upgrade, "--values", values)
        kept = plane.kubectl("get", "virtualservices.networking.istio.io", "--all-namespaces", "--output=json").stdout
        live = {each["metadata"]["name"]: each["spec"] for each in json.loads(kept)["items"]}
        expected = [each for each in rendered("example") if each["kind"] == "VirtualService"]
        assert live == {each["metadata"]["name"]: each["spec"] for each in expected}
        assert json.loads(helm("get", "values", "routes", *to, "--output=json").stdout) == json.loads(values.read_text())

        # the API server refuses a part of the next release: the one before stands
        broken = tmp_path / "routes"
        shutil.copytree(CHART, broken)
        template = broken / "templates" / "broken.yaml"
        template.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: broken, namespace: absent}\n")
        failed = helm("upgrade", "routes", broken, *to, "--atomic", "--values", values, check=False)
        assert not failed.ok
        status = json.loads(helm("status", "routes", *to, "--output=json").stdout)
        assert (status["info"]["status"], status["version"]) == ("deployed", 3)
        again = plane.kubectl("get", "virtualservices.networking.istio.io", "--all-namespaces", "--output=json").stdout
        assert {each["metadata"]["uid"] for each in json.loads(again)["items"]} == {
            each["metadata"]["uid"] for each in json.loads(kept)["items"]
        }
    finally:
        helm("uninstall", "routes", *to, "--ignore-not-found")
