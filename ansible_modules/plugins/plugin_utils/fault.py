"""Faults of the transport itself, in the form in which the core reports its own: a code, what is wrong, and what to do.

`pharos explain CODE` has a page for each code here.
"""

from __future__ import annotations

import textwrap
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """One thing that keeps a task from its program."""

    code: str
    message: str
    help: str
    place: str = "transport"

    def text(self) -> str:
        """The fault for people."""
        return f"error[{self.code}]: {self.message}\n--> {self.place}\n = help: {self.help}  (see `pharos explain {self.code}`)"

    def diagnostic(self) -> dict[str, Any]:
        """The fault for programs."""
        position = dict.fromkeys(("line", "column", "end_line", "end_column", "key"))
        label = {"file": self.place, **position, "text": ""}
        return {"code": self.code, "severity": "error", "message": self.message, "labels": [label], "help": self.help}


class TransportError(Exception):
    """The task cannot be brought to its program."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("\n\n".join(fault.text() for fault in faults))
        self._faults = faults

    def answer(self, host: str) -> dict[str, Any]:
        """The failed task."""
        count = len(self._faults)
        heading = f"{host}: {count} error{'s' if count > 1 else ''}\n\n" if host else ""
        return {
            "failed": True,
            "changed": False,
            "msg": heading + str(self),
            "diagnostics": [fault.diagnostic() for fault in self._faults],
        }


def quoted(text: str) -> str:
    """What a program or a system said, shortened, as a part of a sentence."""
    return textwrap.shorten(text, 400, placeholder=" ...") if text else "it does not say why"
