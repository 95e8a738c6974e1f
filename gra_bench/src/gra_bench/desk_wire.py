"""The desk over a socket: workers of a cluster ask the process that owns the run.

Both ends prove that they know the run's key; whoever knows it is trusted, since values travel pickled.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from typing import Any

from gra_bench.desk import Desk
from gra_core.errors import RunStopped

# What may be asked, and which argument is, or has, the attempt that asks.
ASKED = {
    "begin": 0,
    "enter": 1,
    "limited": 0,
    "again": 0,
    "leave": 0,
    "enter_tool": 1,
    "event": 1,
    "stop": None,
}
CONNECT_S = 20


class DeskLost(RunStopped):
    """The process that owns the run does not answer: it is gone, or the network between is."""


class DeskServer:
    """Answers workers, each connection in a thread of its own, until `close`."""

    def __init__(self, desk: Desk, host: str, key: bytes) -> None:
        self._desk, self._key = desk, key
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, 0), family=family, backlog=256)
        self.address: tuple[str, int] = self._socket.getsockname()[:2]
        self._attempts: set[str] = set()
        threading.Thread(target=self._accept, daemon=True, name="gra-desk").start()

    @contextlib.contextmanager
    def serving(self, attempt: str) -> Iterator[None]:
        """Answer what an attempt asks inside the block. Afterwards it is refused: a worker that was thought lost may still
        be at it, and is to spend no more."""
        self._attempts.add(attempt)
        try:
            yield
        finally:
            self._attempts.discard(attempt)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes `accept`, which closing alone does not
        self._socket.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                peer, _ = self._socket.accept()
                threading.Thread(target=self._serve, args=(peer,), daemon=True, name="gra-desk").start()

    def _serve(self, peer: socket.socket) -> None:
        with _connection(peer) as connection, contextlib.suppress(EOFError, OSError, AuthenticationError):
            deliver_challenge(connection, self._key)
            answer_challenge(connection, self._key)
            while True:
                name, arguments = connection.recv()
                connection.send(self._answer(name, arguments))

    def _answer(self, name: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        if name not in ASKED:
            return False, ValueError(f"the desk has no {name}")
        position = ASKED[name]
        if position is not None:
            attempt = getattr(arguments[position], "attempt", arguments[position])
            if attempt not in self._attempts:
                return False, RunStopped("this attempt was given up: its worker was thought lost")
        try:
            return True, getattr(self._desk, name)(*arguments)
        except Exception as error:
            return False, error


class RemoteDesk:
    """What workers see of the `Desk`: what a trial asks of it, for all trials of a process. `DeskLost` when the run's process
    does not answer."""

    def __init__(self, address: tuple[str, int], key: bytes) -> None:
        self._address, self._key = address, key
        self._idle: list[Connection] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in ASKED:
            raise AttributeError(name)
        return partial(self._ask, name)

    def _ask(self, name: str, *arguments: Any) -> Any:
        try:
            connection = self._free_connection()
            connection.send((name, arguments))
            succeeded, value = connection.recv()
        except (EOFError, OSError, AuthenticationError) as error:
            host, port = self._address
            raise DeskLost(
                f"the process that owns the run does not answer at {host}:{port}: {error!r}"
            ) from error
        self._idle.append(connection)
        if succeeded:
            return value
        raise value

    def _free_connection(self) -> Connection:
        with contextlib.suppress(IndexError):
            return self._idle.pop()
        connection = _connection(socket.create_connection(self._address, timeout=CONNECT_S))
        answer_challenge(connection, self._key)
        deliver_challenge(connection, self._key)
        return connection


def _connection(peer: socket.socket) -> Connection:
    peer.settimeout(None)
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # a machine that is gone says nothing
    return Connection(peer.detach())


def address_towards(host: str, port: int) -> str:
    """The address under which this machine is seen from a host (no packet is sent to find it)."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.connect(address)
        return probe.getsockname()[0]
