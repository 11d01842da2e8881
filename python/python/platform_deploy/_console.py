"""What is said while work goes on, and how it ends."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

import pharos


class Progress:
    """Says what is being done, on the error stream: the output is for the answer alone.

    A step that takes long is told again, with the time that it has taken so far.
    """

    def __init__(self, operation: str, step: str = "", *, again: float = 10) -> None:
        """``step`` is the first one, which is only told once it takes long: after ``again`` seconds."""
        self.operation = operation
        self.again = again
        self._step = step
        self._began = self._said = time.monotonic()
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def __call__(self, words: str) -> None:
        """A step begins, or says how far it is."""
        with self._lock:
            self._step, self._began = words, time.monotonic()
            self._say(words)

    def _say(self, words: str) -> None:
        self._said = time.monotonic()
        print(f"{self.operation}: {words}", file=sys.stderr, flush=True)

    def _remind(self) -> None:
        while not self._ended.wait(self.again / 10):
            with self._lock:
                if self._step and time.monotonic() - self._said >= self.again:
                    self._say(f"{self._step}; {time.monotonic() - self._began:.0f} s so far")

    def __enter__(self) -> Progress:
        threading.Thread(target=self._remind, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()


def say(*reports: pharos.Report) -> None:
    """Print reports on the error stream."""
    for report in reports:
        if len(report):
            print(report.human(colour=sys.stderr.isatty()), file=sys.stderr)
            print(report.summary, file=sys.stderr)
