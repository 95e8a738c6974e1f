"""A loopback server that speaks the chat-completions wire format and fails in the ways real ones do."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from gra_core import Clock, Message, ModelRequest, ModelSettings, TrialBrief
from gra_model_openai import testing
from gra_model_openai.plugin import gra_models

DROP, CUT, HANG = "drop", "cut", "hang"


class WireServer:
    """Answers requests with the scripted steps, in order; the last one repeats. Keeps what it was sent.

    A step is a body (dict: status 200), ``(status, headers, body)``, or `DROP` (closes without a word), `CUT`
    (announces more than it sends) or `HANG` (says nothing until the test ends).
    """

    def __init__(self) -> None:
        self.steps: list = []
        self.bodies: list[dict] = []
        self.headers: list[dict] = []
        self.paths: list[str] = []
        self.over = threading.Event()
        wire = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                step = wire.steps[min(len(wire.bodies), len(wire.steps) - 1)]
                wire.paths.append(self.path)
                wire.headers.append({k.lower(): v for k, v in self.headers.items()})
                wire.bodies.append(json.loads(raw))
                if step == HANG:
                    wire.over.wait(20)
                if step in (DROP, HANG):
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.answer(step)

            def answer(self, step) -> None:
                status, headers, body = step if isinstance(step, tuple) else (200, {}, step)
                data = (
                    b'{"id": "chatcmpl-1", "choi'
                    if step == CUT
                    else body
                    if isinstance(body, bytes)
                    else json.dumps(body).encode()
                )
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data) + (500 if step == CUT else 0)))
                self.end_headers()
                self.wfile.write(data)
                if step == CUT:
                    self.connection.shutdown(socket.SHUT_RDWR)

            def log_message(self, *args) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def wire(monkeypatch):
    server = WireServer()
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GRA_BASE_URL_OPENAI", server.url)
    yield server
    server.close()


@pytest.fixture
def client(wire):
    client = gra_models("openai:test-model").open(TrialBrief())
    yield client
    client.close()


@pytest.fixture
def ask(client):
    """Send a request built from keyword arguments; a plain question when there are none."""

    def send(clock: Clock | None = None, **fields):
        fields.setdefault("messages", (Message.user("Where is Carhenge?"),))
        fields.setdefault("settings", ModelSettings(extra={"backoff_s": 0.01}))
        return client.generate(ModelRequest(**fields), clock or Clock(60))

    return send


def completion(message: dict | None = None, *, finish="stop", usage="default", **fields) -> dict:
    """A chat completion as servers send it."""
    counts = testing.usage(20, 5) if usage == "default" else usage
    said = "Nebraska" if message is None else message
    return testing.completion(said, counts, finish=finish, **{"model": "test-model-2026", **fields})


def call(name="find_place", arguments='{"name": "Carhenge"}', **fields) -> dict:
    return testing.call(name, arguments, **fields)


@pytest.fixture
def make():
    """The builders of wire bodies."""

    class Make:
        pass

    made = Make()
    made.completion, made.call, made.calling = completion, call, testing.calling
    made.drop, made.cut, made.hang = DROP, CUT, HANG
    return made
