"""Asking the core on the controller: in this process, or the collection's own program."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from ansible_collections.pharos.platform.plugins.plugin_utils.cache import Cache
from ansible_collections.pharos.platform.plugins.plugin_utils.channel import ControllerChannel
from ansible_collections.pharos.platform.plugins.plugin_utils.collection import GENERATED, programs
from ansible_collections.pharos.platform.plugins.plugin_utils.fault import Fault, TransportError, quoted

_native: Any = None
_broken: Fault | None = None
try:
    from pharos import _native
except ImportError:  # the collection then asks its own program
    pass
except (
    Exception,
    SystemExit,
) as error:  # it is there and does not work: what it was to decide is not guessed
    _broken = Fault(
        "module/broken-package",
        f"the Python package `pharos` of the controller ends its import: {quoted(f'{type(error).__name__}: {error}')}",
        f"install it anew for {sys.executable}, or remove it: the collection then runs its own program",
        "controller",
    )


def request(name: str, arguments: dict[str, Any], host: str = "") -> dict[str, Any]:
    """What the core is asked of a module or plugin, in the words of its own reader."""
    return {
        "module": name,
        "version": GENERATED["version"],
        "instant": int(time.time()),
        "host": host,
        "arguments": arguments,
    }


def ask(question: dict[str, Any]) -> dict[str, Any]:
    """The core's answer: in this process if the bindings are installed (they refuse another version), else by our own program."""
    answer: dict[str, Any]
    if _broken is not None:
        raise TransportError(_broken)
    if _native is not None:
        answer = json.loads(_native.run_module(encode(question).decode()))
        return answer
    answer = Cache(ControllerChannel(), programs()).ask(encode(question))
    return answer


def encode(question: dict[str, Any]) -> bytes:
    """A request as JSON; what that does not have (a date, a vaulted text) is the text that it prints as."""
    return json.dumps(question, default=str).encode()
