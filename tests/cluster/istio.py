"""Istio's own kinds and charts, of the release that tests/tools/istio pins."""

from pathlib import Path

from bed.commands import run
from cluster.control_plane import ControlPlane
from cluster.tools import ISTIO, module_folder, program

_DEFINITIONS = "manifests/charts/base/files/crd-all.gen.yaml"
_CHARTS = ("base", "istio-control/istio-discovery", "istio-cni", "gateway")


def install_kinds(plane: ControlPlane) -> None:
    """Give the API server Istio's kinds, and wait until it serves them."""
    path = str(module_folder(ISTIO) / _DEFINITIONS)
    plane.kubectl("apply", "--server-side", f"--filename={path}")
    plane.kubectl("wait", "--for=condition=Established", "--timeout=60s", f"--filename={path}")


def package_charts(folder: Path, version: str) -> Path:
    """Istio's charts as the archives that a release of this version has: upstream's builds write it into the sources."""
    for chart in _CHARTS:
        source = module_folder(ISTIO) / "manifests" / "charts" / chart
        run([program("helm"), "package", source, f"--version={version}", f"--app-version={version}", f"--destination={folder}"])
    return folder
