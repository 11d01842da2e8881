"""The action plugins of this collection: a task in, one request, one answer out. Nothing is decided here."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.plugins.action import ActionBase
from ansible_collections.pharos.platform.plugins.plugin_utils import masking
from ansible_collections.pharos.platform.plugins.plugin_utils.cache import Cache
from ansible_collections.pharos.platform.plugins.plugin_utils.channel import ControllerChannel, TargetChannel
from ansible_collections.pharos.platform.plugins.plugin_utils.collection import GENERATED, programs
from ansible_collections.pharos.platform.plugins.plugin_utils.fault import Fault, TransportError, quoted

try:
    from pharos import _native
except ImportError:  # the collection then asks its own program
    _native = None  # type: ignore[assignment]


class ModuleAction(ActionBase):
    """What both kinds of module have in common."""

    module = ""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Judges the arguments, has the module run and masks what is secret."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        self._variables = task_vars or {}
        generated = GENERATED["modules"][self.module]
        specification = generated["argument_spec"]
        hidden = masking.secrets(specification, arguments)
        try:
            answer = self._refusal(generated, arguments) or self._send(self._request(arguments), task_vars or {})
        except TransportError as error:
            answer = error.answer(self._host())
        result |= masking.mask(answer, hidden)
        result["invocation"] = {"module_args": masking.mask(arguments, hidden)}
        return result

    def _send(self, request: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def _host(self) -> str:
        """The host that the task is about, in the inventory's words, and where it is done instead."""
        name = str(self._variables.get("inventory_hostname", ""))
        delegate = self._task.delegate_to
        return f"{delegate} (for {name})" if delegate and delegate != name else name

    def _refusal(self, generated: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any] | None:
        """What is wrong with the arguments, before any host is asked.

        Ansible's own validation finds it (and registers secret values where it has a registry); the core says it: with the
        place, what was meant, and all faults at once.
        """
        try:
            self.validate_argument_spec(
                generated["argument_spec"], required_if=generated["required_if"], required_by=generated["required_by"]
            )
        except AnsibleActionFail as error:
            request = self._request(arguments, documents=False) | {"judge": True}
            answer = _on_controller(request)
            return answer if answer.get("failed") else {"failed": True, "changed": False, "msg": error.message}
        return None

    def _request(self, arguments: dict[str, Any], documents: bool = True) -> dict[str, Any]:
        names = [name for name in GENERATED["modules"][self.module]["documents"] if arguments.get(name) is not None]
        unread = {name: {"name": str(arguments[name]), "text": ""} for name in names}
        return {
            "module": self.module,
            "version": GENERATED["version"],
            "instant": int(time.time()),
            "host": self._host(),
            "arguments": arguments | (self._documents(arguments, names) if documents else unread),
            "_ansible_check_mode": self._task.check_mode,
            "_ansible_diff": self._task.diff,
            "_ansible_verbosity": self._display.verbosity,
        }

    def _documents(self, arguments: dict[str, Any], names: list[str]) -> dict[str, dict[str, str]]:
        """Documents of the controller, found as `copy` finds its source; all that are not there are said at once."""
        read: dict[str, dict[str, str]] = {}
        faults: list[Fault] = []
        for name in names:
            path = str(arguments[name])
            try:
                found = Path(self._find_needle("files", path))
                read[name] = {"name": path, "text": found.read_text(encoding="utf-8")}
            except (AnsibleError, OSError, UnicodeDecodeError) as error:
                faults.append(self._missing(name, path, error))
        if faults:
            raise TransportError(*faults)
        return read

    def _missing(self, name: str, path: str, error: Exception) -> Fault:
        """A document that cannot be read: which option names it, which variable of the role, and how one is made."""
        variables = (f"edge_{name}", f"edge_{name.removesuffix('_file')}")
        variable = next((one for one in variables if one in self._variables), None)
        option = f"`{name}` (the variable `{variable}`)" if variable else f"`{name}`"
        made = GENERATED["modules"][self.module]["documents"][name]
        remedy = [f"`{made}` makes one"] if made else []
        here = Path.cwd() / path
        if not here.is_file():
            remedy.append("give the path of a file on the controller, best an absolute one")
        elif not Path(path).is_absolute():
            remedy.insert(0, f"write `{here}`: a relative path is looked up beside the playbook and its roles")
        message = f"{option} is {path!r}, which cannot be read on the controller: {quoted(str(error))}"
        return Fault("module/document-missing", message, "; ".join(remedy) or "give it another owner or form: UTF-8 text", path)


class TargetModule(ModuleAction):
    """A module that looks at or changes the host of the task."""

    def _send(self, request: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        folder = self._templar.template(task_vars.get("pharos_module_cache"))
        answer: dict[str, Any] = Cache(TargetChannel(self), programs(), folder or None).ask(_encode(request))
        return answer


class ControllerModule(ModuleAction):
    """A module that computes from its arguments alone: no connection to the host is made."""

    _requires_connection = False

    def _send(self, request: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        return _on_controller(request)


def _on_controller(request: dict[str, Any]) -> dict[str, Any]:
    """Asks the core in this process if the bindings are installed (it refuses another version), else our own program."""
    answer: dict[str, Any]
    if _native is not None:
        answer = json.loads(_native.run_module(_encode(request).decode()))
        return answer
    answer = Cache(ControllerChannel(), programs()).ask(_encode(request))
    return answer


def _encode(request: dict[str, Any]) -> bytes:
    # what JSON does not have (a date, a vaulted text) is the text that it prints as
    return json.dumps(request, default=str).encode()
