"""Every decision about a platform site, from the Rust core.

A refused input raises :class:`RejectedError`; its ``report`` lists every finding with code, place and help.
"""

from pharos._errors import RejectedError
from pharos._native import VERSION as __version__
from pharos._native import Code, Diagnostic, Label, Report, code, codes

__all__ = ["Code", "Diagnostic", "Label", "RejectedError", "Report", "__version__", "code", "codes"]
