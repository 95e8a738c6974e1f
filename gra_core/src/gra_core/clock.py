"""The wall clock of a trial: pausable, and able to abandon what hangs."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from gra_core.errors import LimitExceeded

T = TypeVar("T")
_TICK = 0.25


class Clock:
    """Counts down `seconds` of working time. Time inside `waiting()` (rate limits) does not count.

    `on_limit` is told of every rate limit as it is met, with the seconds that were asked for, if any; `on_repeat` of every
    request that a model client sends after the first for one reply, with the usage of those before it; `repeated` keeps that.
    """

    def __init__(self, seconds: float = float("inf"), *, now: Callable[[], float] = time.monotonic) -> None:
        self.allowed = seconds
        self._now = now
        self._started = now()
        self._waited = 0.0
        self._waits: dict[object, float] = {}
        self.on_limit: Callable[[float | None], None] | None = None
        self.on_repeat: Callable[[Sequence[Any]], None] | None = None
        self.repeated: tuple[Any, ...] = ()
        self._lock = threading.Lock()

    @property
    def waited(self) -> float:
        """Seconds spent in `waiting()` so far."""
        with self._lock:
            return self._waited + sum(self._now() - start for start in self._waits.values())

    @property
    def used(self) -> float:
        """Working seconds so far."""
        return self._now() - self._started - self.waited

    @property
    def remaining(self) -> float:
        return self.allowed - self.used

    def advance(self, seconds: float) -> None:
        """Count `seconds` as used: work that an earlier attempt has done already."""
        self._started -= seconds

    def repeat(self, requests: Sequence[Any]) -> None:
        """A model client is about to send another request for the same reply; it raises when it must not. `requests` is
        the `Usage` of those before it: none for the first."""
        self.repeated = tuple(requests)
        if requests and self.on_repeat is not None:
            self.on_repeat(requests)

    @contextmanager
    def limited(self, seconds: float | None = None) -> Iterator[None]:
        """Like `waiting`, because of a provider's rate limit, which asked for `seconds` when it said so."""
        if self.on_limit is not None:
            self.on_limit(seconds)
        with self.waiting():
            yield

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Mark the time inside as waiting for one's turn: it is not working time."""
        token = object()
        with self._lock:
            self._waits[token] = self._now()
        try:
            yield
        finally:
            with self._lock:
                self._waited += self._now() - self._waits.pop(token)

    def check(self) -> None:
        """Raise `LimitExceeded` when the time is used up."""
        if self.remaining <= 0:
            raise LimitExceeded("wall_clock_s", self.allowed, self.used)

    def run(self, function: Callable[[], T], *, timeout_s: float | None = None) -> T:
        """Run `function` in a thread of its own and give up on it when time is over.

        Raises `LimitExceeded` when the clock runs out and `TimeoutError` after `timeout_s`. Python cannot end a
        thread, so what hangs stays behind as a daemon that no result waits for.
        """
        self.check()
        box: list[Any] = []
        done = threading.Event()
        context = contextvars.copy_context()

        def work() -> None:
            try:
                box.append((True, context.run(function)))
            except BaseException as error:  # handed over to the caller's thread
                box.append((False, error))
            finally:
                done.set()

        threading.Thread(target=work, daemon=True, name="gra-work").start()
        ends = self._now() + timeout_s if timeout_s is not None else float("inf")
        while not done.wait(max(0.0, min(_TICK, self.remaining, ends - self._now()))):
            if done.is_set():
                break
            self.check()
            if self._now() >= ends:
                raise TimeoutError(f"no result after {timeout_s:g} s")
        succeeded, value = box[0]
        if succeeded:
            return value
        raise value
