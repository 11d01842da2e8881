"""The examples of every module and plugin, word for word as `ansible-doc` prints them, in plays of a test's own."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from play.documented import COLLECTION
from play.run import ANSIBLE, Player, Run, TaskResult

Task = dict[str, Any]
Examples = Mapping[str, list[Task]]
"""The tasks of each example: by `NAME` of a module, and by `KIND NAME` of a plugin."""


def documented(player: Player) -> Examples:
    """The examples of everything in the collection that Ansible documents."""
    words: list[str | Path] = [ANSIBLE.with_name("ansible-doc"), "--metadata-dump", COLLECTION.rstrip(".")]
    environment = player.variables(player.folder / "record")
    (player.folder / "ansible.cfg").touch()
    said = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
    kinds: dict[str, dict[str, Any]] = json.loads(said)["all"]
    return {
        name.removeprefix(COLLECTION) if kind == "module" else f"{kind} {name.removeprefix(COLLECTION)}": yaml.safe_load(
            found["examples"]
        )
        for kind, names in kinds.items()
        for name, found in names.items()
        if name.startswith(COLLECTION)
    }


@dataclass(frozen=True)
class Step:
    """An example, or one task of it."""

    of: str
    task: str | None = None

    def tasks(self, examples: Examples) -> list[Task]:
        """Its tasks as they stand."""
        found = [task for task in examples[self.of] if self.task in (None, task["name"])]
        assert found, f"the example of {self.of} has no task {self.task!r}"
        return found


@dataclass(frozen=True)
class Scene:
    """Steps that follow each other on one host."""

    host: str
    steps: Sequence[Step]
    variables: Mapping[str, Any] = field(default_factory=dict)

    def play(self, examples: Examples) -> Mapping[str, Any]:
        """As a play."""
        tasks = [task for step in self.steps for task in step.tasks(examples)]
        return {"hosts": self.host, "gather_facts": False, "vars": dict(self.variables), "tasks": tasks}


@dataclass(frozen=True)
class Played:
    """What came of scenes."""

    run: Run
    results: Mapping[str, Sequence[TaskResult]]
    """By module or plugin, in the order in which they ran."""

    def of(self, example: str, task: str) -> list[TaskResult]:
        """What came of a task, each time that it ran."""
        return [result for result in self.results[example] if result.task == task]

    def ours(self) -> Iterator[tuple[str, str, list[bool]]]:
        """Each task of a module of ours: example, action, and whether it changed something, each time that it ran."""
        for example, results in self.results.items():
            for name in dict.fromkeys(result.task for result in results if result.action.startswith(COLLECTION)):
                times = self.of(example, name)
                yield example, times[0].action, [bool(each["changed"]) for each in times]

    def told(self, module: str, key: str) -> list[Any]:
        """A value that a module returned, each time that it ran in its own example."""
        return [result[key] for result in self.results[module] if result.action == f"{COLLECTION}{module}"]


def play(player: Player, examples: Examples, scenes: Sequence[Scene], **keywords: Any) -> Played:
    """Runs scenes in one playbook. Each task ends well; one may be passed over where an earlier run of it left nothing to do."""
    run = player.plays([scene.play(examples) for scene in scenes], verbosity=0, **keywords)
    expected = [(step.of, task["name"]) for scene in scenes for step in scene.steps for task in step.tasks(examples)]
    seen = [result.task for result in run.results]
    assert run.code == 0 and seen == [name for _, name in expected], run.output
    assert {result.outcome for result in run.results} <= {"ok", "skipped"}, run.output
    results: dict[str, list[TaskResult]] = {}
    for (example, _), result in zip(expected, run.results, strict=True):
        results.setdefault(example, []).append(result)
    done = {(example, result.task) for example, several in results.items() for result in several if result.outcome == "ok"}
    assert done == set(expected), f"each task did its work once, but {sorted(set(expected) - done)}"
    return Played(run, results)
