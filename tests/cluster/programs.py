"""The command lines of a control plane's programs, on loopback with ports and certificates of their own."""

import json
import socket
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path

from bed.pki import Authority
from cluster.tools import program

_ADDRESS = "127.0.0.1"

# Only what tests and the code under test ask is kept: the control plane's own requests would be most of the log.
_AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "None", "users": ["system:apiserver", "system:kube-controller-manager", "system:kwok", "administrator"]},
        {"level": "None", "userGroups": ["system:serviceaccounts"]},
        {"level": "Metadata"},
    ],
}


@dataclass(frozen=True)
class Ports:
    """One free port for each listener."""

    api: int
    etcd: int
    etcd_peer: int
    controllers: int
    kwok: int

    @classmethod
    def free(cls) -> "Ports":
        """Ports that nobody listens on now, all different."""
        with ExitStack() as held:
            sockets = [held.enter_context(socket.socket()) for _ in fields(cls)]
            for each in sockets:
                each.bind((_ADDRESS, 0))
            return cls(*(each.getsockname()[1] for each in sockets))


def write_files(folder: Path, authority: Authority) -> None:
    """Everything that the programs read."""
    folder.joinpath("ca.pem").write_text(authority.pem)
    names = (_ADDRESS, "localhost", "kubernetes.default.svc")
    authority.issue(*names, days=2).write(folder, "api")
    authority.issue(*names, days=2).write(folder, "etcd")
    authority.issue_client("apiserver").write(folder, "etcd-client")
    authority.issue_client("service-accounts").write(folder, "service-accounts")
    folder.joinpath("audit-policy.json").write_text(json.dumps(_AUDIT_POLICY))


def etcd(folder: Path, ports: Ports) -> list[str]:
    """One member that does not wait for the disk: what it holds goes with it."""
    client, peer = f"https://{_ADDRESS}:{ports.etcd}", f"http://{_ADDRESS}:{ports.etcd_peer}"
    return [
        str(program("etcd")),
        f"--data-dir={folder / 'etcd'}",
        "--unsafe-no-fsync",
        "--quota-backend-bytes=4294967296",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        f"--cert-file={folder / 'etcd.pem'}",
        f"--key-file={folder / 'etcd.key'}",
        f"--trusted-ca-file={folder / 'ca.pem'}",
        "--client-cert-auth",
        "--enable-grpc-gateway=false",
        "--log-level=warn",
    ]


def api_server(folder: Path, ports: Ports) -> list[str]:
    """RBAC and an audit log; the endpoints of its own Service are left out, for they may not be loopback."""
    return [
        str(program("kube-apiserver")),
        f"--etcd-servers=https://{_ADDRESS}:{ports.etcd}",
        f"--etcd-cafile={folder / 'ca.pem'}",
        f"--etcd-certfile={folder / 'etcd-client.pem'}",
        f"--etcd-keyfile={folder / 'etcd-client.key'}",
        f"--bind-address={_ADDRESS}",
        f"--advertise-address={_ADDRESS}",
        "--endpoint-reconciler-type=none",
        f"--secure-port={ports.api}",
        f"--tls-cert-file={folder / 'api.pem'}",
        f"--tls-private-key-file={folder / 'api.key'}",
        f"--client-ca-file={folder / 'ca.pem'}",
        "--anonymous-auth=false",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={folder / 'service-accounts.pem'}",
        f"--service-account-signing-key-file={folder / 'service-accounts.key'}",
        "--service-cluster-ip-range=10.0.0.0/24",
        f"--audit-policy-file={folder / 'audit-policy.json'}",
        f"--audit-log-path={folder / 'audit.log'}",
        "--profiling=false",
    ]


def controller_manager(folder: Path, ports: Ports, kubeconfig: Path) -> list[str]:
    """Without the judgement of nodes: KWOK says how they are, and 5,000 simulated ones send no heartbeat in time."""
    return [
        str(program("kube-controller-manager")),
        f"--kubeconfig={kubeconfig}",
        f"--bind-address={_ADDRESS}",
        f"--secure-port={ports.controllers}",
        f"--root-ca-file={folder / 'ca.pem'}",
        f"--service-account-private-key-file={folder / 'service-accounts.key'}",
        "--use-service-account-credentials",
        "--leader-elect=false",
        "--controllers=*,-node-lifecycle-controller,-taint-eviction-controller,-cloud-node-lifecycle-controller",
        "--profiling=false",
    ]


def kwok(folder: Path, ports: Ports, kubeconfig: Path) -> list[str]:
    """Stands for the kubelets of the nodes that are annotated so; renews their leases seldom, for two cores serve everything."""
    return [
        str(program("kwok")),
        f"--kubeconfig={kubeconfig}",
        "--manage-all-nodes=false",
        "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
        "--node-lease-duration-seconds=600",
        f"--server-address={_ADDRESS}:{ports.kwok}",
    ]
