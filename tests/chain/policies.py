"""Stands for the cluster's network plugin and for kube-proxy, by packet filters of the namespaces that the bed's pods live in.

Written from Kubernetes' own page on network policies: a pod that a policy of a direction selects is closed in that direction
but for what its policies allow together; the answers to what was allowed are allowed. What a filter refuses it resets, so
that a test need not wait.
"""

import ipaddress
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from bed.commands import run
from bed.network import Namespace

Object = dict[str, Any]

_FILTER = """
table inet policies_{hook}
delete table inet policies_{hook}
table inet policies_{hook} {{
  chain {hook} {{
    type filter hook {hook} priority 0; policy accept;
    meta {side} lo accept
    ip {other} {node} accept
    ct state established,related accept
    {lines}
  }}
}}
"""


_NODE_PORT = """
table inet node_port
delete table inet node_port
table inet node_port {{
  chain prerouting {{
    type nat hook prerouting priority -100; policy accept;
    tcp dport {port} redirect to :{target}
  }}
}}
"""


@dataclass(frozen=True)
class Pod:
    """A pod with an address of its own."""

    namespace: str
    address: str
    labels: dict[str, str] = field(default_factory=dict)


def lead(where: Namespace, port: int, target: int) -> None:
    """Let a node's port lead to its pod's as kube-proxy does under the local traffic policy: the caller's address stays."""
    run([*where.enter(), "nft", "-f", "-"], stdin=_NODE_PORT.format(port=port, target=target))


def enforce(
    where: Namespace, hook: str, pods: Iterable[Pod], policies: Sequence[Object], others: Sequence[Pod], node: str
) -> None:
    """Let a namespace keep to the policies of the pods in it: `input` is what they are sent, `output` what they send.

    No policy comes between them and their own `node`.
    """
    side, other = ("iif", "saddr") if hook == "input" else ("oif", "daddr")
    lines = "\n    ".join(line for pod in pods for line in _lines(pod, hook, policies, others))
    run([*where.enter(), "nft", "-f", "-"], stdin=_FILTER.format(hook=hook, side=side, other=other, node=node, lines=lines))


def _lines(pod: Pod, hook: str, policies: Sequence[Object], others: Sequence[Pod]) -> Iterator[str]:
    direction, key, peers_key = ("Ingress", "ingress", "from") if hook == "input" else ("Egress", "egress", "to")
    own, other = ("daddr", "saddr") if hook == "input" else ("saddr", "daddr")
    selecting = [each for each in policies if _closes(each, direction, pod)]
    if not selecting:
        return
    for policy in selecting:
        namespace = policy["metadata"]["namespace"]
        for rule in policy["spec"].get(key, []):
            for peer in _peers(rule.get(peers_key), namespace, others):
                for port in _ports(rule.get("ports")):
                    yield f"ip {own} {pod.address} {f'ip {other} {peer} ' if peer else ''}{port} accept"
    yield f"ip {own} {pod.address} meta l4proto tcp reject with tcp reset"


def _closes(policy: Object, direction: str, pod: Pod) -> bool:
    spec = policy["spec"]
    named = spec.get("policyTypes") or ["Ingress", *(["Egress"] if "egress" in spec else [])]
    return (
        direction in named
        and policy["metadata"]["namespace"] == pod.namespace
        and _selects(spec.get("podSelector", {}), pod.labels)
    )


def _selects(selector: Object, labels: dict[str, str]) -> bool:
    wanted = selector.get("matchLabels", {})
    if set(selector) - {"matchLabels"}:
        raise NotImplementedError(f"the bed's filter reads matchLabels alone, not {sorted(selector)}")
    return all(labels.get(key) == value for key, value in wanted.items())


def _peers(peers: list[Object] | None, namespace: str, others: Sequence[Pod]) -> Iterator[str]:
    """Addresses and networks; an empty word for everybody."""
    if not peers:
        yield ""
        return
    for peer in peers:
        if "ipBlock" in peer:
            yield from _block(peer["ipBlock"])
        else:
            yield from (each.address for each in others if _is_peer(peer, namespace, each))


def _block(block: Object) -> Iterator[str]:
    if ":" in block["cidr"]:
        return  # the bed's pods speak IPv4
    parts = [ipaddress.IPv4Network(block["cidr"])]
    for text in block.get("except", []):
        hole = ipaddress.IPv4Network(text)
        parts = [left for part in parts for left in (part.address_exclude(hole) if hole.subnet_of(part) else [part])]
    yield from map(str, parts)


def _is_peer(peer: Object, namespace: str, pod: Pod) -> bool:
    if "namespaceSelector" in peer:
        if not _selects(peer["namespaceSelector"], {"kubernetes.io/metadata.name": pod.namespace}):
            return False
    elif pod.namespace != namespace:
        return False
    return _selects(peer.get("podSelector", {}), pod.labels)


def _ports(ports: list[Object] | None) -> Iterator[str]:
    if not ports:
        yield "meta l4proto tcp"
    for each in ports or []:
        if each.get("protocol", "TCP") == "TCP":
            last = f"-{each['endPort']}" if "endPort" in each else ""
            yield f"tcp dport {each['port']}{last}"
