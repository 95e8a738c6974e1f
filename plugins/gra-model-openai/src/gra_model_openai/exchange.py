"""One answered request after as many attempts as it takes, all of them accounted for."""

from __future__ import annotations

import json
import logging
import random
import threading
import time
from typing import Any

from attrs import define, field

from gra_core import Clock, ModelError, Usage
from gra_core.secrets import redact
from gra_core.text import whole
from gra_model_openai.failure import Failure, body_failure, inline_failure, status_failure, transport_failure
from gra_model_openai.settings import Endpoint, Patience
from gra_model_openai.usage import read_usage, unanswered

log = logging.getLogger("gra_model_openai")
LONGEST_WAIT_S = 30.0


@define(kw_only=True)
class Exchange:
    """Sends bodies to a server on behalf of one `generate`: `requests` and `waited_s` grow with every attempt."""

    sdk: Any
    endpoint: Endpoint
    patience: Patience
    clock: Clock
    closed: threading.Event
    requests: list[Usage] = field(factory=list)
    waited_s: float = 0.0

    def ask(self, body: dict[str, Any]) -> dict[str, Any]:
        """The raw completion; `ModelError` when there is none, `LimitExceeded` when the clock has run out.

        Rate limits are bounded by time, other failures by number.
        """
        failures = limits = 0
        while True:
            self.clock.check()
            self.clock.repeat(self.requests)
            result = self._in_time(body)
            if isinstance(result, dict):
                self.requests.append(read_usage(result, body))
                return result
            self.requests.append(unanswered(body, processed=result.processed))
            limited = result.kind == "quota"
            failures, limits = failures + (not limited), limits + limited
            self.clock.check()
            delay = self._delay(result, limits if limited else failures)
            if delay is None or failures > self.patience.retries:
                raise self._error(result, body, failures + limits)
            log.info("waiting %.1f s: %s", delay, self._clean(result.message))
            self._wait(delay, result)
            if self.closed.is_set():
                raise self._error(result, body, failures + limits)

    def _in_time(self, body: dict[str, Any]) -> dict[str, Any] | Failure:
        """One attempt. The transport's own time-out starts anew with each byte: a reply that trickles in would never
        meet it."""
        timeout_s = self.patience.timeout_s
        try:
            return self.clock.run(lambda: self._once(body), timeout_s=timeout_s)
        except TimeoutError as error:
            return transport_failure(error, timeout_s=timeout_s)

    def _once(self, body: dict[str, Any]) -> dict[str, Any] | Failure:
        import openai

        fields = dict(whole(body))
        # A local server without a key gets no Authorization header, rather than a made-up key.
        headers = None if self.endpoint.key else {"Authorization": openai.Omit()}
        try:
            response = self.sdk.chat.completions.with_raw_response.create(
                model=fields.pop("model"), messages=fields.pop("messages"), extra_body=fields, extra_headers=headers,
                timeout=max(0.1, min(self.patience.timeout_s, self.clock.remaining)),
            ).http_response  # fmt: skip
        except openai.APIStatusError as error:
            return status_failure(
                error.status_code, error.body, error.response.headers, text=error.response.text
            )
        except openai.APIConnectionError as error:
            return transport_failure(error, timeout_s=self.patience.timeout_s)
        return _parsed(response)

    def _delay(self, failure: Failure, number: int) -> float | None:
        """Seconds to wait before another attempt, with jitter; None when there is to be none."""
        if not failure.retry or self.closed.is_set():
            return None
        backoff = min(LONGEST_WAIT_S, self.patience.backoff_s * 2 ** (number - 1)) * random.uniform(0.5, 1.0)
        delay = min(backoff, self.patience.max_wait_s)
        if failure.after_s is not None:
            if failure.after_s > self.patience.max_wait_s:
                return None
            delay = failure.after_s + random.uniform(0, min(1.0, failure.after_s / 10))
        if self._apart(failure) and self.waited_s + delay > self.patience.rate_limit_wait_s:
            return None
        return delay

    @staticmethod
    def _apart(failure: Failure) -> bool:
        """A wait that a rate limit or the server asked for is nobody's working time; one after another failure is."""
        return failure.kind == "quota" or failure.after_s is not None

    def _wait(self, delay: float, failure: Failure) -> None:
        if not self._apart(failure):
            self.closed.wait(min(delay, max(0.0, self.clock.remaining)))
            return
        started = time.monotonic()
        with self.clock.limited(failure.after_s):
            self.closed.wait(delay)
        self.waited_s += time.monotonic() - started

    def _error(self, failure: Failure, body: dict[str, Any], attempts: int) -> ModelError:
        message = self._clean(failure.message)
        if failure.kind == "bad_request":
            log.error("request refused (%s): %s", message, self._clean(json.dumps(body, ensure_ascii=False)))
        if failure.after_s is not None and failure.after_s > self.patience.max_wait_s:
            message += f"; the server asks to wait {failure.after_s:.0f} s, more than max_wait_s = {self.patience.max_wait_s:g}"
        elif self._apart(failure):
            message += (
                f"; {self.waited_s:.0f} s waited, rate_limit_wait_s = {self.patience.rate_limit_wait_s:g}"
            )
        tried = f" (after {attempts} attempts)" if attempts > 1 else ""
        return ModelError(
            failure.kind, f"{body['model']} at {self.endpoint.identity or 'OpenAI'}: {message}{tried}",
            hint=HINTS.get(failure.kind, ""), requests=tuple(self.requests), waited_s=self.waited_s,
        )  # fmt: skip

    def _clean(self, text: str) -> str:
        return str(redact(redact(text, [self.endpoint.key] if self.endpoint.key else [])))


HINTS = {
    "auth": "check OPENAI_API_KEY and whether it may use this model",
    "daily_quota": "the account has no quota or credit left",
    "quota": "lower --concurrency, or wait",
    "unavailable": "check that the server runs and OPENAI_BASE_URL or GRA_BASE_URL_OPENAI names it, /v1 included",
    "bad_request": "check the model's name and the [model] settings; some models refuse temperature, seed or thinking",
}


def _parsed(response: Any) -> dict[str, Any] | Failure:
    try:
        raw = json.loads(response.text)
    except (ValueError, RecursionError):
        return body_failure(response.text)
    if not isinstance(raw, dict):
        return body_failure(response.text)
    raw = whole(raw)
    return inline_failure(raw) or raw
