"""Files as the core is handed them: a name for messages, and no more bytes than the core judges."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pharos._world import FileError, printable

File = tuple[str, bytes]

KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Utf8(click.types.StringParamType):
    """An argument that is a text; the command line may hold any bytes."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The value itself, unless bytes of it are no UTF-8."""
        text = str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail(f"{printable(text)!r} is not UTF-8.", param, ctx)
        return text


class FilePath(click.Path):
    """A path. `~/` at its beginning is the home also where a shell leaves it as it is: in `--chart=~/routes`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; a folder that is named `~` is meant by `./~`."""
        text = os.fspath(value)
        if isinstance(text, str) and (text == "~" or text.startswith("~/")):
            value = Path(text).expanduser()
        return super().convert(value, param, ctx)


# The path of an input. Whether it can be read is found out when it is: that it cannot is no wrong usage.
INPUT = FilePath(path_type=Path, readable=False, allow_dash=True)


def read(path: Path, most: int) -> File:
    """A regular file. One that is larger than ``most`` is read one byte further, so that the core refuses it."""
    mode = path.stat().st_mode
    # Before it is opened: the opening of a pipe waits, and that of a device may do anything.
    if not stat.S_ISREG(mode):
        kind = KINDS.get(stat.S_IFMT(mode), "of another kind")
        raise FileError(path, f"not a regular file, but {kind}", "not-regular")
    with path.open("rb") as file:
        return printable(path), file.read(most + 1)


def standard_input(most: int) -> File:
    """The standard input, called ``-``, within the same bound."""
    try:
        return "-", sys.stdin.buffer.read(most + 1)
    except AttributeError:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard input") from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard input") from None


def below(folder: Path, wanted: Callable[[Path], bool] = lambda _: True) -> list[Path]:
    """The regular files below a folder, in order; a folder that cannot be read is an error, not an empty one."""

    def fail(error: OSError) -> None:
        raise error

    found = (Path(parent) / name for parent, _, names in os.walk(folder, onerror=fail) for name in names)
    return sorted(path for path in found if wanted(path) and path.is_file())
