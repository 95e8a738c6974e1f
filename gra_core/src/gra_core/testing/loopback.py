"""A server on the loopback interface, for tests of live clients: subclass it and speak the provider's wire format."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from attrs import frozen

Answer = tuple[int, Mapping[str, str], Any]


@frozen(kw_only=True)
class LoopbackRequest:
    """What a client sent. Names of `headers` are looked up without regard to case; `query` keeps the last value of each
    name."""

    method: str
    path: str
    query: dict[str, str]
    headers: Message
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class LoopbackServer:
    """Serves from the moment it is made until `close`, each request in a thread; also a context manager.

    `url` is its address without a trailing slash, `received` what was asked so far. `faults` are answers ``(status,
    headers, body)`` to give first, each once; `delay_s` is waited before any answer. A body is bytes, text or JSON-ready.
    """

    def __init__(self) -> None:
        self.received: list[LoopbackRequest] = []
        self.faults: list[tuple[Any, ...]] = []
        self.delay_s = 0.0
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, request: LoopbackRequest) -> Answer:
        """Status, headers and body for a request; subclasses write it."""
        raise NotImplementedError

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def __enter__(self) -> LoopbackServer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _respond(self, request: LoopbackRequest) -> Answer:
        self.received.append(request)
        time.sleep(self.delay_s)
        if self.faults:
            status, headers, *body = self.faults.pop(0)
            return status, headers, body[0] if body else b""
        return self.answer(request)


def _handler(server: LoopbackServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def respond(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = LoopbackRequest(
                method=self.command, path=parts.path, query=dict(parse_qsl(parts.query)), headers=self.headers, body=body
            )  # fmt: skip
            # A client that gave up is what tests of time-outs want.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.send(*server._respond(request))

        do_GET = do_POST = do_PUT = do_DELETE = respond

        def send(self, status: int, headers: Mapping[str, str], body: Any) -> None:
            plain = {} if isinstance(body, (bytes, str)) else {"Content-Type": "application/json"}
            text = body if isinstance(body, (bytes, str)) else json.dumps(body)
            data = text.encode() if isinstance(text, str) else text
            self.send_response(status)
            for name, value in {**plain, "Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: Any) -> None:
            pass

    return Handler
