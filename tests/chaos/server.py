"""Loopback servers that fail as they are told to: of a model (whatever its wire format), and of a source."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

from chaos.sent import Sent
from gra_core.testing import LoopbackRequest, LoopbackServer

AT_ONCE = struct.pack("ii", 1, 0)  # linger of zero seconds: the connection is reset, not closed


class FaultyServer(LoopbackServer):
    """A `LoopbackServer` whose bodies may be `Sent`: slow, cut short, or a reset. `over` ends what drips."""

    def __init__(self) -> None:
        super().__init__()
        self.over = threading.Event()
        plain = self._http.RequestHandlerClass
        self._http.RequestHandlerClass = type("Faulty", (_Faulty, plain), {"over": self.over})

    def close(self) -> None:
        self.over.set()
        super().close()

    def answer(self, request: LoopbackRequest) -> tuple[int, Mapping[str, str], Any]:
        sent = self.sent(request)
        return sent.status, sent.headers, sent

    def sent(self, request: LoopbackRequest) -> Sent:
        """What to send for a request."""
        raise NotImplementedError


class _Faulty(BaseHTTPRequestHandler):
    over: threading.Event

    def send(self, status: int, headers: Mapping[str, str], sent: Sent) -> None:
        if sent.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
            os.close(self.connection.detach())
            return
        body = sent.body if isinstance(sent.body, (bytes, str)) else json.dumps(sent.body)
        data = body.encode() if isinstance(body, str) else body
        head = {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}
        lines = [
            f"HTTP/1.0 {status} Synthetic",
            *(f"{name}: {value}" for name, value in head.items()),
            "",
            "",
        ]
        first = "\r\n".join(lines).encode()
        self._write(first, sent.drip_s if sent.dripping == "head" else 0)
        self._write(data if sent.cut is None else data[: sent.cut], sent.drip_s)

    def _write(self, data: bytes, drip_s: float) -> None:
        if not drip_s:
            self.wfile.write(data)
            return
        for byte in data:
            self.wfile.write(bytes([byte]))
            if self.over.wait(drip_s):
                return


class ModelServer(FaultyServer):
    """A model: the trial of the query that holds `struck` gets `script`, one reply a request, then `fine` like all
    others. `asked` are the times at which each query was asked."""

    def __init__(self, queries: Iterable[str], struck: str) -> None:
        super().__init__()
        self.queries, self.struck = tuple(queries), struck
        self.script: list[Sent] = []
        self.fine: Callable[[], Sent] = Sent
        self.always: Sent | None = None
        self.asked: dict[str, list[float]] = {query: [] for query in self.queries}

    def play(self, script: Iterable[Sent], *, always: Sent | None, fine: Callable[[], Sent]) -> None:
        """Begin anew."""
        self.script, self.always, self.fine = list(script), always, fine
        self.forget()

    def forget(self) -> None:
        """Count requests from here."""
        self.received.clear()
        self.asked = {query: [] for query in self.queries}

    def recover(self) -> None:
        """No further fault."""
        self.script, self.always = [], None

    def sent(self, request: LoopbackRequest) -> Sent:
        query = next(q for q in self.queries if q in request.body.decode())
        self.asked[query].append(time.monotonic())
        if query != self.struck:
            return self.fine()
        return self.script.pop(0) if self.script else self.always or self.fine()


class SourceServer(FaultyServer):
    """A source that sends the reply of the tool call that asks: `turn` is its number. `asked` counts requests by call."""

    def __init__(self, turn: Callable[[], int]) -> None:
        super().__init__()
        self.turn = turn
        self.script: list[Sent] = []
        self.asked: Counter[int] = Counter()

    def play(self, script: Iterable[Sent]) -> None:
        """Begin anew."""
        self.script, self.asked = list(script), Counter()

    def sent(self, request: LoopbackRequest) -> Sent:
        turn = self.turn()
        self.asked[turn] += 1
        return self.script[turn]
