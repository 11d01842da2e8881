"""The smoke script: fit for what is committed, and not fit for a rendering that differs."""

import os
import subprocess
from pathlib import Path

import pytest

from bed.paths import cache
from edgebed.smoke import script as smoke

REPOSITORY = Path(__file__).resolve().parents[1]

COMMAND = "uv run --project devops --frozen python scripts/distributed_edge_smoke.py"


def test_every_committed_environment_passes(tmp_path: Path) -> None:
    """Word for word as the guide has it, in a tool project that has nothing but what the lock names."""
    assert f"$ {COMMAND}\n" in (REPOSITORY / "docs/guide/edge.md").read_text()
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    environment["UV_PROJECT_ENVIRONMENT"] = str(tmp_path / "tools")
    environment["PATH"] = f"{cache().parent / 'tools'}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", COMMAND], cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    said = {line.partition(":")[0]: line for line in done.stdout.splitlines()}
    assert "one HTTPS listener" in said["icarus-cloud"]
    assert "one HTTPS listener" in said["example"]
    assert said["icaruscloudlab"].endswith("no public edge")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("server_name platform.", "server_name plateform.", "other than the policy"),
        ("/fullchain.pem", "/cert.pem", "certificate files"),
        ("listen 443", "listen 8443", "listens on"),
        ("return 421;", "return 301 https://elsewhere.example;", "redirect"),
    ],
)
def test_a_difference_is_named(monkeypatch: pytest.MonkeyPatch, old: str, new: str, fault: str) -> None:
    policy = REPOSITORY / "environments" / "example" / "policy.yaml"
    expected = smoke.public_hosts(smoke.yaml.safe_load(policy.read_text()))
    render = smoke.render
    assert not list(smoke.check(policy, expected, "1.22.1"))
    monkeypatch.setattr(smoke, "render", lambda *of: {path: text.replace(old, new) for path, text in render(*of).items()})
    assert fault in "\n".join(smoke.check(policy, expected, "1.22.1"))
