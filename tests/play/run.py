"""A playbook, run by the real `ansible-playbook`."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from play.documented import undocumented_result

# Without the variables of the machine that would point Ansible or the module program elsewhere.
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")
ANSIBLE = Path(sys.executable).parent / "ansible-playbook"

# Runs a program with an environment; answers its exit code and what it printed.
Start = Callable[[Sequence[str | Path], Mapping[str, str]], tuple[int, str]]


def _start(words: Sequence[str | Path], environment: Mapping[str, str]) -> tuple[int, str]:
    """On this machine."""
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@dataclass(frozen=True)
class TaskResult:
    """What came of a task on a host."""

    task: str
    host: str
    outcome: str
    result: dict[str, Any]
    seconds: float
    action: str = ""

    def __getitem__(self, key: str) -> Any:
        """A value of the result."""
        return self.result[key]

    @property
    def request(self) -> Any:
        """What the module `probe` was asked."""
        return json.loads(self.result["request"])

    @property
    def message(self) -> str:
        """Its `msg`, or nothing."""
        return str(self.result.get("msg", ""))


@dataclass(frozen=True)
class Run:
    """What came of a playbook."""

    results: list[TaskResult]
    code: int
    output: str

    @property
    def one(self) -> TaskResult:
        """The result of the only task."""
        assert len(self.results) == 1, self.output
        return self.results[0]

    @property
    def commands(self) -> int:
        """How many commands were run on hosts."""
        return self.output.count(" EXEC ")


@dataclass(frozen=True)
class Player:
    """Where playbooks run: a folder of the test's own, which is the home of the user as well."""

    folder: Path
    collections: Path
    inventory: Path | None = None
    start: Start = _start
    ansible: Path = ANSIBLE
    """The `ansible-playbook` that runs them."""

    def task(self, module: str, arguments: Mapping[str, Any] | None = None, **keywords: Any) -> Run:
        """Runs one task."""
        options = {name: keywords.pop(name) for name in ("check", "diff", "verbosity", "environment") if name in keywords}
        task = {"name": "The task", f"pharos.platform.{module}": dict(arguments or {}), **keywords}
        return self.play([task], **options)

    def play(
        self,
        tasks: Sequence[Mapping[str, Any]],
        *,
        check: bool = False,
        diff: bool = False,
        verbosity: int = 3,
        environment: Mapping[str, str] | None = None,
        variables: Mapping[str, Any] | None = None,
    ) -> Run:
        """Runs tasks on every host, without gathering facts."""
        play = {"hosts": "all", "gather_facts": False, "vars": dict(variables or {}), "tasks": list(tasks)}
        return self.plays([play], check=check, diff=diff, verbosity=verbosity, environment=environment)

    def plays(
        self,
        plays: Sequence[Mapping[str, Any]],
        *,
        check: bool = False,
        diff: bool = False,
        verbosity: int = 3,
        environment: Mapping[str, str] | None = None,
    ) -> Run:
        """Runs a playbook."""
        playbook = self.folder / "playbook.yml"
        record = self.folder / "record"
        record.unlink(missing_ok=True)
        playbook.write_text(json.dumps(plays))
        (self.folder / "ansible.cfg").touch()
        words: list[str | Path] = [self.ansible, playbook, "-i", self.inventory or "localhost,"]
        words += ["--check"] * check + ["--diff"] * diff + ["-" + "v" * verbosity] * bool(verbosity)
        code, output = self.start(words, self.variables(record, environment))
        lines = record.read_text().splitlines() if record.exists() else []
        results = [TaskResult(**json.loads(line)) for line in lines]
        for result in results:
            assert not (faults := undocumented_result(result.action, result.result)), faults
        return Run(results, code, output)

    def variables(self, record: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment of a program of Ansible's: of the machine's own only what it needs."""
        own = {name: os.environ[name] for name in _KEPT if name in os.environ}
        connection = {} if self.inventory else {"ANSIBLE_TRANSPORT": "local"}
        return {
            **own,
            **connection,
            "HOME": str(self.folder),
            "ANSIBLE_CONFIG": str(self.folder / "ansible.cfg"),
            "ANSIBLE_HOME": str(self.folder / "ansible"),
            "ANSIBLE_COLLECTIONS_PATH": str(self.collections),
            "ANSIBLE_CALLBACK_PLUGINS": str(Path(__file__).parent / "callbacks"),
            "ANSIBLE_CALLBACKS_ENABLED": "record",
            "ANSIBLE_NOCOLOR": "1",
            "PLAY_RECORD": str(record),
            **(more or {}),
        }
