"""The action plugins of this collection: a task in, one request, one answer out. Nothing is decided here."""

from __future__ import annotations

import secrets
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.pharos.platform.plugins.plugin_utils import controller, masking
from ansible_collections.pharos.platform.plugins.plugin_utils.cache import Cache, Job
from ansible_collections.pharos.platform.plugins.plugin_utils.channel import TargetChannel
from ansible_collections.pharos.platform.plugins.plugin_utils.collection import GENERATED, programs
from ansible_collections.pharos.platform.plugins.plugin_utils.documents import read
from ansible_collections.pharos.platform.plugins.plugin_utils.fault import TransportError


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
        result |= masking.mask_answer(answer, hidden)
        result["invocation"] = {"module_args": masking.mask_arguments(specification, arguments, hidden)}
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
            answer = controller.ask(request)
            return answer if answer.get("failed") else {"failed": True, "changed": False, "msg": error.message}
        return None

    def _request(self, arguments: dict[str, Any], documents: bool = True) -> dict[str, Any]:
        generated = GENERATED["modules"][self.module]
        if documents:
            found = read(generated, arguments, lambda path: str(self._find_needle("files", path)), self._variables)
            arguments = arguments | found
        request: dict[str, Any] = controller.request(self.module, arguments, self._host())
        return request | {
            "_ansible_check_mode": self._task.check_mode,
            "_ansible_diff": self._task.diff,
            "_ansible_verbosity": self._display.verbosity,
        }


class TargetModule(ModuleAction):
    """A module that looks at or changes the host of the task."""

    @property
    def _supports_async(self) -> bool:
        """Whether the task may run in the background: Ansible alone then reads its answer, and would mask no secret in it."""
        generated = GENERATED["modules"][self.module]
        return generated["background"] and not masking.secrets(generated["argument_spec"], self._task.args)

    def _send(self, request: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        folder = self._templar.template(task_vars.get("pharos_module_cache"))
        cache = Cache(TargetChannel(self), programs(), folder or None)
        if self._task.async_val:
            # Expanded as `async_status` does it, which looks for the job: not by `HOME`, but as the home of the user.
            jobs = self._remote_expand_user(self.get_shell_option("async_dir", default="~/.ansible_async"))
            job = Job(f"j{secrets.randbelow(10**12)}.pharos", jobs, self._task.async_val, self._host())
            started: dict[str, Any] = cache.start(controller.encode(request), job)
            return started
        answer: dict[str, Any] = cache.ask(controller.encode(request))
        return answer


class ControllerModule(ModuleAction):
    """A module that computes from its arguments alone: no connection to the host is made."""

    _requires_connection = False

    def _send(self, request: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = controller.ask(request)
        return answer
