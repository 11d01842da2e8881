"""Sends a request as the bytes that a question says, past every client library that would mend it."""

import base64
import http.client
import json
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import ConnectionTerminated, DataReceived, ResponseReceived, StreamEnded, StreamReset, TrailersReceived
from h2.exceptions import ProtocolError

from bed.network import Namespace
from bed.programs.calls import framed
from chain.question import Outcome, Question

_SECONDS = 10


@dataclass(frozen=True)
class Way:
    """Where a request is sent from and to."""

    namespace: Namespace
    source: str
    address: str
    port: int
    secured: bool


def send(way: Way, question: Question) -> Outcome:
    """What comes of the question's request on this way."""
    return way.namespace.inside(lambda: _exchange(way, question))


def _exchange(way: Way, question: Question) -> Outcome:
    speak = _http1 if question.over == "http1" else _http2
    try:
        with socket.create_connection((way.address, way.port), _SECONDS, (way.source, 0)) as plain:
            return speak(_secured(plain, question) if way.secured else plain, question)
    except (OSError, http.client.HTTPException, ProtocolError) as error:
        return Outcome(None, f"{type(error).__name__}: {error}")


def _http1(channel: socket.socket, question: Question) -> Outcome:
    lines = [f"{question.method or 'GET'} {question.wire_target} HTTP/1.1", f"Host: {question.wire_host}"]
    lines += _UPGRADE if question.websocket else ["Connection: close"]
    if question.forwarded_for is not None:
        lines.append(f"X-Forwarded-For: {question.forwarded_for}")
    channel.sendall("\r\n".join([*lines, "", ""]).encode())
    answer = http.client.HTTPResponse(channel, method="GET")
    answer.begin()
    if answer.status == HTTPStatus.SWITCHING_PROTOCOLS:
        told = _talk(channel)
        return Outcome(told["backend"], str(answer.status), upgraded=True, evidence=told)
    body = answer.read()
    if answer.getheader("x-backend") is None:
        return _refused(answer.status, body)
    told = json.loads(body)
    return Outcome(told["backend"], str(answer.status), upgraded=False if question.websocket else None, evidence=told)


_UPGRADE = [
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}",
]


def _talk(channel: socket.socket) -> dict[str, Any]:
    """Send a message over a WebSocket: one that is masked with zeros is its own text. The backend answers with what it knows."""
    channel.sendall(b"\x81\x85" + bytes(4) + b"hello")
    _, length = _exactly(channel, 2)
    size = {126: 2, 127: 8}.get(length, 0)
    told: dict[str, Any] = json.loads(_exactly(channel, int.from_bytes(_exactly(channel, size), "big") if size else length))
    return told


def _exactly(channel: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = channel.recv(size - len(data))
        if not more:
            raise ConnectionError("the WebSocket has ended")
        data += more
    return data


def _http2(channel: socket.socket, question: Question) -> Outcome:
    """The request as HTTP/2 has it, sent although a library might mend or refuse it."""
    connection = H2Connection(H2Configuration(header_encoding="utf-8", validate_outbound_headers=False))
    connection.initiate_connection()
    is_call = question.over == "grpc"
    headers = [
        (":method", question.method or "GET"),
        (":scheme", "https"),
        (":authority", question.wire_host),
        (":path", question.wire_target),
    ]
    if question.forwarded_for is not None:
        headers.append(("x-forwarded-for", question.forwarded_for))
    if is_call:
        headers += [("content-type", "application/grpc"), ("te", "trailers")]
    connection.send_headers(1, headers, end_stream=not is_call)
    if is_call:
        connection.send_data(1, framed(b"hello"), end_stream=True)
    channel.sendall(connection.data_to_send())
    answered: dict[str, str] = {}
    body = b""
    while data := channel.recv(65536):
        for event in connection.receive_data(data):
            match event:
                case ResponseReceived() | TrailersReceived():
                    answered |= {str(name): str(value) for name, value in event.headers}
                case DataReceived():
                    body += event.data
                case StreamReset() | ConnectionTerminated():
                    return Outcome(None, f"{type(event).__name__}: {event.error_code}")
                case StreamEnded():
                    return _answered(answered, body, is_call=is_call)
        channel.sendall(connection.data_to_send())
    return Outcome(None, "the connection has ended")


def _answered(headers: Mapping[str, str], body: bytes, *, is_call: bool) -> Outcome:
    if "x-backend" not in headers:
        return _refused(headers.get("grpc-status", headers[":status"]), body)
    if is_call and headers.get("grpc-status") != "0":
        return Outcome(None, f"a call without an end: {headers}")
    told = json.loads(body[5:] if is_call else body)
    return Outcome(told["backend"], headers[":status"], evidence=told)


def _refused(status: int | str, body: bytes) -> Outcome:
    return Outcome(None, f"{status} {body.decode(errors='replace')[:80].strip()}")


def _secured(plain: socket.socket, question: Question) -> ssl.SSLSocket:
    """A TLS channel that names what it is told; who answers is not what is asked here."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["http/1.1" if question.over == "http1" else "h2"])
    return context.wrap_socket(plain, server_hostname=question.wire_sni or None)
