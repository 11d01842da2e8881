"""What `make dist` packs: the same bytes wherever and whenever it is packed, and in the source archive all that a build reads."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NAME = "pharos-platform-0.1.0.tar.gz"
PACKED = ("LICENSE", "ansible.cfg", "ansible_modules", "catalogue", "charts", "playbooks", "roles", "scripts")
_MEMORY = Path("/dev/shm")  # noqa: S108 (its folders list their files in another order)


def run(script: Path, out: Path, *, cwd: Path, umask: int, **variables: str) -> None:
    """One of the scripts of `make dist`, into a folder."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", **variables}
    words: list[str | Path] = [sys.executable, script, out]
    subprocess.run(words, cwd=cwd, umask=umask, env=environment, check=True, stderr=subprocess.DEVNULL)


def checkout(folder: Path, mode: int) -> Path:
    """What of a checkout is packed, for an owner of such a umask; its programs are small ones."""
    folder.mkdir()
    for name in PACKED:
        if (ROOT / name).is_file():
            shutil.copy(ROOT / name, folder / name)
            continue
        ignored = shutil.ignore_patterns("src", "tests", "files", "collections", "__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored, copy_function=shutil.copy, symlinks=True)
    files = folder / "ansible_modules" / "files"
    for architecture in ("aarch64", "x86_64"):
        (files / "bin" / architecture).mkdir(parents=True)
        (files / "bin" / architecture / "pharos-modules").write_text(f"a program for {architecture}\n")
    (files / "manifest.json").write_text('{"programs": {"aarch64": "", "x86_64": ""}}\n')
    for path in folder.rglob("*"):
        if path.is_file():
            path.chmod(path.stat().st_mode & mode)
    return folder


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The collection of a checkout, and of one that lies elsewhere, was written later and by somebody careful."""
    here, there = tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("there")
    one, other = checkout(here / "checkout", 0o755), checkout(there / "another checkout", 0o700)
    run(one / "scripts/collection.py", here, cwd=one, umask=0o022, TMPDIR=str(here))
    run(other / "scripts/collection.py", there, cwd=there, umask=0o077, TMPDIR=str(_MEMORY), TZ="Pacific/Kiritimati")
    return here / NAME, there / NAME


def test_the_collection_is_packed_alike_everywhere(archives: tuple[Path, Path]) -> None:
    here, there = archives
    with tarfile.open(here) as one, tarfile.open(there) as other:
        for mine, theirs in zip(one.getmembers(), other.getmembers(), strict=True):
            assert mine.get_info() == theirs.get_info()
            if mine.isfile():
                read, again = one.extractfile(mine), other.extractfile(theirs)
                assert read and again
                assert read.read() == again.read(), mine.name
    assert here.read_bytes() == there.read_bytes()


def test_ansible_takes_it_for_what_it_says(archives: tuple[Path, Path], tmp_path: Path) -> None:
    """Installed, every file has the digest that the archive's own list says."""
    galaxy = Path(sys.executable).with_name("ansible-galaxy")
    environment = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_COLLECTIONS_PATH": str(tmp_path)}
    install: list[str | Path] = [galaxy, "collection", "install", "--offline", archives[1], "--collections-path", tmp_path]
    subprocess.run(install, env=environment, check=True, stdout=subprocess.DEVNULL)
    verify: list[str | Path] = [galaxy, "collection", "verify", "--offline", "pharos.platform", "--collections-path", tmp_path]
    done = subprocess.run(verify, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "ansible_collections/pharos/platform/playbooks/edge_distributed.yml").is_file()


def test_the_bill_of_materials_is_written_alike_everywhere(archives: tuple[Path, Path], tmp_path: Path) -> None:
    made = []
    for number, (archive, cwd) in enumerate(zip(archives, (ROOT, tmp_path), strict=True)):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copy(archive, folder)
        run(
            ROOT / "scripts/sbom.py", folder, cwd=cwd, umask=0o022, PYTHONHASHSEED=str(number), TZ=("UTC", "Asia/Kolkata")[number]
        )
        made.append((folder / "pharos-0.1.0.cdx.json").read_text())
    assert made[0] == made[1]


def test_the_source_archive_holds_all_that_the_wheel_was_built_from() -> None:
    """By what cargo wrote down when `make dist` built the wheel: to build it from the archive takes minutes."""
    read = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"), "release", "lib_native.d").read_text().split(": ", 1)[1]
    paths = [Path(re.sub(r"\\(.)", r"\1", name)) for name in re.split(r"(?<!\\)\s+", read) if name]
    sources = {str(path.relative_to(ROOT)) for path in paths if path.is_relative_to(ROOT)}
    assert "core/src/diagnostic/pages/edge/second-default-server.md" in sources, "run `make dist` in this checkout"
    with tarfile.open(ROOT / "dist" / "pharos-0.1.0.tar.gz") as archive:
        packed = {name.split("/", 1)[1] for name in archive.getnames()}
    assert sources | {"Cargo.lock", "Cargo.toml", "pyproject.toml"} <= packed
