"""What the system refuses, in words that both fronts use."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # whoever only imports the package pays for no more of it
    from pharos._native import Report

Input = TypeVar("Input")
Output = TypeVar("Output")

# What a stream refuses that an answer is written to.
OF_A_STREAM = {errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC, errno.EPIPE}

# What a shell says of commands that SIGINT and SIGPIPE have ended: 128 and the signal's number. Where nobody reads on it is not
# 0, which would say that all is fit although the rest of the answer was never given.
INTERRUPTED = 130
READER_GONE = 141


class FileError(OSError):
    """A file that is not what was meant, where the system itself has no word for it; ``reason`` is the core's word."""

    def __init__(self, path: Path | str, said: str, reason: str) -> None:
        super().__init__(errno.EINVAL, said, str(path))
        self.reason = reason


class WriteError(OSError):
    """A file that cannot be written."""


def written(path: Path, text: str) -> None:
    """Write a file that the command was told to write."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WriteError(error.errno, error.strerror, str(path)) from None


def printable(path: Path | str) -> str:
    """A name for messages: the bytes of it that are not UTF-8 are replaced."""
    return os.fsencode(path).decode(errors="replace")


def working_directory() -> Path:
    """Where the command is run. A directory that was removed meanwhile is told as what it is."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise FileError("the working directory", "it was removed", "removed") from None


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


def refused_files(error: OSError | ExceptionGroup[OSError]) -> Report:
    """What failed, and why, as a report. Where no file is named, it was the answer that could not be written."""
    from pharos._native import file_refusals

    return file_refusals([_refused(each) for each in _leaves(error)])


def _leaves(error: OSError | ExceptionGroup[OSError]) -> Iterator[OSError]:
    if isinstance(error, ExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error


def _refused(error: OSError) -> dict[str, object]:
    operation = "write" if isinstance(error, WriteError) else "read"
    name = None if error.filename is None else printable(error.filename)
    if is_output_lost(error):
        _abandon_output()
        operation, name = "write", "standard output"
    return {
        "path": name or "the system",
        "operation": operation if name else "go on",
        "said": error.strerror or str(error),
        "number": error.errno,
        "reason": getattr(error, "reason", None),
    }


def is_output_lost(error: OSError | ExceptionGroup[OSError]) -> bool:
    """Whether it is the answer that could not be written: what is still to be said has the error stream alone."""
    return isinstance(error, OSError) and error.filename is None and error.errno in OF_A_STREAM


def is_reader_gone(error: OSError | ExceptionGroup[OSError]) -> bool:
    """Whether it is only that nobody reads on, as after ``| head -1``. What is still to be written is then forgotten."""
    gone = isinstance(error, BrokenPipeError) and error.filename is None
    if gone:
        _abandon_output()
    return gone


def _abandon_output() -> None:
    """What is still held back would fail once more when the interpreter ends, with a status of its own."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
