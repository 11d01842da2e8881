"""Wait for something that another process does."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(ready: Callable[[], T | None], what: str, *, seconds: float = 30, pause: float = 0.03) -> T:
    """Ask `ready` until it answers something true; raises `TimeoutError` that names `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        answer = ready()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds:g} s")
        time.sleep(pause)
