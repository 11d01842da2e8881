"""What is said while work goes on, and how it ends."""

from __future__ import annotations

import sys

import pharos

REFUSED = 1
WORLD = 3
INTERRUPTED = 130


class Progress:
    """Says what is being done, on the error stream: the output is for the answer alone."""

    def __init__(self, operation: str) -> None:
        self.operation = operation

    def __call__(self, words: str) -> None:
        print(f"{self.operation}: {words}", file=sys.stderr, flush=True)


def say(*reports: pharos.Report) -> None:
    """Print reports on the error stream."""
    for report in reports:
        if len(report):
            print(report.human(colour=sys.stderr.isatty()), file=sys.stderr)
            print(report.summary, file=sys.stderr)
