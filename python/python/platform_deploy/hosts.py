"""Hosts over ssh: read with one command each that leaves nothing there, or leading on to the Kubernetes API.

What hosts are by their answers, the core says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pharos
from platform_deploy.inventory import Progress, environment_of

AT_ONCE = 16
"""How many hosts are read at the same time."""

SECONDS = 30
"""How long a host may take."""


UNREACHED = 255
"""The status of ssh where it does not reach a host."""


class ReaderError(RuntimeError):
    """The reader ended without the answers."""


Answer = tuple[str, int | None, str, str]
"""A host, the exit status of ssh (none if it took too long), what was written and what was complained about."""


class NoWayError(RuntimeError):
    """A host leads nowhere: the exit status and the complaints of ssh."""

    def __init__(self, status: int | None, errors: str) -> None:
        """Keep both for the core, which words them."""
        super().__init__("a host leads nowhere")
        self.status = status
        self.errors = errors


Files = list[tuple[str, bytes]]
"""The static files of an inventory, for the places of what fails in them."""


def read(
    inventory: Path, hosts: list[str], *, files: Files, checkout: Path, progress: Progress
) -> tuple[dict[str, Any], pharos.Report]:
    """The observations of these hosts of an inventory, by name, and the findings on those that gave none."""
    commands = dict.fromkeys(hosts, pharos.host_command())
    answers, withheld = ask(inventory, commands, files=files, checkout=checkout, progress=progress)
    seen, report = pharos.read_hosts(answers)
    return seen, withheld + report


def ask(
    inventory: Path, commands: dict[str, list[str]], *, files: Files, checkout: Path, progress: Progress
) -> tuple[list[Answer], pharos.Report]:
    """What each host answers to its command, by name; and the findings on variables without which hosts were not contacted."""
    request = {
        "inventory": str(_real(inventory)),
        "hosts": list(commands),
        "commands": commands,
        "at_once": AT_ONCE,
        "seconds": SECONDS,
    }
    answers: list[Answer] = []
    report = pharos.ansible_report([], files)
    left = len(commands)
    told = time.monotonic()
    with _reader(request, checkout) as said:
        for answer in said:
            if "failures" in answer:
                report = pharos.ansible_report(answer["failures"], files)
                left -= len(answer["withheld"])
                progress(f"{len(answer['withheld'])} of {len(commands)} hosts are not contacted: a variable of theirs fails")
                continue
            answers.append((answer["host"], answer["status"], answer["output"], answer["errors"]))
            if time.monotonic() - told > 1 or len(answers) == left:
                told = time.monotonic()
                silent = sum(status is None or status == UNREACHED for _, status, _, _ in answers)
                unread = f", {silent} of them without an answer" if silent else ""
                progress(f"{len(answers)} of {left} hosts asked{unread}")
    if len(answers) != left:
        raise ReaderError(f"{len(answers)} of {left} hosts were read")
    return sorted(answers, key=lambda answer: answer[0]), report


@contextmanager
def leading(inventory: Path, host: str, address: str, *, files: Files, checkout: Path) -> Iterator[int]:
    """A port on loopback that leads to `address` (HOST:PORT) by way of a host, for as long as this process is in the block.

    A first connection is tried before: where none comes about, `NoWayError` says what ssh complained about. A host with
    a variable that fails is not contacted: `RejectedError` says which.
    """
    request = {"inventory": str(_real(inventory)), "hosts": [host], "lead_to": address, "seconds": SECONDS}
    with _reader(request, checkout) as said:
        for answer in said:
            if "failures" in answer:
                raise pharos.RejectedError(pharos.ansible_report(answer["failures"], files))
            if "port" not in answer:
                raise NoWayError(answer["status"], answer["errors"])
            yield int(answer["port"])
            return
    raise ReaderError("the reader ended before it led anywhere")


def _real(inventory: Path) -> Path:
    """Ansible names files by their real folder."""
    return inventory.parent.resolve() / inventory.name


@contextmanager
def _reader(request: dict[str, Any], checkout: Path) -> Iterator[Iterator[dict[str, Any]]]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "platform_deploy._reader"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=environment_of(dict(os.environ), checkout) | {"LC_ALL": "C.UTF-8"},
    )
    try:
        assert process.stdin is not None and process.stdout is not None
        with process.stdin as given:
            json.dump(request, given)
        yield _said(process.stdout)
    finally:
        process.kill()
        process.wait()


def _said(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        said: dict[str, Any] = json.loads(line)
        if "fault" in said:
            raise ReaderError(f"the hosts could not be reached: {said['fault']}")
        yield said
