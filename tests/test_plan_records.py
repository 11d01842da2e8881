"""Plans as the bindings record, read and judge them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pharos

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "core/tests/plans/version-2.json"
HOLDER = {"user": "ada", "host": "admin1", "pid": 71, "operation": "deploy-plan", "revision": "3f2a", "started": "now"}


@pytest.fixture
def private() -> Iterator[Path]:
    """A folder whose ancestors are nobody else's: below the home, not below /tmp."""
    with tempfile.TemporaryDirectory(dir=Path.home()) as folder:
        yield Path(folder)


def drafted(private: Path, at: str) -> pharos.DraftedPlan:
    """The plan of the committed laboratory, offline and without an inventory."""
    paths = ("catalogue/services.yaml", "environments/icaruscloudlab/policy.yaml")
    catalogue, policy = ((path, (ROOT / path).read_bytes()) for path in paths)
    inputs = pharos.PlanInputs(catalogue, policy, at)
    variables = {"ENV": "icaruscloudlab", "OFFLINE": "1", "PHAROS_PRIVATE_ROOT": str(private / "private")}
    given = {"variables": variables, "environments": ["icaruscloudlab"], "runners": [], "home": "/home/ada", "directory": "/"}
    revision = {"commit": "3f2a9d4c8b7e6f5a4d3c2b1a0f9e8d7c6b5a4938", "dirty": True}
    return inputs.draft(site=pharos.environment_select("deploy-plan", given), revision=revision)


def codes(refusal: pytest.ExceptionInfo[pharos.RejectedError]) -> list[str]:
    """The codes of a refusal, sorted."""
    return sorted(diagnostic.code for diagnostic in refusal.value.diagnostics)


def changed(**over: Any) -> tuple[str, bytes]:
    """The plan that the repository keeps, with other values."""
    return "plan.json", json.dumps(json.loads(RECORD.read_bytes()) | over).encode()


def test_what_is_recorded_is_the_newest_and_in_the_journal(private: Path) -> None:
    state = private / "state"
    assert pharos.plan_latest(state, "icaruscloudlab") is None
    with pharos.PlanRecords(state, "icaruscloudlab", HOLDER) as records:
        with pytest.raises(pharos.RejectedError) as held:
            pharos.PlanRecords(state, "icaruscloudlab", HOLDER)
        assert codes(held) == ["file/lock-held"]
        for at in ("2026-11-30T12:00:00Z", "2026-11-30T12:01:00Z"):
            recorded, page, mended = records.record(drafted(private, at))
            assert len(mended) == 0
    latest = pharos.plan_latest(state, "icaruscloudlab")
    assert latest is not None
    path, content = latest
    assert (path, content) == (recorded, recorded.read_bytes())
    assert page.read_text(encoding="utf-8") == pharos.plan_html((str(path), content))
    plan = pharos.plan_read((str(path), content))
    assert plan["at"] == "2026-11-30T12:01:00Z"
    entries, report = pharos.plan_journal(state)
    assert [entry["sequence"] for entry in entries] == [1, 2]
    assert len(report) == 0
    with pytest.raises(pharos.RejectedError) as refused:
        pharos.plan_authorise((str(path), content))
    assert codes(refused) == ["plan/dirty", "plan/offline"]


def test_a_sound_plan_authorises_and_what_moved_is_named() -> None:
    old = changed()
    pharos.plan_authorise(old)
    assert pharos.plan_moved(old, old) == []
    moved = pharos.plan_moved(old, changed(revision={"commit": "0" * 40, "dirty": False}))
    assert [one["subject"] for one in moved] == ["source"]


def test_a_newer_plan_is_read_as_it_is_and_authorises_nothing() -> None:
    newer = changed(version=3, sealed="x")
    assert pharos.plan_read(newer)["sealed"] == "x"
    for judge in (pharos.plan_authorise, lambda record: pharos.plan_moved(record, changed())):
        with pytest.raises(pharos.RejectedError) as refused:
            judge(newer)
        assert codes(refused) == ["plan/newer"]
