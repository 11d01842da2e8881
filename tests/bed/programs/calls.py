"""A backend that speaks HTTP/2 alone: it answers gRPC calls as gRPC does, and every other request with the same words as a page.

A gRPC server of a library answers what is no call in ways of its own, from which nobody could tell whether it was reached.
"""

import asyncio
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded

Headers = list[tuple[str, str]]


def framed(message: bytes) -> bytes:
    """A message of gRPC: not compressed, its length before it."""
    return b"\0" + len(message).to_bytes(4, "big") + message


class Calls(asyncio.Protocol):
    """One connection; `told` makes the evidence of a request's headers and the caller's address."""

    def __init__(self, name: str, told: Callable[[Headers, str], dict[str, Any]]) -> None:
        """Answer in the name of a backend."""
        self._name = name
        self._told = told
        self._connection = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self._asked: dict[int, Headers] = {}
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Greet."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connection.initiate_connection()
        transport.write(self._connection.data_to_send())

    def data_received(self, data: bytes) -> None:
        """Answer every request that has come to its end."""
        assert self._transport
        for event in self._connection.receive_data(data):
            if isinstance(event, RequestReceived):
                self._asked[event.stream_id] = headers = [(str(name), str(value)) for name, value in event.headers]
                if (":method", "CONNECT") in headers:  # a tunnel, which has no end before it is answered
                    self._answer(event.stream_id, HTTPStatus.METHOD_NOT_ALLOWED)
            elif isinstance(event, DataReceived):
                self._connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, StreamEnded):
                self._answer(event.stream_id)
        self._transport.write(self._connection.data_to_send())

    def _answer(self, stream: int, status: HTTPStatus = HTTPStatus.OK) -> None:
        assert self._transport
        headers = self._asked.pop(stream)
        asked = dict(headers)
        peer = self._transport.get_extra_info("peername")[0]
        message = json.dumps({"backend": self._name, "path": asked.get(":path"), **self._told(headers, peer)}).encode()
        is_call = asked.get("content-type", "").startswith("application/grpc")
        kind = "application/grpc" if is_call else "application/json"
        self._connection.send_headers(stream, [(":status", str(status.value)), ("content-type", kind), ("x-backend", self._name)])
        if is_call:
            self._connection.send_data(stream, framed(message))
            self._connection.send_headers(stream, [("grpc-status", "0")], end_stream=True)
        else:
            self._connection.send_data(stream, message, end_stream=True)
