"""The hosts' file systems: two layers a release, built once and kept in the cache.

`base` has systemd, sshd and Python; `edge` adds nginx and certbot on top of it. Packages come from whatever
Debian mirror the machine's own apt uses. A root is built aside and renamed into place, under a lock. Its time of
modification is when it was last used: one of another recipe that nobody has used for a month is removed.
"""

import functools
import hashlib
import os
import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bed import recipe, tools
from bed.commands import run
from bed.paths import cache, exclusive, need_root
from bed.recipe import Release

_UNUSED = 30 * 86400
"""Seconds after which a root of another recipe goes."""


@dataclass(frozen=True)
class Root:
    """A release's file system; never written to: hosts and nginx runs lay an overlay above it."""

    release: Release
    path: Path

    def layers(self, *, installed: bool = True) -> tuple[Path, ...]:
        """The overlay's lower directories, uppermost first; `installed` is with nginx and certbot."""
        base, edge = self.path / "base", self.path / "edge"
        return (edge, base) if installed else (base,)


@functools.cache
def _key() -> str:
    return hashlib.sha256(Path(recipe.__file__).read_bytes()).hexdigest()[:12]


@functools.cache
def ensure(release: Release) -> Root:
    """The root of `release`; builds it (about a minute) if no run has done so before."""
    path = cache() / "roots" / f"{release}-{_key()}"
    if not path.is_dir():
        need_root()
        tools.ensure()
        with exclusive(path.with_name(path.name + ".lock")):
            if not path.is_dir():
                _build(release, path)
    os.utime(path)
    prune(path.parent)
    return Root(release, path)


def prune(folder: Path) -> None:
    """Remove what of other recipes no checkout has used for a month: roots, what killed builds left, and their locks."""
    recent = time.time() - _UNUSED
    for old in folder.iterdir():
        if old.is_dir() and _key() not in old.name and old.stat().st_mtime < recent:
            lock = folder / f"{old.name.lstrip('.').partition('.')[0]}.lock"
            with exclusive(lock):
                shutil.rmtree(old, ignore_errors=True)
            lock.unlink(missing_ok=True)


def ensure_all() -> list[Root]:
    """Every release's root, missing ones built at the same time."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(ensure, recipe.RELEASES))


def _build(release: Release, path: Path) -> None:
    for old in path.parent.glob(f".{path.name}.*"):  # left by a killed build: the lock is ours, so nobody writes it
        shutil.rmtree(old)
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        aside.chmod(0o755)
        _base(release, aside / "base")
        _edge(aside / "base", aside / "edge")
        os.sync()
        aside.rename(path)
    except BaseException:
        shutil.rmtree(aside)
        raise


def _base(release: Release, base: Path) -> None:
    source = f"deb {_mirror()} {release} main"
    options = [*recipe.MMDEBSTRAP, f"--include={','.join(recipe.BASE)}", f"--customize-hook={recipe.FETCH}"]
    environment = {**os.environ, "TMPDIR": str(base.parent)}
    run(["mmdebstrap", *options, release, base, source], environment=environment, timeout=1800)
    _index(base / recipe.OFFER.lstrip("/"))
    _in_root(base, recipe.FINISH)


def _edge(base: Path, edge: Path) -> None:
    edge.mkdir()
    work, merged = edge.with_name("work"), edge.with_name("merged")
    work.mkdir()
    merged.mkdir()
    mount = f"mount -t overlay overlay -o lowerdir={base},upperdir={edge},workdir={work} {merged}"
    # The mount lives in a namespace of its own: it is gone when the shell is.
    inner = f"{mount} && {_PREVENT_START} && {_CHROOT}"
    run(["unshare", "--mount", "sh", "-ec", inner, "sh", merged, recipe.INSTALL], timeout=1800)
    (edge / "usr/sbin/policy-rc.d").unlink()
    shutil.rmtree(work)
    merged.rmdir()


_CLEAN = "env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8"
_CHROOT = f'mount -t proc proc "$1/proc" && {_CLEAN} chroot "$1" sh -c "$2"'
_PREVENT_START = 'printf "#!/bin/sh\\nexit 101\\n" > "$1/usr/sbin/policy-rc.d" && chmod 755 "$1/usr/sbin/policy-rc.d"'


def _in_root(root: Path, script: str) -> None:
    run(["unshare", "--mount", "sh", "-ec", _CHROOT, "sh", root, script])


def _index(folder: Path) -> None:
    """Write the `Packages` file that makes a folder of .deb files an apt repository."""
    entries = []
    for package in sorted(folder.glob("*.deb")):
        control = run(["dpkg-deb", "--field", package]).stdout.strip()
        digest = hashlib.sha256(package.read_bytes()).hexdigest()
        entries.append(f"{control}\nFilename: ./{package.name}\nSize: {package.stat().st_size}\nSHA256: {digest}\n")
    (folder / "Packages").write_text("\n".join(entries))


def _mirror() -> str:
    """The Debian archive that the machine's own apt is set up with."""
    form = "$(LABEL) $(COMPONENT) $(REPO_URI)"
    for refresh in (False, True):
        if refresh:
            run(["apt-get", "update", "-q"], environment=os.environ)
        for line in run(["apt-get", "indextargets", "--format", form, "Created-By: Packages"]).stdout.splitlines():
            label, component, address = line.split(" ", 2)
            if (label, component) == ("Debian", "main"):
                return address
    raise LookupError("the machine's apt has no Debian archive: the bed's hosts are Debian 12 and 13")


if __name__ == "__main__":
    tools.ensure()
    for root in ensure_all():
        print(root.path)
