"""Sending a request until it succeeds or must be given up, with every attempt counted."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from gra_core import Clock, ModelError, Usage
from gra_core.model import ModelErrorKind
from gra_model_gemini.faults import Fault
from gra_model_gemini.options import Options

T = TypeVar("T")
LONGEST_BACKOFF_S = 60.0


class RequestFailed(Exception):
    """One request failed. `usage` is what it used as far as that is known."""

    def __init__(self, fault: Fault, usage: Usage) -> None:
        super().__init__(fault.message)
        self.fault, self.usage = fault, usage


class Attempts:
    """The requests made for one reply: their usage, the time spent on rate limits, and when to give up."""

    def __init__(self, clock: Clock, options: Options, closed: threading.Event) -> None:
        self.clock, self.options, self.closed = clock, options, closed
        self.requests: list[Usage] = []
        self.waited_s = 0.0

    def run(self, send: Callable[[], tuple[T, Usage]]) -> T:
        """The first answer; `ModelError` when there is none, `LimitExceeded` when the clock has run out.

        Rate limits are bounded by time, other faults by number.
        """
        failures = limits = 0
        while True:
            self._check()
            self.clock.repeat(self.requests)
            try:
                answer, usage = send()
            except RequestFailed as failed:
                self.requests.append(failed.usage)
                fault = failed.fault
                failures, limits = failures + (not fault.limited), limits + fault.limited
                if not fault.retry or failures >= self.options.attempts:
                    raise self.error(fault.kind, fault.message, fault.hint) from failed
                self._pause(fault, limits if fault.limited else failures)
            else:
                self.requests.append(usage)
                return answer

    def error(self, kind: ModelErrorKind, message: str, hint: str = "") -> ModelError:
        """A `ModelError` that carries all that was spent."""
        tries = f" (after {len(self.requests)} requests)" if len(self.requests) > 1 else ""
        return ModelError(
            kind, message + tries, hint=hint, requests=tuple(self.requests), waited_s=self.waited_s
        )

    def _check(self) -> None:
        if self.closed.is_set():
            raise self.error("unavailable", "the client is closed")
        self.clock.check()

    def _pause(self, fault: Fault, number: int) -> None:
        backoff = min(LONGEST_BACKOFF_S, self.options.backoff_s * 2 ** (number - 1))
        delay = backoff * random.uniform(0.5, 1.5)
        if fault.delay_s is not None:  # never sooner than asked, and not all at the same moment
            delay = fault.delay_s + min(1.0, backoff) * random.random()
        if not fault.limited and fault.delay_s is None:
            self.closed.wait(min(delay, max(0.0, self.clock.remaining)))
            return
        if self.waited_s + delay > self.options.rate_limit_wait_s:
            hint = f"it asks for {delay:.0f} s more; rate_limit_wait_s is {self.options.rate_limit_wait_s:g}"
            raise self.error(fault.kind, f"{fault.message} ({self.waited_s:.0f} s waited)", hint)
        started = time.monotonic()
        with self.clock.limited(fault.delay_s):
            self.closed.wait(delay)
        self.waited_s += time.monotonic() - started
