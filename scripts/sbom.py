"""What the published files consist of, as CycloneDX 1.6 in JSON: crates, OpenSSL, the C library, what Python and Ansible need.

    python scripts/sbom.py FOLDER

reads the files in FOLDER and writes FOLDER/pharos-VERSION.cdx.json. The lock files of Cargo and uv say versions and digests,
`cargo metadata` the graph and the licences. Equal files give equal bytes.
"""

import hashlib
import json
import os
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parents[1]
_TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
_LICENSES = LicenseFactory()


def component(kind: str, name: str, version: str, licence: str = "", sha256: str = "", **more: str) -> Component:
    """A package of a registry."""
    purl = PackageURL(kind, name=name, version=version, qualifiers=more or None)
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        version=version,
        purl=purl,
        bom_ref=str(purl),
        licenses=[_LICENSES.make_from_string(licence.replace("/", " OR "))] if licence else (),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=sha256)] if sha256 else (),
    )


class Crates:
    """The crates that a crate of the workspace is made of, on any of the targets."""

    def __init__(self, target: str) -> None:
        """Ask Cargo."""
        words = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
        told = json.loads(subprocess.run(words, cwd=ROOT, check=True, capture_output=True).stdout)
        self._packages = {package["id"]: package for package in told["packages"]}
        self._nodes = {node["id"]: node for node in told["resolve"]["nodes"]}
        self.version = next(package["version"] for package in told["packages"] if package["name"] == "pharos-core")

    def below(self, name: str) -> Iterator[dict[str, Any]]:
        """The crate and all that it needs to be built and to run, without what only tests need."""
        waiting = [identity for identity, package in self._packages.items() if package["name"] == name]
        seen = set(waiting)
        while waiting:
            identity = waiting.pop()
            yield self._packages[identity]
            for needed in self._nodes[identity]["deps"]:
                if needed["pkg"] not in seen and any(kind["kind"] != "dev" for kind in needed["dep_kinds"]):
                    seen.add(needed["pkg"])
                    waiting.append(needed["pkg"])


def crates(name: str) -> list[Component]:
    """The components of a crate of the workspace, by name."""
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    digests = {(each["name"], each["version"]): each.get("checksum", "") for each in locked}
    found: dict[str, Component] = {}
    for target in _TARGETS:
        for package in Crates(target).below(name):
            key = package["name"], package["version"]
            made = component("cargo", *key, package["license"] or "", digests[key])
            found[str(made.bom_ref)] = made
            if package["name"] == "openssl-src":  # 300.6.1+3.6.3 holds OpenSSL 3.6.3
                inside = component("generic", "openssl", package["version"].partition("+")[2], "Apache-2.0")
                found[str(inside.bom_ref)] = inside
    return [found[key] for key in sorted(found)]


def python(*names: str) -> list[Component]:
    """Packages of the Python Package Index, at the versions of devops/uv.lock."""
    locked = {each["name"]: each for each in tomllib.loads((ROOT / "devops" / "uv.lock").read_text())["package"]}
    found: dict[str, Component] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        package = locked[name]
        made = component("pypi", name, package["version"], sha256=package["sdist"]["hash"].removeprefix("sha256:"))
        if str(made.bom_ref) not in found:
            found[str(made.bom_ref)] = made
            waiting += [each["name"] for each in package.get("dependencies", []) if "win32" not in each.get("marker", "")]
    return [found[key] for key in sorted(found)]


def runtimes(architectures: Iterable[str]) -> list[Component]:
    """What the compilers put into the static programs: the C library and Rust's own."""
    found = []
    for architecture in architectures:
        if architecture == os.uname().machine:
            rust = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
            libc = subprocess.run(["ldd", "--version"], check=True, capture_output=True, text=True).stdout.split()
            glibc = libc[libc.index("Copyright") - 1]
        else:
            folder = subprocess.run([ROOT / "scripts" / "toolchain"], check=True, capture_output=True, text=True).stdout.strip()
            packages = dict(line.split()[:2] for line in Path(folder, "packages.txt").read_text().splitlines())
            rust, glibc = packages["rustc-web:amd64"], packages["libc6-dev-arm64-cross:all"]
        found.append(component("generic", "glibc", glibc, "LGPL-2.1-or-later", arch=architecture))
        found.append(component("generic", "rust-std", rust, "Apache-2.0 OR MIT", arch=architecture))
    return found


def published(path: Path) -> Component:
    """One of the files."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    hashes = [HashType(alg=HashAlgorithm.SHA_256, content=digest)]
    return Component(type=ComponentType.FILE, name=path.name, bom_ref=path.name, hashes=hashes)


def describe(folder: Path) -> Bom:
    """The bill of the files in a folder."""
    programs = json.loads((ROOT / "ansible_modules" / "files" / "manifest.json").read_text())["programs"]
    version = Crates(_TARGETS[0]).version
    bindings, click, ansible = crates("pharos-python"), python("click"), python("ansible-core")
    needs = {
        ".whl": [*bindings, *click],
        f"pharos-{version}.tar.gz": [*bindings, *click],
        f"pharos-platform-{version}.tar.gz": [*crates("pharos-modules"), *runtimes(programs), *ansible],
    }
    bom = Bom()
    own = Component(
        type=ComponentType.APPLICATION,
        name="pharos",
        version=version,
        bom_ref=f"pharos@{version}",
        licenses=[_LICENSES.make_from_string("Apache-2.0")],
    )
    bom.metadata.component = own
    files = sorted(path for path in folder.iterdir() if any(path.name.endswith(name) for name in needs))
    made = [published(path) for path in files]
    bom.register_dependency(own, made)
    for file in made:
        inside = next(found for name, found in needs.items() if file.name.endswith(name))
        bom.components.update([file, *inside])
        bom.register_dependency(file, inside)
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_OID, "".join(str(next(iter(file.hashes)).content) for file in made))
    bom.metadata.timestamp = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")), UTC)
    return bom


def main() -> int:
    """Write it beside the files."""
    folder = Path(sys.argv[1])
    bom = describe(folder)
    version = bom.metadata.component.version if bom.metadata.component else ""
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    (folder / f"pharos-{version}.cdx.json").write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
