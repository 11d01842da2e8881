"""Stands for the platform's applications: echo servers for HTTP, WebSocket and gRPC, and a slow one."""

import sys
from dataclasses import dataclass
from pathlib import Path

import bed
from bed.hosts import Bed
from bed.process import Process
from bed.programs.ports import GRPC, HTTP, SLOW, WEBSOCKET

LOOPBACK = "127.0.0.1"


def program(name: str, *arguments: str) -> list[str]:
    """The words that run a program of `bed.programs` with the caller's Python."""
    code = f"import sys; sys.path.insert(0, {str(Path(bed.__file__).parents[1])!r}); "
    return [sys.executable, "-c", f"{code}from bed.programs.{name} import main; main()", *arguments]


@dataclass
class Backends:
    """The echo servers, on the control side's loopback: only the gateway reaches them."""

    bed: Bed
    _process: Process | None = None

    def start(self) -> "Backends":
        """Start them."""
        self._process = self.bed.spawn("backends", program("backends"))
        for port in (HTTP, WEBSOCKET, GRPC, SLOW):
            self.bed.wait_for_port(LOOPBACK, port, process=self._process)
        return self

    def stop(self) -> None:
        """Stop them: the gateway then answers 503."""
        if self._process is not None:
            self._process.stop()
