"""The Kubernetes programs that the tests run, built once a machine from the Go modules that tests/tools/ pins."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bed.paths import exclusive

_PINS = Path(__file__).resolve().parents[1] / "tools"
_SECONDS_BETWEEN_REPORTS = 15


@dataclass(frozen=True)
class Tool:
    """The programs of one module, pinned together in `tests/tools/NAME/`."""

    name: str
    module: str
    """The module whose version is the tool's."""
    programs: dict[str, str]
    """Program -> its Go package."""
    stamped: tuple[str, ...] = ()
    """Packages whose variables tell the version: upstream's release builds set them when linking."""

    @property
    def pins(self) -> Path:
        """The folder of its `go.mod` and `go.sum`."""
        return _PINS / self.name

    @property
    def version(self) -> str:
        """As pinned: `v1.33.13`."""
        for line in (self.pins / "go.mod").read_text().splitlines():
            words = line.removeprefix("require").split()
            if words[:1] == [self.module] and len(words) > 1:
                return words[1]
        raise LookupError(f"{self.pins}/go.mod pins no {self.module}")

    def link_flags(self) -> str:
        """What the linker is told: no symbol table, and the version."""
        major, minor, _ = self.version.removeprefix("v").split(".", 2)
        values = {"gitVersion": self.version, "gitMajor": major, "gitMinor": minor}
        stamps = [f"-X {package}.{name}={value}" for package in self.stamped for name, value in values.items()]
        return " ".join(["-s -w", *stamps])

    def home(self) -> Path:
        """Where its programs are kept: another pin, or another source of ours, is another folder."""
        digest = hashlib.sha256(repr((self.programs, self.link_flags())).encode())
        for each in ("go.mod", "go.sum", *sorted(path.name for path in self.pins.glob("*.go"))):
            digest.update((self.pins / each).read_bytes())
        return _cache() / f"{self.name}-{self.version}-{digest.hexdigest()[:12]}"


ETCD = Tool("etcd", "go.etcd.io/etcd/server/v3", {"etcd": "go.etcd.io/etcd/server/v3"})
KUBERNETES = Tool(
    "kubernetes",
    "k8s.io/kubernetes",
    {
        "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
        "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
        "kubectl": "k8s.io/kubernetes/cmd/kubectl",
    },
    ("k8s.io/component-base/version",),
)
KWOK = Tool("kwok", "sigs.k8s.io/kwok", {"kwok": "sigs.k8s.io/kwok/cmd/kwok"})
HELM = Tool("helm", "helm.sh/helm/v3", {"helm": "helm.sh/helm/v3/cmd/helm"})
# A program of ours (tests/tools/istio/main.go) around Istio's pilot, whose own needs a whole cluster to start.
ISTIO = Tool("istio", "istio.io/istio", {"pilot-config": "."})
# Its kinds alone: see `cluster.rook`.
ROOK = Tool("rook", "github.com/rook/rook", {})

TOOLS = (ETCD, KUBERNETES, KWOK, HELM, ISTIO)


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "pharos" / "tools"


@cache
def program(name: str) -> Path:
    """The path of a program; builds it if no run on this machine has done so."""
    for tool in TOOLS:
        if name in tool.programs:
            return _ensure(tool, name)
    raise LookupError(f"no tool brings {name}")


def ensure_all() -> None:
    """Every program, missing ones built one after the other."""
    for tool in TOOLS:
        for name in tool.programs:
            program(name)


def module_folder(tool: Tool) -> Path:
    """The sources of the tool's module, in Go's own cache; fetched if they are not there."""
    go = ["go", "mod", "download", "-json", tool.module]
    said = subprocess.run(go, cwd=tool.pins, env={**os.environ, "GOWORK": "off"}, check=True, stdout=subprocess.PIPE)
    return Path(json.loads(said.stdout)["Dir"])


def _ensure(tool: Tool, name: str) -> Path:
    built = tool.home() / name
    if not built.exists():
        with exclusive(_cache() / f"{tool.name}.lock"):
            if not built.exists():
                _forget_older(tool)
                _build(tool, name, built)
    return built


def _forget_older(tool: Tool) -> None:
    """Remove what other pins built, once it is a month old."""
    for other in _cache().glob(f"{tool.name}-v*"):
        if other != tool.home() and time.time() - other.stat().st_mtime > 30 * 86400:
            shutil.rmtree(other)


def _build(tool: Tool, name: str, target: Path) -> None:
    """Build one program. Go's own build cache keeps what a killed build had compiled, so that the next one goes on there."""
    go = shutil.which("go")
    if go is None:
        raise FileNotFoundError(f"{name} is built with Go: install Go 1.26 or newer, then run this again")
    target.parent.mkdir(parents=True, exist_ok=True)
    argv = ["nice", "-n", "19", go, "build", "-v", "-trimpath", "-buildvcs=false", "-ldflags", tool.link_flags()]
    environment = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}
    label = f"{name} {tool.version}"
    with tempfile.TemporaryDirectory(prefix=".new.", dir=target.parent) as aside:
        new = Path(aside, name)
        began = time.monotonic()
        _say(f"{label}: building (once a machine)")
        child = subprocess.Popen(
            [*argv, "-o", str(new), tool.programs[name]],
            cwd=tool.pins,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        said = list(_followed(child, label))
        if child.wait() != 0:
            raise RuntimeError(f"go could not build {label}:\n" + "".join(said[-40:]))
        new.rename(target)
    _say(f"{label}: built in {time.monotonic() - began:.0f} s")


def _followed(child: subprocess.Popen[str], label: str) -> Iterator[str]:
    """The lines that go writes, one for each package that it compiles; tells now and then how far it is."""
    count = 0
    ended = threading.Event()

    def report() -> None:
        while not ended.wait(_SECONDS_BETWEEN_REPORTS):
            _say(f"{label}: {count} packages compiled")

    teller = threading.Thread(target=report, daemon=True)
    teller.start()
    try:
        for line in child.stderr or ():
            count += not line.startswith(("go: ", "#", "\t"))
            yield line
    finally:
        ended.set()
        teller.join()


def _say(text: str) -> None:
    print(f"test-tools: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    ensure_all()
