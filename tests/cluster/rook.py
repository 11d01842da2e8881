"""Rook's own CephCluster in a test's API server, from the definitions of the release that tests/tools/rook pins."""

from bed.waiting import until
from cluster.control_plane import ControlPlane
from cluster.tools import ROOK, module_folder

CEPH_CLUSTER = "cephclusters.ceph.rook.io"
"""The name of the definition."""

_DEFINITIONS = "deploy/examples/crds.yaml"


def install_ceph_cluster(plane: ControlPlane) -> None:
    """Give the API server the kind CephCluster, and wait until it is served. No operator runs: tests write the status."""
    documents = (module_folder(ROOK) / _DEFINITIONS).read_text(encoding="utf-8").split("\n---\n")
    (definition,) = (each for each in documents if f"\n  name: {CEPH_CLUSTER}\n" in each)
    plane.kubectl("apply", "--server-side", "--filename=-", stdin=definition)
    served = ("get", "--raw", "/apis/ceph.rook.io/v1/cephclusters")
    until(lambda: plane.kubectl(*served, check=False).ok, "CephCluster is served", seconds=60)
