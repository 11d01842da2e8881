"""Stands for a browser or an application's client: one WebSocket or gRPC exchange, told as JSON.

client websocket URL   --connect ADDRESS [--ca FILE] [--header 'NAME: VALUE'] MESSAGE ...
client grpc HOST:PORT  --connect ADDRESS [--ca FILE] --method /service/Unary MESSAGE ...
"""

import argparse
import asyncio
import json
import ssl
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc
from websockets.asyncio.client import connect

_SECONDS = 20.0


def _headers(options: argparse.Namespace) -> list[tuple[str, str]]:
    parts = [each.partition(": ") for each in options.header]
    return [(name, value) for name, _, value in parts]


def websocket(options: argparse.Namespace) -> dict[str, Any]:
    """Send each message and collect the answers."""
    return {"answers": asyncio.run(_converse(options))}


async def _converse(options: argparse.Namespace) -> list[Any]:
    # The synchronous client of this library reads in one thread and writes in another: two threads on one TLS session,
    # which OpenSSL does not allow, and about one exchange in a thousand hung. This one has a single thread.
    parts = urlsplit(options.target)
    secured = parts.scheme == "wss"
    place = {"host": options.connect, "port": parts.port or (443 if secured else 80), "proxy": None}
    context = ssl.create_default_context(cafile=options.ca) if secured else None
    answers = []
    async with (
        asyncio.timeout(_SECONDS * (1 + len(options.messages))),
        connect(options.target, ssl=context, additional_headers=_headers(options), **place) as connection,
    ):
        for message in options.messages:
            await connection.send(message)
            answers.append(json.loads(await connection.recv()))
    return answers


def _grpc_channel(options: argparse.Namespace) -> grpc.Channel:
    host, _, port = options.target.rpartition(":")
    where = f"[{options.connect}]" if ":" in options.connect else options.connect
    names = [("grpc.default_authority", host), ("grpc.enable_http_proxy", 0)]
    if options.ca is None:
        return grpc.insecure_channel(f"{where}:{port}", options=names)
    credentials = grpc.ssl_channel_credentials(Path(options.ca).read_bytes())
    return grpc.secure_channel(f"{where}:{port}", credentials, options=[*names, ("grpc.ssl_target_name_override", host)])


def call(options: argparse.Namespace) -> dict[str, Any]:
    """Call the method; an error is its status code and details."""
    messages = [message.encode() for message in options.messages]
    with _grpc_channel(options) as channel:
        try:
            answers = _exchange(channel, options.method, messages, tuple(_headers(options)))
            return {"answers": [answer.decode() for answer in answers]}
        except grpc.RpcError as error:
            return {"code": error.code().name, "details": error.details()}


_Metadata = tuple[tuple[str, str | bytes], ...]


def _exchange(channel: grpc.Channel, method: str, messages: list[bytes], metadata: _Metadata) -> Iterable[bytes]:
    if method.endswith("/Bidi"):
        stream: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(method)
        return list(stream(iter(messages), timeout=_SECONDS, metadata=metadata))
    unary: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(method)
    return [unary(message, timeout=_SECONDS, metadata=metadata) for message in messages]


def main() -> None:
    """Print what the exchange gave."""
    parser = argparse.ArgumentParser(prog="client")
    parser.add_argument("kind", choices=["websocket", "grpc"])
    parser.add_argument("target")
    parser.add_argument("messages", nargs="+")
    parser.add_argument("--connect", required=True)
    parser.add_argument("--ca")
    parser.add_argument("--header", action="append", default=[])
    parser.add_argument("--method", default="/bed.Echo/Unary")
    options = parser.parse_args()
    print(json.dumps({"websocket": websocket, "grpc": call}[options.kind](options)))
