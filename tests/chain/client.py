"""Sends a request as the bytes that a question says, past every client library that would mend it."""

import http.client
import json
import socket
import ssl
from dataclasses import dataclass

from bed.network import Namespace
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
    lines = [f"GET {question.wire_target} HTTP/1.1", f"Host: {question.wire_host}", "Connection: close"]
    if question.forwarded_for is not None:
        lines.append(f"X-Forwarded-For: {question.forwarded_for}")
    request = "\r\n".join([*lines, "", ""]).encode()
    try:
        with socket.create_connection((way.address, way.port), _SECONDS, (way.source, 0)) as plain:
            channel = _secured(plain, question.wire_sni) if way.secured else plain
            channel.sendall(request)
            answer = http.client.HTTPResponse(channel, method="GET")
            answer.begin()
            body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        return Outcome(None, f"{type(error).__name__}: {error}")
    if answer.getheader("x-backend") is None:
        return Outcome(None, f"{answer.status} {body.decode(errors='replace')[:80].strip()}")
    told = json.loads(body)
    return Outcome(told["backend"], str(answer.status), told)


def _secured(plain: socket.socket, name: str) -> ssl.SSLSocket:
    """A TLS channel that names what it is told; who answers is not what is asked here."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(plain, server_hostname=name or None)
