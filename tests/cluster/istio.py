"""Istio's own kinds in a test's API server, from the custom resource definitions of the release that tests/tools/istio pins."""

from cluster.control_plane import ControlPlane
from cluster.tools import ISTIO, module_folder

_DEFINITIONS = "manifests/charts/base/files/crd-all.gen.yaml"


def install_kinds(plane: ControlPlane) -> None:
    """Give the API server Istio's kinds, and wait until it serves them."""
    path = str(module_folder(ISTIO) / _DEFINITIONS)
    plane.kubectl("apply", "--server-side", f"--filename={path}")
    plane.kubectl("wait", "--for=condition=Established", "--timeout=60s", f"--filename={path}")
