"""What is written means the same to PyYAML, which Ansible reads with, as to our own reader."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import pharos

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "core" / "tests" / "golden"
CATALOGUE = ROOT / "catalogue" / "services.yaml"
COMMAND = Path(sys.executable).with_name("pharos")


@pytest.mark.parametrize("written", sorted(GOLDEN.glob("*/written.yaml")), ids=lambda path: path.parent.name)
def test_pyyaml_reads_what_the_core_writes(written: Path) -> None:
    newest = max(written.parent.glob("v*.value.json"), key=lambda path: int(path.name.removeprefix("v").partition(".")[0]))
    assert yaml.safe_load(written.read_text()) == json.loads(newest.read_text())


def test_there_is_something_to_read() -> None:
    assert len(list(GOLDEN.glob("*/written.yaml"))) >= 4


@pytest.mark.parametrize("environment", ["example", "icarus-cloud", "devbox"])
def test_a_written_edge_environment_is_the_policy_to_every_reader(environment: str, tmp_path: Path) -> None:
    command = [str(COMMAND), "edge", "environment", "--env", environment]
    text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    read = yaml.safe_load(text)
    assert read == json.loads(text)

    # our reader takes the text itself, and what PyYAML makes of it, for the policy
    policy = (ROOT / "environments" / environment / "policy.yaml").read_text()
    catalogue = ("services.yaml", CATALOGUE.read_text())
    routes = pharos.routes(catalogue, ("policy.yaml", policy))
    for again in (text, yaml.safe_dump(read)):
        assert pharos.routes(catalogue, ("edge.yaml", again)) == routes
