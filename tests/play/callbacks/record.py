"""Writes what came of each task, one JSON object a line, to the file that `PLAY_RECORD` names."""

import json
import os
import time
from pathlib import Path
from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: record
type: notification
short_description: What came of each task
description: One JSON object a line.
"""


class CallbackModule(CallbackBase):
    """Records every result."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "record"

    def __init__(self) -> None:
        """Nothing has begun."""
        super().__init__()
        self._began: dict[tuple[str, str], float] = {}

    def v2_runner_on_start(self, host: Any, task: Any) -> None:
        """A task that begins on a host."""
        self._began[host.get_name(), task._uuid] = time.perf_counter()

    def v2_runner_on_ok(self, result: Any) -> None:
        """A task that went well."""
        self._record("ok", result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """A task that failed."""
        self._record("failed", result)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """A host that was lost."""
        self._record("unreachable", result)

    def v2_runner_on_skipped(self, result: Any) -> None:
        """A task that was passed over."""
        self._record("skipped", result)

    def _record(self, outcome: str, result: Any) -> None:
        # ansible-core before 2.19 has these under private names
        host, task, answer = (getattr(result, name, None) or getattr(result, f"_{name}") for name in ("host", "task", "result"))
        name = host.get_name()
        seconds = time.perf_counter() - self._began[name, task._uuid]
        line = {"task": result.task_name, "host": name, "outcome": outcome, "result": answer, "seconds": seconds}
        line |= {"action": task.resolved_action or task.action}
        with Path(os.environ["PLAY_RECORD"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, default=str) + "\n")
