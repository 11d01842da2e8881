"""`ansible_modules/build.sh`: each checkout gets the program of its own sources, built once, and it says what takes so long."""

import json
import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "ansible_modules"

# A compiler that writes where it was called from, and a copy that takes its time.
CARGO = """#!/bin/sh
mkdir -p "$CARGO_TARGET_DIR/$(uname -m)-unknown-linux-gnu/modules"
echo "$PWD" > "$CARGO_TARGET_DIR/$(uname -m)-unknown-linux-gnu/modules/pharos-modules"
"""

# One that is as busy for a target as the cores allow, and does not know one of them.
TWO = """#!/bin/sh
[ "$1" = build ] || exit 0
for target; do :; done
echo "begin $target" >> "$MET"
tries=0
until [ "$(grep -c begin "$MET")" -ge "$(nproc)" ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 200 ] || exit 9
  sleep 0.1
done
echo "Compiling for $target" >&2
[ "$target" != "$BROKEN" ] || exit 101
mkdir -p "$CARGO_TARGET_DIR/$target/modules"
echo "$target" > "$CARGO_TARGET_DIR/$target/modules/pharos-modules"
echo "end $target" >> "$MET"
"""
INSTALL = """#!/bin/sh
sleep 1
exec /usr/bin/install "$@"
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The variables of a build with these two programs, and with folders of the test's own."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in (("cargo", CARGO), ("install", INSTALL)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return {
        **os.environ,
        "CARGO_TARGET_DIR": str(tmp_path / "target"),
        "PATH": f"{programs}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


def checkout(folder: Path, source: str) -> Path:
    """A checkout with one source; answers its folder of the collection."""
    modules = folder / "ansible_modules"
    (modules / "src").mkdir(parents=True)
    (modules / "src" / "main.rs").write_text(source)
    for room in ("core", "live"):
        (folder / room / "src").mkdir(parents=True)
    for name in ("Cargo.toml", "Cargo.lock", "core/Cargo.toml"):
        (folder / name).touch()
    for name in (
        "ansible_modules/build.sh",
        "ansible_modules/cc-for-modules",
        "scripts/toolchain",
        "devops/toolchain/aarch64.list",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE.parent / name, folder / name)
    return modules


def built(modules: Path) -> str:
    """The program that a build left in a checkout."""
    assert list(json.loads((modules / "files" / "manifest.json").read_text())["programs"]) == [platform.machine()]
    return (modules / "files" / "bin" / platform.machine() / "pharos-modules").read_text()


def test_two_checkouts_that_share_a_target_folder(tmp_path: Path, environment: dict[str, str]) -> None:
    checkouts = [checkout(tmp_path / name, name) for name in ("one", "two", "three")]
    builds = [
        subprocess.Popen([modules / "build.sh"], env=environment, stderr=subprocess.PIPE, text=True) for modules in checkouts
    ]
    said = [build.communicate()[1] for build in builds]
    assert [build.returncode for build in builds] == [0, 0, 0], said
    for modules, words in zip(checkouts, said, strict=True):
        assert built(modules) == f"{modules}\n"
        assert f"modules: building the module program for {platform.machine()} (the first time some minutes" in words
    assert sum("another checkout builds into" in words for words in said) == 2

    # a checkout with the same sources builds nothing, and another source is another program
    same, changed = checkout(tmp_path / "same", "two"), checkout(tmp_path / "changed", "two and more")
    for modules, program in ((same, checkouts[1]), (changed, changed)):
        done = subprocess.run([modules / "build.sh"], env=environment, capture_output=True, text=True, check=True)
        assert ("building" in done.stderr) == (program is modules)
        assert built(modules) == f"{program}\n"


def both(folder: Path, environment: dict[str, str], cores: int, broken: str = "") -> subprocess.CompletedProcess[str]:
    """A build for both architectures on a machine of so many cores, with a compiler at hand."""
    tools = folder / "tools"
    (tools / "bin").mkdir(parents=True)
    (tools / "packages.txt").write_text("rustc-web:amd64 1.0\n")
    for path, text in (
        (folder / "programs" / "cargo", TWO),
        (folder / "programs" / "nproc", f"#!/bin/sh\necho {cores}\n"),
        (folder / "programs" / "uname", "#!/bin/sh\necho x86_64\n"),
        (checkout(folder / "one", "one").parent / "scripts" / "toolchain", f"#!/bin/sh\necho {tools}\n"),
    ):
        path.write_text(text)
        path.chmod(0o755)
    more = {"MET": str(folder / "met"), "BROKEN": broken}
    words: list[str | Path] = [folder / "one" / "ansible_modules" / "build.sh", "x86_64", "aarch64"]
    return subprocess.run(words, env=environment | more, capture_output=True, text=True, check=False)


X86, ARM = (f"{name}-unknown-linux-gnu" for name in ("x86_64", "aarch64"))


def test_two_cores_build_both_at_once(tmp_path: Path, environment: dict[str, str]) -> None:
    done = both(tmp_path, environment, 2)
    assert done.returncode == 0, done.stderr
    met = (tmp_path / "met").read_text().splitlines()
    assert sorted(met[:2]) == [f"begin {ARM}", f"begin {X86}"]
    assert f"x86_64: Compiling for {X86}\n" in done.stderr
    assert f"aarch64: Compiling for {ARM}\n" in done.stderr
    files = tmp_path / "one" / "ansible_modules" / "files"
    assert sorted(json.loads((files / "manifest.json").read_text())["programs"]) == ["aarch64", "x86_64"]
    assert [(files / "bin" / name / "pharos-modules").read_text() for name in ("x86_64", "aarch64")] == [f"{X86}\n", f"{ARM}\n"]


def test_one_core_builds_one_after_the_other(tmp_path: Path, environment: dict[str, str]) -> None:
    done = both(tmp_path, environment, 1)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "met").read_text().splitlines() == [f"begin {X86}", f"end {X86}", f"begin {ARM}", f"end {ARM}"]


@pytest.mark.parametrize(("broken", "name"), [(X86, "x86_64"), (ARM, "aarch64")])
def test_one_of_both_that_fails(tmp_path: Path, environment: dict[str, str], broken: str, name: str) -> None:
    done = both(tmp_path, environment, 2, broken)
    assert done.returncode == 1
    assert f"modules: the program for {name} was not built: its lines above say why" in done.stderr
    assert not (tmp_path / "one" / "ansible_modules" / "files").exists()
    # what was built of them is kept
    assert len(list((tmp_path / "cache" / "pharos" / "programs").iterdir())) == 1


@pytest.mark.parametrize("architecture", ["riscv64", "s390x"])
def test_an_architecture_that_cannot_be_built(tmp_path: Path, environment: dict[str, str], architecture: str) -> None:
    modules = checkout(tmp_path / "one", "one")
    done = subprocess.run([modules / "build.sh", architecture], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert f"the program for {architecture} cannot be built" in done.stderr
    assert not (modules / "files").exists()


def test_a_compiler_that_cannot_be_had(tmp_path: Path, environment: dict[str, str]) -> None:
    """An apt without sources; what to do is said, also for who has no such hosts."""
    apt = tmp_path / "programs" / "apt-get"
    apt.write_text("#!/bin/sh\n")
    apt.chmod(0o755)
    modules = checkout(tmp_path / "one", "one")
    done = subprocess.run([modules / "build.sh", "aarch64"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "names no Debian archive" in done.stderr
    assert f"or build for this machine alone: make modules ARCHS={platform.machine()}" in done.stderr
    assert not (modules / "files").exists()
