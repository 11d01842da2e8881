"""A long-running program on a bed's control side."""

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """A program that was started by `Bed.spawn`; its folder holds its log and whatever it is given."""

    name: str
    folder: Path
    log: Path
    child: subprocess.Popen[bytes]

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self.child.poll() is None

    def must_live(self) -> None:
        """Raise `RuntimeError` with the end of its log if it has ended."""
        if not self.alive:
            raise RuntimeError(f"{self.name} ended with {self.child.returncode}:\n{self.said()[-3000:]}")

    def said(self) -> str:
        """Its log so far."""
        return self.log.read_text(errors="replace")

    def stop(self, seconds: float = 5) -> None:
        """End it in order, or at once when that takes longer than `seconds`."""
        if self.alive:
            self.child.terminate()
            try:
                self.child.wait(seconds)
            except subprocess.TimeoutExpired:
                self.child.kill()
        self.child.wait()

    def pause(self) -> None:
        """Stop it from doing anything, its connections open: a stall."""
        os.kill(self.child.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        os.kill(self.child.pid, signal.SIGCONT)
