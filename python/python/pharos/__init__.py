"""Every decision about a platform site, from the Rust core.

A refused input raises :class:`RejectedError`; its ``report`` lists every finding with code, place and help. A document is
handed over as ``(name, text)``, or with the bytes of its file; the name is what messages call it.
"""

from pharos._errors import RejectedError
from pharos._native import VERSION as __version__
from pharos._native import (
    Code,
    Diagnostic,
    Label,
    Report,
    certificate_check,
    certificate_describe,
    check,
    code,
    codes,
    edge_environment,
    edge_inspect,
    edge_render,
    inventory,
    inventory_bindings,
    inventory_graph,
    inventory_text,
    observe_cluster,
    routes,
)

__all__ = [
    "Code",
    "Diagnostic",
    "Label",
    "RejectedError",
    "Report",
    "__version__",
    "certificate_check",
    "certificate_describe",
    "check",
    "code",
    "codes",
    "edge_environment",
    "edge_inspect",
    "edge_render",
    "inventory",
    "inventory_bindings",
    "inventory_graph",
    "inventory_text",
    "observe_cluster",
    "routes",
]
