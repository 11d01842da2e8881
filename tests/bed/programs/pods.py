"""Stands for the applications' pods: each listener tells, as JSON, which one it is and what of a request reached it.

The argument names a JSON file, a list of listeners: `name`, `address`, `port`, `kind` (`http`, which answers GET and
WebSocket, or `grpc`), and for TLS `chain` and `key` (files). The answer has `backend`, `peer`, `path`, `headers` (pairs in
order), and over TLS `sni` and `client` (whether the caller showed a certificate).
"""

import asyncio
import json
import ssl
import sys
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from bed.programs.calls import Calls


@dataclass(frozen=True)
class Listener:
    """One of the list."""

    name: str
    address: str
    port: int
    kind: str
    chain: str = ""
    key: str = ""


def _context(listener: Listener, protocol: str = "http/1.1") -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(listener.chain, listener.key)
    context.set_alpn_protocols([protocol])
    context.sni_callback = _keep_sni
    return context


def _keep_sni(channel: ssl.SSLSocket | ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> None:
    vars(channel)["asked_name"] = name


def _evidence(listener: Listener, connection: ServerConnection, request: Request) -> dict[str, Any]:
    secured = connection.transport.get_extra_info("ssl_object")
    told = {
        "backend": listener.name,
        "peer": connection.remote_address[0],
        "path": request.path,
        "headers": list(request.headers.raw_items()),
    }
    if secured is None:
        return told
    return {**told, "sni": vars(secured).get("asked_name"), "client": secured.getpeercert(binary_form=True) is not None}


async def _serve_http(listener: Listener) -> None:
    def answer(connection: ServerConnection, request: Request) -> Response | None:
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return None
        response = connection.respond(HTTPStatus.OK, json.dumps(_evidence(listener, connection, request)))
        response.headers["X-Backend"] = listener.name
        return response

    async def echo(connection: ServerConnection) -> None:
        assert connection.request
        told = _evidence(listener, connection, connection.request)
        async for message in connection:
            await connection.send(json.dumps({**told, "message": message}))

    secured = _context(listener) if listener.chain else None
    async with serve(echo, listener.address, listener.port, ssl=secured, process_request=answer, compression=None):
        await asyncio.Future()


async def _serve_calls(listener: Listener) -> None:
    def told(headers: list[tuple[str, str]], peer: str) -> dict[str, Any]:
        return {"peer": peer, "headers": headers}

    server = await asyncio.get_running_loop().create_server(
        lambda: Calls(listener.name, told),
        listener.address,
        listener.port,
        ssl=_context(listener, "h2") if listener.chain else None,
    )
    await server.serve_forever()


async def _serve(listeners: list[Listener]) -> None:
    speak = {"http": _serve_http, "grpc": _serve_calls}
    await asyncio.gather(*(speak[each.kind](each) for each in listeners))


def main() -> None:
    """Serve all of them until the process ends."""
    listeners = [Listener(**each) for each in json.loads(Path(sys.argv[1]).read_text())]
    asyncio.run(_serve(listeners))
