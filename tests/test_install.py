"""What `make dist` made, installed as docs/guide/install.md says: into empty folders, with no checkout in sight."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from bed.hosts import Host
from bed.paths import cache
from bed.pki import Authority
from bed.services.gateway import PLAIN
from bed.world import World
from edgebed.documents import Site
from edgebed.edge import Edge

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
GUIDE = ROOT / "docs" / "guide" / "install.md"
COLLECTION = "pharos-platform-0.1.0.tar.gz"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)

# Where Ansible looks for settings, roles, plugins and collections of the whole machine: none of them takes part.
OF_THE_MACHINE = [Path("/etc/ansible"), Path("/usr/share/ansible")]

# Where the checkout, its cache and what Ansible has of this machine were is nothing, for this command and what it starts.
_HIDE = 'for each; do shift; [ "$each" = -- ] && break; mount -t tmpfs -o mode=755,size=64k hidden "$each"; done; exec "$@"'
_PLACES = [ROOT, cache().parent, *(place for place in OF_THE_MACHINE if place.is_dir())]
HIDDEN = ["unshare", "--mount", "sh", "-ec", _HIDE, "hide", *map(str, _PLACES), "--"]


def blocks() -> list[str]:
    """The commands of the guide, a text for each of its blocks."""
    texts = _BLOCK.findall(GUIDE.read_text())
    return ["\n".join(line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")) for text in texts]


def policy(site: Site) -> dict[str, Any]:
    return {
        "version": 1,
        "environment": "shop",
        "mode": "distributed",
        "foundation": {"kubernetes": "1.33.5", "cni": {"name": "calico", "version": "3.30.3"}},
        "edge": {
            "origins": {service: f"https://{host}" for service, host in site.origins.items()},
            "gateway": {"upstreams": [site.gateway]},
        },
        "smtp": {"enabled": False},
    }


def environment(home: Path) -> Mapping[str, str]:
    """Of an operator who has nothing but a home; the packages that pip fetches are kept from run to run."""
    base = Path(getattr(sys, "_base_executable", sys.executable)).resolve().parent
    return {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PATH": f"{base}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "PIP_CACHE_DIR": os.environ.get("PIP_CACHE_DIR", str(Path.home() / ".cache" / "pip")),
        "PIP_CONSTRAINT": str(home / "constraint.txt"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        **{name: value for name, value in os.environ.items() if name.startswith(("PIP_INDEX", "SSL_CERT"))},
    }


@pytest.mark.architectures
def test_what_is_published() -> None:
    listed = dict(line.split("  ")[::-1] for line in (DIST / "SHA256SUMS").read_text().splitlines())
    wheel = next(name for name in listed if name.endswith(".whl"))
    assert sorted(listed) == sorted([wheel, COLLECTION, "pharos-0.1.0.cdx.json", "pharos-0.1.0.tar.gz"])
    assert (DIST / COLLECTION).stat().st_size < 20_000_000

    # the wheel says what it needs, and the guide says the same
    assert re.fullmatch(r"pharos-0\.1\.0-cp311-abi3-manylinux_2_\d+_\w+\.whl", wheel)
    assert wheel.replace("0.1.0", "VERSION") in GUIDE.read_text()
    with zipfile.ZipFile(DIST / wheel) as packed:
        assert {"pharos/py.typed", "pharos/_native.pyi", "platform_deploy/__init__.py"} <= set(packed.namelist())
        (native,) = (packed.read(name) for name in packed.namelist() if name.endswith(".so"))
    newest = max(tuple(map(int, found.split(b"."))) for found in re.findall(rb"GLIBC_([0-9.]+)\0", native))
    assert newest <= tuple(map(int, wheel.split("manylinux_")[1].split("_")[:2]))

    bill = (DIST / "pharos-0.1.0.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill) is None
    components = {each["name"]: each for each in json.loads(bill)["components"]}
    for name in (wheel, COLLECTION, "pharos-0.1.0.tar.gz"):
        assert components[name]["hashes"] == [{"alg": "SHA-256", "content": listed[name]}]
    assert {"openssl", "glibc", "pyo3", "serde_json", "click", "ansible-core"} <= set(components)
    assert "insta" not in components


@pytest.mark.hosts
def test_an_edge_from_the_packages_alone(session_world: World, bookworm: Host, tmp_path: Path) -> None:
    world, home, place = session_world, tmp_path / "home", tmp_path / "site"
    site = Site(f"{world.gateway.v4}:{PLAIN}")
    shutil.copytree(DIST, place)
    home.mkdir()
    (home / "constraint.txt").write_text("ansible-core==2.19.14\n")
    for path, document in (("catalogue/services.yaml", site.catalogue()), ("environments/shop/policy.yaml", policy(site))):
        (place / path).parent.mkdir(parents=True)
        (place / path).write_text(json.dumps(document, indent=2) + "\n")
    authority = Authority.create("test bed edge")
    (tmp_path / "authority.pem").write_text(authority.pem)
    edge = Edge(world, bookworm, tmp_path / "authority.pem")
    files = edge.put_leaves(authority, site.hosts)
    world.bed.write_inventory(place / "inventory.yml", {"platform-edge": [bookworm]}, variables={"edge_certificate_files": files})

    install, write, run = blocks()
    script = [*HIDDEN, "bash", "-euo", "pipefail", "-c"]
    prepared = subprocess.run(
        [*script, f"{install}\n{write}"], cwd=place, env=environment(home), capture_output=True, text=True, check=False
    )
    assert prepared.returncode == 0, prepared.stdout + prepared.stderr
    activate = f"source ~/pharos/bin/activate\ntest ! -e {ROOT}/README.md\n"
    listed = [*script, f"{activate}ansible-galaxy collection list pharos.platform --format json"]
    found = subprocess.run(listed, cwd=place, env=environment(home), capture_output=True, text=True, check=True).stdout
    places = {Path(folder) for folder, all_of_it in json.loads(found).items() if "pharos.platform" in all_of_it}
    assert places == {home / ".ansible/collections/ansible_collections"}, "and no other copy could be loaded"
    activated = [*script, f"{activate}{run}"]
    words = [*world.bed.control.enter(), *activated]
    for changed in (True, False):
        said = subprocess.run(words, cwd=place, env=environment(home), capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stdout + said.stderr
        assert (" changed=0 " not in said.stdout) == changed, said.stdout
    edge.serves_everything()
