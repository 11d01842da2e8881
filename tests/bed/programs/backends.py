"""Stands for the platform's applications: echo servers that tell what of a request arrived at them.

HTTP answers a JSON object: `method`, `path`, `headers` (pairs in order), `body` (length in octets),
`body_seconds` (from the request's head to the end of its body: shows whether a proxy buffered it).
`x-bed-status: 503` chooses the status, `x-bed-chunks: 5 0.2` answers five lines 0.2 s apart instead.
WebSocket answers each message with a JSON object: `message`, `path`, `headers`. gRPC has, in every service,
the methods `Unary` (one answer: the message, then the metadata as JSON) and `Bidi` (each message back).
"""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from concurrent import futures
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import grpc
from websockets.asyncio.server import ServerConnection, serve

from bed.programs.ports import GRPC, HTTP, SLOW, SLOWNESS, WEBSOCKET

_ADDRESS = "127.0.0.1"


class _Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    delay = 0.0

    def answer(self) -> None:
        began = time.monotonic()
        length = sum(len(part) for part in self._body())
        seen: dict[str, Any] = {
            "method": self.command,
            "path": self.path,
            "headers": [list(pair) for pair in self.headers.items()],
            "body": length,
            "body_seconds": round(time.monotonic() - began, 3),
        }
        time.sleep(self.delay)
        if chunks := self.headers.get("x-bed-chunks"):
            count, pause = chunks.split()
            self._answer_slowly(int(count), float(pause))
            return
        body = json.dumps(seen).encode() + b"\n"
        self.send_response(int(self.headers.get("x-bed-status", "200")))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_DELETE = do_GET = do_HEAD = do_OPTIONS = do_PATCH = do_POST = do_PUT = answer

    def _body(self) -> Iterator[bytes]:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while size := int(self.rfile.readline().split(b";")[0], 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return
        left = int(self.headers.get("Content-Length", "0"))
        while left and (part := self.rfile.read(min(left, 1 << 16))):
            left -= len(part)
            yield part

    def _answer_slowly(self, count: int, pause: float) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number in range(count):
            line = f"{number}\n"
            self.wfile.write(f"{len(line):x}\r\n{line}\r\n".encode())
            self.wfile.flush()
            time.sleep(pause)
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the gateway keeps the access log."""


class _Slow(_Echo):
    delay = SLOWNESS


def _serve_http(port: int, handler: type[_Echo]) -> None:
    server = ThreadingHTTPServer((_ADDRESS, port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()


class _AnyService(grpc.GenericRpcHandler):
    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes] | None":
        method = handler_call_details.method.rpartition("/")[2]
        if method == "Unary":
            return grpc.unary_unary_rpc_method_handler(_unary)
        return grpc.stream_stream_rpc_method_handler(_bidi) if method == "Bidi" else None


def _unary(message: bytes, context: grpc.ServicerContext) -> bytes:
    pairs = [[key, value] for key, value in context.invocation_metadata() if isinstance(value, str)]
    return message + b"\n" + json.dumps(pairs).encode()


def _bidi(messages: Iterator[bytes], _context: grpc.ServicerContext) -> Iterator[bytes]:
    yield from messages


def _serve_grpc(port: int) -> grpc.Server:
    server = grpc.server(futures.ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers((_AnyService(),))
    server.add_insecure_port(f"{_ADDRESS}:{port}")
    server.start()
    return server


async def _echo(connection: ServerConnection) -> None:
    request = connection.request
    path, headers = (request.path, list(request.headers.raw_items())) if request else ("", [])
    async for message in connection:
        text = message if isinstance(message, str) else message.decode(errors="replace")
        await connection.send(json.dumps({"message": text, "path": path, "headers": headers}))


async def _serve_websocket(port: int) -> None:
    async with serve(_echo, _ADDRESS, port):
        await asyncio.Future()


def main() -> None:
    """Serve all of them until the process ends."""
    _serve_http(HTTP, _Echo)
    _serve_http(SLOW, _Slow)
    _server = _serve_grpc(GRPC)
    asyncio.run(_serve_websocket(WEBSOCKET))
