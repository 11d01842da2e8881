"""Runs of the edge playbook on hosts of a bed, and what each task of a run answered."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bed.commands import Result, bed_environment
from bed.hosts import Bed, Host
from play.documented import undocumented_result

REPOSITORY = Path(__file__).resolve().parents[2]
PLAYBOOK = REPOSITORY / "playbooks" / "edge-distributed.yml"
_CALLBACKS = REPOSITORY / "tests" / "play" / "callbacks"


def program(name: str) -> str:
    """A program that is installed beside the running Python."""
    return str(Path(sys.executable).with_name(name))


@dataclass(frozen=True)
class Run:
    """A finished run of the playbook."""

    result: Result
    events: tuple[dict[str, Any], ...]

    def check(self) -> "Run":
        """The run itself, or `CommandError` when the playbook failed."""
        self.result.check()
        return self

    @property
    def ok(self) -> bool:
        """Whether the playbook succeeded."""
        return self.result.ok

    def changed(self, host: Host | None = None) -> list[str]:
        """The tasks that changed something, on one host or on all."""
        return [e["task"] for e in self._of(host) if e["result"].get("changed")]

    def ran(self, host: Host | None = None) -> list[str]:
        """The tasks that were not skipped, on one host or on all."""
        return [e["task"] for e in self._of(host) if e["outcome"] != "skipped"]

    def _of(self, host: Host | None) -> list[dict[str, Any]]:
        return [event for event in self.events if host is None or event["host"] == host.name]

    def failures(self) -> dict[str, dict[str, Any]]:
        """The answer of the task that failed, by host."""
        failed = {event["host"]: event["result"] for event in self.events if event["outcome"] == "failed"}
        # of a loop, the item that failed
        items = {host: [each for each in result.get("results", []) if each.get("failed")] for host, result in failed.items()}
        return {host: items[host][0] if items[host] else result for host, result in failed.items()}

    def codes(self) -> dict[str, list[str]]:
        """The codes that each host was refused with."""
        return {
            host: [each["code"] for each in result.get("diagnostics", []) if each["severity"] == "error"]
            for host, result in self.failures().items()
        }

    def said(self) -> str:
        """What the refusals say, in words."""
        return "\n".join(str(result.get("msg", "")) for result in self.failures().values())


class Playbook:
    """`edge-distributed.yml` (or its peer) for some hosts of a bed."""

    def __init__(self, bed: Bed, folder: Path, *hosts: Host, user: str = "root", playbook: Path = PLAYBOOK) -> None:
        """Choose the hosts; `folder` holds the inventory and the records of the runs."""
        self.bed = bed
        self.hosts = hosts
        self._folder = folder
        self._user = user
        self._playbook = playbook
        folder.mkdir(parents=True, exist_ok=True)

    def run(
        self,
        variables: Mapping[str, Any],
        *arguments: str,
        host_variables: Mapping[str, Mapping[str, Any]] | None = None,
        check: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> Run:
        """Run it to its end; `variables` are the inventory's."""
        argv, extended, record = self._prepare(variables, arguments, host_variables, environment)
        result = self.bed.control_exec(argv, check=False, environment=extended, cwd=REPOSITORY)
        run = Run(result, tuple(json.loads(line) for line in record.read_text().splitlines()))
        for event in run.events:
            assert not (faults := undocumented_result(event["action"], event["result"])), faults
        return run.check() if check else run

    def begin(self, variables: Mapping[str, Any], *arguments: str) -> "subprocess.Popen[str]":
        """Start it, to be looked at or killed on its way."""
        argv, extended, _ = self._prepare(variables, arguments, None, None)
        words = [*self.bed.control.enter(), *argv]
        return subprocess.Popen(
            words,
            cwd=REPOSITORY,
            env=bed_environment(extended),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def _prepare(
        self,
        variables: Mapping[str, Any],
        arguments: Sequence[str],
        host_variables: Mapping[str, Mapping[str, Any]] | None,
        environment: Mapping[str, str] | None,
    ) -> tuple[list[str], dict[str, str], Path]:
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        inventory = self.bed.write_inventory(
            folder / "inventory.json",
            {"platform-edge": list(self.hosts)},
            variables=dict(variables),
            host_variables=dict(host_variables or {}),
            user=self._user,
        )
        record = folder / "record"
        record.touch()
        extended = {
            "ANSIBLE_CALLBACKS_ENABLED": "record",
            "ANSIBLE_CALLBACK_PLUGINS": str(_CALLBACKS),
            "ANSIBLE_CONFIG": str(REPOSITORY / "ansible.cfg"),
            "ANSIBLE_FORCE_COLOR": "0",
            "ANSIBLE_SSH_CONTROL_PATH_DIR": str(self.bed.folder / "ssh"),
            "PLAY_RECORD": str(record),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))),
            **(environment or {}),
        }
        argv = [program("ansible-playbook"), "-i", str(inventory), *arguments, str(self._playbook)]
        return argv, extended, record
