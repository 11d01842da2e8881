"""The module programs of both architectures: static, fit for every page size, free of this machine's folders, and alike."""

import json
import os
import shutil
import struct
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from edgebed.documents import Site
from play.collection import SOURCE

pytestmark = pytest.mark.architectures

MACHINES = {"x86_64": 62, "aarch64": 183}
LOAD, INTERPRETER = 1, 3


class Segment(NamedTuple):
    """A program header of a 64-bit ELF file."""

    kind: int
    flags: int
    offset: int
    address: int
    physical: int
    size: int
    memory: int
    alignment: int


def program(architecture: str) -> Path:
    return SOURCE / "files" / "bin" / architecture / "pharos-modules"


def segments(data: bytes) -> list[Segment]:
    (start,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    return [Segment._make(struct.unpack_from("<IIQQQQQQ", data, start + size * index)) for index in range(count)]


def emulator() -> str:
    """The emulator that came with the compiler."""
    found = subprocess.run([SOURCE.parent / "scripts" / "toolchain"], capture_output=True, text=True, check=True)
    return f"{found.stdout.strip()}/bin/qemu-aarch64-static"


@pytest.mark.parametrize("architecture", MACHINES)
def test_a_program_stands_alone(architecture: str) -> None:
    data = program(architecture).read_bytes()
    assert data[:6] == b"\x7fELF\x02\x01"
    assert struct.unpack_from("<H", data, 18) == (MACHINES[architecture],)
    found = segments(data)
    assert INTERPRETER not in {segment.kind for segment in found}
    loaded = [segment for segment in found if segment.kind == LOAD]
    assert len(loaded) >= 2
    if architecture == "aarch64":  # kernels with pages of 64 KiB map no segment that is aligned to less
        for segment in loaded:
            assert segment.alignment >= 65536
            assert (segment.address - segment.offset) % 65536 == 0


@pytest.mark.parametrize("architecture", MACHINES)
def test_a_program_holds_no_folder_of_this_machine(architecture: str) -> None:
    data = program(architecture).read_bytes()
    target = os.environ.get("CARGO_TARGET_DIR", str(SOURCE.parent / "target"))
    for folder in (str(Path.home()) + "/", str(SOURCE.parent) + "/", target):
        assert folder.encode() not in data, folder


def ask(words: list[str], request: dict[str, Any]) -> dict[str, Any]:
    done = subprocess.run([*words, "-"], input=json.dumps(request), capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_both_programs_give_the_same_answer(tmp_path: Path) -> None:
    site = Site("192.0.2.1:30080")
    version = json.loads((SOURCE / "plugins" / "plugin_utils" / "modules.json").read_text())["version"]
    request = {
        "module": "edge_render",
        "version": version,
        "instant": int(time.time()),
        "host": "edge1",
        "arguments": {
            "catalogue_file": {"name": "services.yaml", "text": json.dumps(site.catalogue())},
            "environment_file": {"name": "edge.yaml", "text": json.dumps(site.environment())},
            "certificate_mode": "certbot",
            "nginx": "1.22.1",
        },
    }
    answers = []
    for architecture, words in (("x86_64", []), ("aarch64", [emulator()])):
        runnable = Path(shutil.copy(program(architecture), tmp_path / architecture))
        runnable.chmod(0o755)  # those of the collection are data, which it sends
        answers.append(ask([*words, str(runnable)], request))
    own, other = answers
    assert own == other
    assert not own.get("failed"), own
    assert "server_name web.edge.test" in json.dumps(own)
