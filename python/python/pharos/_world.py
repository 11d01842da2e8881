"""What the system refuses, in words that both fronts use."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

Input = TypeVar("Input")
Output = TypeVar("Output")

# What a stream refuses that an answer is written to.
OF_A_STREAM = {errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC, errno.EPIPE}


def printable(path: Path | str) -> str:
    """A name for messages: the bytes of it that are not UTF-8 are replaced."""
    return os.fsencode(path).decode(errors="replace")


def working_directory() -> Path:
    """Where the command is run. A directory that was removed meanwhile is told as what it is."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise OSError(errno.ENOENT, "it was removed; go to another one", "the working directory") from None


def all_of(read: Callable[[Input], Output], inputs: Iterable[Input]) -> list[Output]:
    """What is read of each input. Those that the system refuses are named together: an ``ExceptionGroup`` of their errors."""
    outputs: list[Output] = []
    failed: list[OSError] = []
    for each in inputs:
        try:
            outputs.append(read(each))
        except OSError as error:
            failed.append(error)
    if failed:
        raise ExceptionGroup("files that cannot be read", failed)
    return outputs


def worded(error: OSError | ExceptionGroup[OSError]) -> list[str]:
    """What failed, and why: a line for each. Where no file is named, it was the answer that could not be written."""
    if isinstance(error, ExceptionGroup):
        return [line for each in error.exceptions for line in worded(each)]
    why = error.strerror or str(error)
    if error.filename is not None:
        return [f"{printable(error.filename)}: {why}"]
    if error.errno not in OF_A_STREAM:
        return [why]
    # What is still held back would fail once more when the interpreter ends, with a status of its own.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return [f"standard output: {why}"]
