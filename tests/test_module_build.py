"""`ansible_modules/build.sh`: checkouts that share a target folder each get their own program, and it says what takes so long."""

import json
import os
import platform
import shutil
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]

# A compiler that writes where it was called from, and a copy that takes its time.
CARGO = """#!/bin/sh
mkdir -p "$CARGO_TARGET_DIR/$(uname -m)-unknown-linux-gnu/modules"
echo "$PWD" > "$CARGO_TARGET_DIR/$(uname -m)-unknown-linux-gnu/modules/pharos-modules"
"""
INSTALL = """#!/bin/sh
sleep 1
exec /usr/bin/install "$@"
"""


def test_two_checkouts_that_share_a_target_folder(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in (("cargo", CARGO), ("install", INSTALL)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    environment = {
        **os.environ,
        "CARGO_TARGET_DIR": str(tmp_path / "target"),
        "PATH": f"{programs}:{os.environ['PATH']}",
    }
    checkouts = [tmp_path / name for name in ("one", "two", "three")]
    builds = []
    for checkout in checkouts:
        checkout.mkdir()
        shutil.copy(REPOSITORY / "ansible_modules" / "build.sh", checkout)
        builds.append(subprocess.Popen([checkout / "build.sh"], env=environment, stderr=subprocess.PIPE, text=True))
    said = [build.communicate()[1] for build in builds]
    assert [build.returncode for build in builds] == [0, 0, 0], said
    for checkout, words in zip(checkouts, said, strict=True):
        program = checkout / "files" / "bin" / platform.machine() / "pharos-modules"
        assert program.read_text() == f"{checkout}\n"
        assert list(json.loads((checkout / "files" / "manifest.json").read_text())["programs"]) == [platform.machine()]
        assert f"modules: building the module program for {platform.machine()} (the first time some minutes" in words
    assert sum("another checkout builds into" in words for words in said) == 2
