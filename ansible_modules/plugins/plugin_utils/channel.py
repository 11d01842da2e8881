"""The two places where a command can be run: the host of the task, and the controller itself."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from typing import Any, NamedTuple, Protocol


class Reply(NamedTuple):
    """What a command printed, and how it ended."""

    code: int
    output: str
    errors: str


class Channel(Protocol):
    """Runs POSIX shell commands as one user of one machine."""

    @property
    def has_input(self) -> bool:
        """Whether a command can be given bytes on its standard input."""

    def run(self, command: str, data: bytes | None = None) -> Reply:
        """Runs the command to its end."""

    def put(self, name: str, data: bytes) -> str:
        """Leaves the bytes in a private temporary file that the user may read; answers its path."""

    def environment(self) -> str:
        """Assignments to write before a program's name, from the task's `environment`; each ends in a space."""


class TargetChannel:
    """The host of the task, over the connection and with the `become` of the task."""

    def __init__(self, action: Any) -> None:
        self._action = action
        self._has_input = self._carries_input()

    @property
    def has_input(self) -> bool:
        """What pipelining asks for, whether it is switched on or not: no `su`, no terminal."""
        return self._has_input

    def without_input(self) -> None:
        """From now on sends files: the host asks for a terminal."""
        self._has_input = False

    def run(self, command: str, data: bytes | None = None) -> Reply:
        """Runs the command as the user of the task."""
        result = self._action._low_level_execute_command(command, in_data=data)
        return Reply(result["rc"], result["stdout"], result["stderr"])

    def put(self, name: str, data: bytes) -> str:
        """Sends the bytes into the task's temporary folder, which Ansible removes afterwards."""
        shell = self._action._connection._shell
        folder = shell.tmpdir or self._action._make_tmp_path()
        path: str = shell.join_path(folder, name)
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            self._action._transfer_file(file.name, path)
        self._action._fixup_perms2([folder, path])
        return path

    def environment(self) -> str:
        """The task's `environment`."""
        assignments: str = self._action._compute_environment_string()
        return f"{assignments} " if assignments else ""

    def _carries_input(self) -> bool:
        connection = self._action._connection
        become = connection.become
        if not connection.has_pipelining:
            return False
        return become is None or bool(getattr(become, "pipelining", become.name != "su"))


class ControllerChannel:
    """The controller, as the user who runs Ansible."""

    has_input = True

    def run(self, command: str, data: bytes | None = None) -> Reply:
        """Runs the command in a shell."""
        done = subprocess.run(["/bin/sh", "-c", command], input=data or b"", capture_output=True, check=False)
        return Reply(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def put(self, name: str, data: bytes) -> str:
        """Never needed: standard input is always there."""
        raise NotImplementedError(shlex.join([name, os.devnull]))

    def environment(self) -> str:
        """Nothing: what runs here depends on its arguments alone."""
        return ""
