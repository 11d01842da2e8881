"""What is wrong with the playbook's inputs is told by the variable that has to be mended, before the host is looked at."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bed.hosts import Host
from bed.services.gateway import PLAIN
from bed.world import World
from edgebed.documents import Site
from edgebed.playbook import Playbook

pytestmark = pytest.mark.hosts

POLICY = Path(__file__).resolve().parents[1] / "environments" / "example" / "policy.yaml"


def test_slips_of_the_inventory_are_named_with_their_remedy(session_world: World, trixie: Host, tmp_path: Path) -> None:
    playbook = Playbook(session_world.bed, tmp_path, trixie)
    site = Site(f"{session_world.gateway.v4}:{PLAIN}").write(tmp_path / "site")
    fit: dict[str, Any] = {**site, "edge_certificate_files": []}

    def refused(variables: Mapping[str, Any], codes: list[str], *words: str) -> None:
        run = playbook.run(dict(variables), check=False)
        assert not run.ok
        assert run.codes()[trixie.name] == codes, run.said()
        said = run.said()
        assert said.startswith(f"{trixie.name}: {len(codes)} error"), said
        for word in words:
            assert word in said, said

    refused(
        {**fit, "edge_listen_adresses": ["192.0.2.1"], "edge_rack": 7},
        ["name/edge-variable", "name/edge-variable"],
        "did you mean `edge_listen_addresses`?",
        "`edge_rack`",
    )
    missing = {name: value for name, value in fit.items() if name != "edge_environment_file"}
    refused(
        {**missing, "edge_enviroment_file": "edge.json"},
        ["module/missing-option", "name/edge-variable"],
        "`environment_file` is missing",
        "did you mean `edge_environment_file`?",
    )
    gone = {"edge_environment_file": str(tmp_path / "gone.json"), "edge_catalogue_file": str(tmp_path / "gone.yaml")}
    refused(
        {**fit, **gone},
        ["module/document-missing", "module/document-missing"],
        f"`environment_file` (the variable `edge_environment_file`) is '{tmp_path}/gone.json'",
        f"`catalogue_file` (the variable `edge_catalogue_file`) is '{tmp_path}/gone.yaml'",
        "`pharos edge environment --env ENV > edge.json` makes one",
    )
    refused(
        {**fit, "edge_environment_file": str(POLICY)},
        ["site/wrong-document"],
        "this is a policy, and an edge environment is meant here",
        "`pharos edge environment --env example > edge.json`",
    )
    swapped = {"edge_environment_file": site["edge_catalogue_file"], "edge_catalogue_file": site["edge_environment_file"]}
    refused({**fit, **swapped}, ["site/wrong-document", "site/wrong-document"], "this is a service catalogue")
    refused(
        {**fit, "edge_listen_addresses": ["foo"]},
        ["name/listen-address"],
        "`listen_addresses[0]`: `foo` is not an address to listen on",
        "write an IP address of the host",
    )

    # errors come first, whatever is worth knowing beside them
    environment = json.loads(Path(site["edge_environment_file"]).read_text())
    assert environment["gateway"]["upstreams"], "a gateway in plain text, which is a note"
    run = playbook.run(fit, check=False)
    severities = [each["severity"] for each in run.failures()[trixie.name]["diagnostics"]]
    assert severities[0] == "error" and severities[-1] == "note", severities
    assert severities == sorted(severities, key=["error", "warning", "note"].index)
