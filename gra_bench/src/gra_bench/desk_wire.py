"""The desk over a socket: workers of a cluster ask the process that owns the run.

Both ends prove that they know the run's key; whoever knows it is trusted, since values travel pickled.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from decimal import Decimal
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from gra_bench.budget import Bound
from gra_bench.desk import Desk, Permit
from gra_core import Event
from gra_core.errors import RunStopped

ASKED = ("enter", "limited", "again", "leave", "enter_tool", "stop", "begin", "event")


class DeskServer:
    """Answers workers, each connection in a thread of its own, until `close`."""

    def __init__(self, desk: Desk, host: str, key: bytes) -> None:
        self._desk = desk
        self._listener = Listener((host, 0), authkey=key, backlog=256)
        self.address: tuple[str, int] = self._listener.address
        self._open = True
        threading.Thread(target=self._accept, daemon=True, name="gra-desk").start()

    def close(self) -> None:
        self._open = False
        self._listener.close()

    def _accept(self) -> None:
        while self._open:
            try:
                connection = self._listener.accept()
            except Exception:  # a stranger without the key, or the end
                continue
            threading.Thread(target=self._serve, args=(connection,), daemon=True, name="gra-desk").start()

    def _serve(self, connection: Connection) -> None:
        with connection, contextlib.suppress(EOFError, OSError):
            while True:
                name, arguments = connection.recv()
                connection.send(self._answer(name, arguments))

    def _answer(self, name: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        if name not in ASKED:
            return False, ValueError(f"the desk has no {name}")
        try:
            return True, getattr(self._desk, name)(*arguments)
        except Exception as error:
            return False, error


class RemoteDesk:
    """What a worker sees of the desk: the methods that a trial needs. `RunStopped` when the run's process is gone."""

    def __init__(self, address: tuple[str, int], key: bytes) -> None:
        self._address, self._key = address, key
        self._local = threading.local()

    def enter(self, model: str, attempt: str, bound: Bound | None) -> Permit:
        return self._ask("enter", model, attempt, bound)

    def limited(self, permit: Permit, seconds: float | None) -> None:
        self._ask("limited", permit, seconds)

    def again(self, permit: Permit, cost: Decimal, bound: Bound) -> None:
        self._ask("again", permit, cost, bound)

    def leave(self, permit: Permit, cost: Decimal, output: int, succeeded: bool) -> None:
        self._ask("leave", permit, cost, output, succeeded)

    def enter_tool(self, tool: str, attempt: str) -> Permit:
        return self._ask("enter_tool", tool, attempt)

    def stop(self, why: str, model: str = "") -> None:
        self._ask("stop", why, model)

    def begin(self, attempt: str) -> bool:
        return self._ask("begin", attempt)

    def event(self, trial: str, attempt: str, event: Event) -> None:
        self._ask("event", trial, attempt, event)

    def _ask(self, name: str, *arguments: Any) -> Any:
        try:
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = Client(self._address, authkey=self._key)
            connection.send((name, arguments))
            succeeded, value = connection.recv()
        except (EOFError, OSError) as error:
            raise RunStopped("the process that owns the run does not answer") from error
        if succeeded:
            return value
        raise value


def address_towards(host: str, port: int) -> str:
    """The address under which this machine is seen from a host (no packet is sent to find it)."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((host, port))
        return probe.getsockname()[0]
