"""A stand-in for `tc netem delay`, in user space: a relay of TCP that holds back what the controller sends.

    python bench/delay.py LISTEN PORT TARGET PORT SECONDS

Not every kernel has the module that `tc` needs (sch_netem). Like netem on the controller's interface it lets each byte wait, in
one direction, so that a round trip takes that much longer; unlike netem it does not let connecting wait.
"""

from __future__ import annotations

import asyncio
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # as a program it needs nothing of the tests
    from bed.hosts import Bed, Host

SECONDS = 0.02
NEAR, FAR = "loopback", f"{SECONDS * 1e3:.0f} ms"
"""The link as it is, and the one behind the delay, as tables name them."""
_PORT = 2222


def behind(bed: Bed, host: Host) -> dict[str, Any]:
    """Starts a relay on the bed's control side; answers the variables of an inventory that lead to the host through it."""
    listen = bed.net.v4(1)
    words = [sys.executable, __file__, listen, str(_PORT), str(host.v4), "22", str(SECONDS)]
    bed.wait_for_port(listen, _PORT, process=bed.spawn("delay", words))
    return {"ansible_port": _PORT, "ansible_ssh_extra_args": f"-o HostName={listen}"}


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Passes on what comes, each piece after its own wait: what follows does not wait for what is before it."""
    waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def receive() -> None:
        while piece := await reader.read(65536):
            waiting.put_nowait((time.monotonic() + seconds, piece))
        waiting.put_nowait((time.monotonic() + seconds, b""))

    receiving = asyncio.create_task(receive())
    try:
        while True:
            due, piece = await waiting.get()
            if (left := due - time.monotonic()) > 0:
                await asyncio.sleep(left)
            if not piece:
                break
            writer.write(piece)
            await writer.drain()
    except ConnectionError:
        pass  # the other end has gone: nothing is left to pass on
    finally:
        receiving.cancel()
        writer.close()


async def _relay(target: tuple[str, int], seconds: float, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    back, onward = await asyncio.open_connection(*target)
    await asyncio.gather(_forward(reader, onward, seconds), _forward(back, writer, 0))


async def serve(listen: tuple[str, int], target: tuple[str, int], seconds: float) -> None:
    """Relays until it is ended."""
    server = await asyncio.start_server(partial(_relay, target, seconds), *listen)
    async with server:
        await server.serve_forever()


def main() -> None:
    """Relay, as the words say."""
    listen, port, target, target_port, seconds = sys.argv[1:]
    asyncio.run(serve((listen, int(port)), (target, int(target_port)), float(seconds)))


if __name__ == "__main__":
    main()
