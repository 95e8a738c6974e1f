"""The loopback server."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from attrs import define, field

from gra_model_gemini.testing.objections import objection
from gra_model_gemini.testing.wire import Answer, Received, camel, refusal, signature_bytes, values


@define(kw_only=True)
class GeminiServer:
    """The server. Answers are taken in order; a function is called with the `Received` request."""

    answers: list[Answer | Callable[[Received], Answer]] = field(factory=list)
    received: list[Received] = field(factory=list)
    signatures: set[bytes] = field(factory=set)
    key: str = "test-key"
    strict: bool = True
    _http: Any = None

    def add(self, *answers: Answer | Callable[[Received], Answer]) -> None:
        """Put further answers at the end of the queue."""
        self.answers.extend(answers)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def last(self) -> Received:
        return self.received[-1]

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"gemini": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, request: Received) -> Answer:
        """What to send for a request."""
        self.received.append(request)
        if request.headers.get("x-goog-api-key") != self.key:
            return refusal(403, "Method doesn't allow unregistered callers", word="PERMISSION_DENIED")
        if self.strict and (complaint := objection(request, self.signatures)):
            return refusal(400, complaint)
        if not self.answers:
            return refusal(500, "the test gave the server no further answer", word="INTERNAL")
        answer = self.answers.pop(0)
        answer = answer(request) if callable(answer) else answer
        for body in (answer.body, *answer.chunks):
            self.signatures |= {signature_bytes(s) for s in values(body, "thoughtSignature")}
        return answer


class _Handler(BaseHTTPRequestHandler):
    gemini: GeminiServer
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and body in one packet: two would wait for each other's acknowledgement

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = re.match(r"^(?:/.*)?/(v\w+)/models/([^:]+):(\w+)", self.path)
        version, model, method = path.groups() if path else ("", "", "")
        headers = {k.lower(): v for k, v in self.headers.items()}
        answer = self.gemini.answer(
            Received(
                path=self.path,
                model=model,
                method=method,
                version=version,
                headers=headers,
                body=camel(json.loads(raw)),
            )
        )
        threading.Event().wait(answer.delay_s)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the client may have given up
            self._send(answer)

    def _send(self, answer: Answer) -> None:
        if answer.drop:
            self.close_connection = True
            return
        if answer.chunks:
            data = b"".join(b"data: " + json.dumps(c).encode() + b"\r\n\r\n" for c in answer.chunks)
            kind = "text/event-stream"
        else:
            data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            kind = "application/json"
        self.send_response(answer.status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data if answer.cut is None else data[: answer.cut])
        if answer.cut is not None:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass
