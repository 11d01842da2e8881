"""Network namespaces of a bed: its addresses, and running code or programs inside one."""

import ctypes
import os
import queue
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bed.commands import run

T = TypeVar("T")

CONTROL = 1
"""Number of the control side: where Ansible, curl, the DNS server and the ACME server run."""
GATEWAY = 2
"""Number of the gateway."""
OTHER_CLIENT = 3
"""Number of a second client on the control side: `curl --interface`."""
FIRST_HOST = 11
"""Number of the first host."""
MACHINE = 254
"""Number of this machine itself, in a bed that is reachable from it."""

_CLONE_NEWNET = 0x40000000


@dataclass(frozen=True)
class Net:
    """One bed's addresses: 10.77.NUMBER.0/24 and fd00:77:NUMBER::/64."""

    number: int

    def __post_init__(self) -> None:
        """Refuse what does not fit into an octet."""
        if self.number not in range(256):
            raise ValueError(f"a bed's net is 0 to 255, not {self.number}")

    def v4(self, station: int) -> str:
        """The IPv4 address of a station, 1 to 254."""
        return f"10.77.{self.number}.{station}"

    def v6(self, station: int) -> str:
        """The IPv6 address of a station; its digits are those of the IPv4 address."""
        return f"fd00:77:{self.number}::{station}"

    def assign(self, device: str, *stations: int, ipv6: bool = True) -> list[str]:
        """The `ip` lines that give a device these stations' addresses, the first to send from, and switch it on."""
        lines = [f"addr replace {self.v4(each)}/24 dev {device}" for each in stations]
        if ipv6:
            for each in stations:
                secondary = "" if each == stations[0] else " preferred_lft 0"
                lines.append(f"addr replace {self.v6(each)}/64 dev {device} nodad{secondary}")
        return [*lines, f"link set {device} up"]


@dataclass(frozen=True)
class Namespace:
    """A named network namespace."""

    name: str

    @property
    def path(self) -> Path:
        """The file that stands for it."""
        return Path("/run/netns") / self.name

    def create(self) -> None:
        """Make it, with its loopback device on."""
        run(["ip", "netns", "add", self.name])
        self.ip(["link set lo up"])

    def delete(self) -> None:
        """Remove its name; the kernel removes its devices when the last process in it has ended."""
        run(["ip", "netns", "del", self.name])

    def ip(self, lines: Iterable[str]) -> None:
        """Run `ip` lines inside, in one process."""
        run(["ip", "-n", self.name, "-batch", "-"], stdin="\n".join(lines) + "\n")

    def enter(self) -> list[str]:
        """The words to put before a program that shall run inside."""
        return ["nsenter", f"--net={self.path}", "--"]

    def pids(self) -> list[int]:
        """The processes inside."""
        said = run(["ip", "netns", "pids", self.name], check=False).stdout
        return [int(word) for word in said.split()]

    def inside(self, work: Callable[[], T]) -> T:
        """Call `work` in a thread that is inside: sockets that it opens are this namespace's."""
        answer: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue()

        def enter_and_work() -> None:
            try:
                with self.path.open() as namespace:
                    _setns(namespace.fileno())
                answer.put((work(), None))
            except BaseException as error:  # handed to the caller's thread
                answer.put((None, error))

        thread = threading.Thread(target=enter_and_work)
        thread.start()
        thread.join()
        value, error = answer.get()
        if error is not None:
            raise error
        return value  # type: ignore[return-value]  # None only if T has it


def _setns(descriptor: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, _CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def existing(prefix: str) -> list[Namespace]:
    """The namespaces of the bed `prefix`, also those that a killed run left."""
    folder = Path("/run/netns")
    return [Namespace(each.name) for each in sorted(folder.glob(f"{prefix}.*"))] if folder.is_dir() else []
