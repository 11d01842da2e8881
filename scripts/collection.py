"""The collection as it is published: modules, programs, and with them the playbooks, roles, catalogue and chart of this checkout.

    python scripts/collection.py FOLDER

writes FOLDER/pharos-platform-VERSION.tar.gz; equal inputs give equal bytes. Who installs it needs no checkout: a playbook
`playbooks/edge-distributed.yml` is `ansible-playbook pharos.platform.edge_distributed` there, for such a name has no hyphen.
"""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 20_000_000
"""Bytes that the public index takes."""
_PLAYBOOK = re.compile(r"playbooks/([a-z-]+)\.yml")
_NOT_SHIPPED = shutil.ignore_patterns("__pycache__", "*.pyc")


def stage(folder: Path) -> None:
    """Lay out the collection's folder."""
    own = ROOT / "ansible_modules"
    for name in ("galaxy.yml", "README.md"):
        shutil.copy(own / name, folder)
    shutil.copy(ROOT / "LICENSE", folder)
    for name in ("meta", "plugins", "files"):
        shutil.copytree(own / name, folder / name, ignore=_NOT_SHIPPED)
    for name in ("roles", "catalogue", "charts"):
        shutil.copytree(ROOT / name, folder / name, ignore=_NOT_SHIPPED)
    (folder / "playbooks").mkdir()
    for playbook in sorted((ROOT / "playbooks").glob("*.yml")):
        text = _PLAYBOOK.sub(lambda found: f"pharos.platform.{_name(found[1])}", playbook.read_text())
        (folder / "playbooks" / f"{_name(playbook.stem)}.yml").write_text(text)


def _name(playbook: str) -> str:
    return playbook.replace("-", "_")


def build(staged: Path, out: Path) -> Path:
    """Have ansible-galaxy build it, and lay its archive out anew without times and owners."""
    galaxy = Path(sys.executable).with_name("ansible-galaxy")
    environment = {**os.environ, "ANSIBLE_HOME": str(out), "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")}
    words: list[str | Path] = [galaxy, "collection", "build", staged, "--output-path", out]
    subprocess.run(words, check=True, env=environment, stdout=subprocess.DEVNULL)
    (archive,) = out.glob("*.tar.gz")
    return archive


def in_order(found: tarfile.TarFile) -> dict[str, bytes]:
    """The two lists of files that ansible-galaxy wrote, by name: it lists a folder in the order that the file system has."""
    files, manifest = (json.loads(_content(found, name)) for name in ("FILES.json", "MANIFEST.json"))
    files["files"].sort(key=lambda each: each["name"])
    text = json.dumps(files, indent=1).encode()
    manifest["file_manifest_file"]["chksum_sha256"] = hashlib.sha256(text).hexdigest()
    return {"FILES.json": text, "MANIFEST.json": json.dumps(manifest, indent=1).encode()}


def _content(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    return file.read() if file else b""


def repack(archive: Path, made: Path) -> None:
    """The same files, in order, with the time that SOURCE_DATE_EPOCH says."""
    when = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
    with (
        tarfile.open(archive) as found,
        made.open("wb") as raw,
        gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as written,
    ):
        lists = in_order(found)
        for member in sorted(found.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = when, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            if member.isfile():
                content = lists.get(member.name) or _content(found, member.name)
                member.size = len(content)
                written.addfile(member, io.BytesIO(content))
            else:
                written.addfile(member)


def main() -> int:
    """Build it into the folder that is named."""
    out = Path(sys.argv[1])
    programs = json.loads((ROOT / "ansible_modules" / "files" / "manifest.json").read_text())["programs"]
    with tempfile.TemporaryDirectory() as folder:
        staged, built = Path(folder, "staged"), Path(folder, "built")
        staged.mkdir()
        built.mkdir()
        stage(staged)
        archive = build(staged, built)
        made = out / archive.name
        repack(archive, made)
    size = made.stat().st_size
    print(f"dist: {made.name} holds programs for {', '.join(sorted(programs))}: {size} bytes", file=sys.stderr)
    if size > LIMIT:
        print(f"dist: that is more than the {LIMIT} bytes that the public index takes", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
