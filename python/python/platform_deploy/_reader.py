"""Hosts over ssh, in a process of its own: connection variables stay in it.

Started by :mod:`platform_deploy.hosts` with a request on standard input; the answer is one JSON object a line. Ansible resolves
how each host is reached, as for its own ssh. Then either one command is run on each host, and nothing else: no module, no shell
of ours, no file. Or one host leads connections from loopback on to an address that it reaches, for as long as this process is.
ssh is given its settings in a file in memory, for an argument can be read by every user of this machine.
"""

from __future__ import annotations

import ctypes
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platform_deploy._resolver import Resolver, silence, written

# Variables of Ansible's ssh, each under the names that it has; the first that is set counts.
VARIABLES = {
    "connection": ["ansible_connection"],
    "address": ["ansible_ssh_host", "ansible_host"],
    "port": ["ansible_ssh_port", "ansible_port"],
    "user": ["ansible_ssh_user", "ansible_user"],
    "key": ["ansible_ssh_private_key_file", "ansible_private_key_file"],
    "common": ["ansible_ssh_common_args"],
    "extra": ["ansible_ssh_extra_args"],
}

# What holds whatever the operator's settings say: ssh takes the first value that it finds. Nothing is asked, shared, forwarded or
# learnt, and no command is run here.
FORCED = """Host *
BatchMode yes
ClearAllForwardings yes
ConnectTimeout 10
ControlMaster no
ControlPath none
ControlPersist no
ForwardAgent no
ForwardX11 no
LogLevel ERROR
PermitLocalCommand no
RequestTTY no
ServerAliveInterval 5
StrictHostKeyChecking yes
Tunnel no
UpdateHostKeys no
"""

# The kernel ends a program that is started like this when this process has ended.
BOUND = ["setpriv", "--pdeathsig", "KILL", "--"]

# A host that writes more has no answer to this command.
MOST_BYTES = 1 << 20

# What stands for the complaint of an ssh that is not even started.
UNSUPPORTED = "unsupported connection"

FLAGS = {"-4", "-6", "-A", "-C", "-T", "-a", "-n", "-q", "-x"}


class UnknownConnectionError(ValueError):
    """A host is reached in a way that this reader does not know."""


@dataclass(frozen=True)
class Connection:
    """How a host is reached."""

    destination: str
    settings: str

    @contextmanager
    def given(self) -> Iterator[str]:
        """The settings as a file in memory, by a path that ssh and what it starts can open while this process is."""
        file = os.memfd_create("ssh-settings")
        try:
            os.write(file, self.settings.encode())
            yield f"/proc/{os.getpid()}/fd/{file}"
        finally:
            os.close(file)


class Reader(Resolver):
    """An inventory whose hosts are read."""

    def __init__(self, request: dict[str, Any]) -> None:
        super().__init__({**request, "groups": [], "fields": {}, "prefix": "\0", "known": []})
        self.request = request

    def answer(self) -> Iterator[dict[str, Any]]:
        """The answer of each host, as they come; or the port that leads on."""
        from ansible.plugins.loader import init_plugin_loader

        init_plugin_loader()
        loader = self.loader()
        inventory, _ = self.inventory(loader)
        wanted = [inventory.hosts[name] for name in self.request["hosts"] if name in inventory.hosts]
        connections = dict(self.variables(loader, inventory, wanted))
        withheld = self.withheld()
        if self.failures:
            yield {"failures": self.failures, "withheld": sorted(withheld)}
        if "lead_to" in self.request:
            if withheld:
                return
            yield from self.lead(self.request["hosts"][0], connections)
            return
        with ThreadPoolExecutor(self.request["at_once"]) as pool:
            reads = [
                pool.submit(self.read, name, connections.get(name)) for name in self.request["hosts"] if name not in withheld
            ]
            for read in as_completed(reads):
                yield read.result()

    def withheld(self) -> set[str]:
        """The hosts that are not contacted: without a variable of its own a connection leads who knows where, and as whom.

        A failure that is no host's may have left any of them without one.
        """
        hosts = set(self.request["hosts"])
        named = [failure.get("host") for failure in self.failures]
        return hosts if None in named else hosts.intersection(named)

    def host(self, loader: Any, host: str, variables: dict[str, Any]) -> dict[str, Any]:
        """How a host is reached, by Ansible's variables."""
        from ansible.template import Templar

        templar = Templar(loader=loader, variables=variables)
        found: dict[str, Any] = {}
        for field, names in VARIABLES.items():
            name = next((each for each in names if each in variables), None)
            found[field] = self.value(templar, host, name, variables) if name else None
        return found

    def read(self, name: str, variables: dict[str, Any] | None) -> dict[str, Any]:
        """Run the command on a host."""
        try:
            connection = connection_of(name, variables)
        except UnknownConnectionError:
            return {"host": name, "status": 255, "output": "", "errors": UNSUPPORTED}
        with connection.given() as settings:
            argv = ["ssh", "-F", settings, "-n", "--", connection.destination, *self.request["commands"][name]]
            return {"host": name, **run(argv, self.request["seconds"])}

    def lead(self, name: str, connections: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Lead connections to a port of loopback on, each by an ssh of its own, until this process is ended.

        A first one without a client says whether any comes about: ssh ends well as soon as the far end has taken it.
        """
        try:
            connection = connection_of(name, connections.get(name))
        except UnknownConnectionError:
            yield {"status": 255, "errors": UNSUPPORTED}
            return
        with connection.given() as settings, socket.create_server(("127.0.0.1", 0)) as listener:
            rest = ["-W", self.request["lead_to"], "--", connection.destination]
            # What the far end says of a connection that it does not open is no error to ssh.
            tried = run(["ssh", "-F", settings, "-o", "LogLevel=INFO", *rest], self.request["seconds"])
            if tried["status"] != 0:
                yield {"status": tried["status"], "errors": tried["errors"]}
                return
            yield {"port": listener.getsockname()[1]}
            argv = ["ssh", "-F", settings, *rest]
            while True:
                client, _ = listener.accept()
                with client:
                    subprocess.Popen([*BOUND, *argv], stdin=client.fileno(), stdout=client.fileno())


def run(argv: list[str], seconds: float) -> dict[str, Any]:
    """Run a program to its end, for so long; what it writes is bounded."""
    output, errors = (os.fdopen(os.memfd_create(name), "w+b") for name in ("output", "errors"))
    with output, errors:
        words = [*BOUND, "prlimit", f"--fsize={MOST_BYTES}", "--", *argv]
        status: int | None
        try:
            status = subprocess.run(
                words, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, timeout=seconds, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            status = None
        output.seek(0)
        errors.seek(0)
        texts = {"output": output.read().decode(errors="replace"), "errors": errors.read().decode(errors="replace")}
    return {"status": status, **texts}


def connection_of(name: str, variables: dict[str, Any] | None) -> Connection:
    """The settings of ssh for a host."""
    if variables is None or variables["connection"] not in (None, "ssh", "smart", "ansible.builtin.ssh"):
        raise UnknownConnectionError
    destination = word(variables["address"] or name)
    if destination.startswith("-"):
        raise UnknownConnectionError
    own, includes = arguments(f"{variables['common'] or ''} {variables['extra'] or ''}")
    # Ansible gives its arguments first, and ssh takes the first value.
    for keyword, value in (("Port", variables["port"]), ("User", variables["user"]), ("IdentityFile", variables["key"])):
        if value is not None:
            own.append(f"{keyword} {word(value)}")
    files = includes or [str(path) for path in (Path.home() / ".ssh/config", Path("/etc/ssh/ssh_config")) if path.is_file()]
    lines = [FORCED, f"Host {destination}", *own, "Host *", *(f"Include {word(path)}" for path in files), ""]
    return Connection(destination, "\n".join(lines))


def word(value: Any) -> str:
    """A value as one word of ssh's settings."""
    text = str(value)
    if not text or not text.isprintable() or set(text) & set("\"'\\ "):
        raise UnknownConnectionError
    return text


def arguments(text: str) -> tuple[list[str], list[str]]:
    """Arguments of ssh as lines of its settings, and the files of settings that they name."""
    lines: list[str] = []
    includes: list[str] = []
    words = iter(shlex.split(text))
    keywords = {"-J": "ProxyJump", "-i": "IdentityFile", "-l": "User", "-p": "Port", "-o": "", "-F": "Include"}
    for each in words:
        if each in FLAGS or set(each.removeprefix("-")) == {"v"}:
            continue
        flag, value = each[:2], each[2:] or next(words, "")
        if flag not in keywords or not value.isprintable():
            raise UnknownConnectionError
        if flag == "-F":
            includes.append(value)
        elif flag == "-o":
            keyword, _, rest = value.replace("=", " ", 1).partition(" ")
            lines.append(f"{keyword} {rest.strip()}")
        else:
            lines.append(f"{keywords[flag]} {value}")
    return lines, includes


def end_with_the_caller() -> None:
    """Have the kernel end this process when the one that started it has ended, however that ends."""
    set_death_signal = 1
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


def main() -> None:
    """Answer the one request."""
    end_with_the_caller()
    request = json.load(sys.stdin)
    answer = silence()
    try:
        for line in Reader(request).answer():
            print(written(line), file=answer, flush=True)
    except BaseException as error:
        # The text may quote what must not be shown; the kind of the exception does not.
        print(json.dumps({"fault": type(error).__name__}), file=answer, flush=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
