"""Stands where an API server is expected, and answers what a real one seldom does: expired pages, errors, no JSON."""

import http.server
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bed.pki import Authority

Answers = Mapping[str, list[Any]]
"""Request target -> status, body and further headers of each answer in turn; the last one stays."""


@dataclass
class Pretender:
    """One that runs."""

    port: int
    answers: Answers
    asked: list[str] = field(default_factory=list)
    """`METHOD target` of every request, in order."""


@contextmanager
def pretender(folder: Path, authority: Authority, answers: Answers) -> Iterator[Pretender]:
    """Serve on loopback, with a certificate of `authority`."""
    chain, key = authority.issue("127.0.0.1").write(folder, "pretender")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        served = Pretender(server.server_port, answers)
        server.RequestHandlerClass = _handler(served)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()


def _handler(served: Pretender) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            served.asked.append(f"{self.command} {self.path}")
            turns = served.answers.get(self.path, [(404, '{"kind": "Status", "code": 404}')])
            status, body, *headers = turns.pop(0) if len(turns) > 1 else turns[0]
            self.send_response(status)
            for name, value in headers[0].items() if headers else ():
                self.send_header(name, value)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def __getattr__(self, name: str) -> object:
            if name.startswith("do_"):
                return self.handle_any
            raise AttributeError(name)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
