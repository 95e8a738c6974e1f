"""One HTTP service that answers in JSON: retries, waits that the server asks for, errors as `ToolError`."""

from __future__ import annotations

import email.utils
import random
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from gra_core import SourceSettings, ToolError
from gra_core.errors import ErrorKind

RETRIED = frozenset({408, 429, 500, 502, 503, 504})
LONGEST_WAIT_S = 30.0


class RestService:
    """A client of one base URL. `service` names it in errors, `key_hint` says where a key comes from, `explain` reads
    the reason out of an error reply.

    Settings: base_url, timeout_s, retries, and ``backoff_s`` (the first pause, doubled each time; default 0.5 s).
    The key goes out in the header that the caller gives, and is cut out of every message.
    """

    def __init__(
        self,
        settings: SourceSettings,
        *,
        service: str,
        explain: Callable[[httpx.Response], str],
        headers: Mapping[str, str],
        key_hint: str = "",
    ) -> None:
        self.service, self.base_url = service, settings.base_url
        self._explain, self._key, self._key_hint = explain, settings.key, key_hint
        self._timeout_s, self._retries = settings.timeout_s, max(0, settings.retries)
        self._backoff_s = float(settings.get("backoff_s", 0.5))
        timeout = httpx.Timeout(settings.timeout_s, connect=min(10.0, settings.timeout_s))
        self._client = httpx.Client(headers=dict(headers), timeout=timeout)

    def request(self, method: str, path: str, **content: Any) -> dict[str, Any]:
        """The JSON object that a request answers; `content` is what httpx takes (params, json, data, headers).

        `ToolError`: ``not_available`` for a refused key, ``quota`` for 429, ``bad_argument`` for 400, ``not_found``
        for 404, ``timeout`` when nothing came in time, else ``upstream``.
        """
        response = self._send(method, self.base_url + path, content)
        if response.status_code != 200:
            raise self._error_of(response)
        try:
            body = response.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise ToolError(
                "upstream",
                f"{self.service} sent a reply that is not a JSON object",
                hint="try again later, or check base_url",
            )
        return body

    def _send(self, method: str, url: str, content: dict[str, Any]) -> httpx.Response:
        """One request, repeated after a fault that may pass."""
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            wait_s = self._backoff_s * 2**attempt * random.uniform(0.75, 1.25)
            try:
                response = self._client.request(method, url, **content)
            except httpx.TimeoutException:
                if last:
                    raise ToolError(
                        "timeout", f"{self.service} did not answer within {self._timeout_s:g} s ({attempt + 1} attempts)",
                        hint="ask for a smaller area or fewer types, or raise timeout_s of the source",
                    ) from None  # fmt: skip
            except httpx.HTTPError as error:
                if last:
                    raise ToolError(
                        "upstream", f"{self.service} could not be reached at {self.base_url}: {type(error).__name__}",
                        hint="check the network, or base_url of the source",
                    ) from None  # fmt: skip
            else:
                wait_s = asked_wait(response, wait_s)
                if (
                    last
                    or response.status_code not in RETRIED
                    or wait_s > LONGEST_WAIT_S
                    or _used_up(response)
                ):
                    return response
            time.sleep(wait_s)
        raise AssertionError("unreachable")

    def _error_of(self, response: httpx.Response) -> ToolError:
        status, said = response.status_code, self._said(response)
        if status in (401, 403) or (status == 400 and re.search(r"api.?key", said, re.I)):
            return ToolError(
                "not_available",
                f"{self.service} refused the request (HTTP {status}): {said}",
                hint=self._key_hint,
            )
        if status == 429:
            wait_s = asked_wait(response, 0.0)
            when = f"in {wait_s:.0f} s" if wait_s else "later"
            return ToolError(
                "quota",
                f"{self.service} takes no more requests now (HTTP 429): {said}",
                hint=f"try again {when}, or ask for less",
            )
        if status == 404:
            return ToolError(
                "not_found",
                f"{self.service} has no such thing (HTTP 404): {said}",
                hint="check the id, and base_url of the source",
            )
        if status == 400:
            return ToolError(
                "bad_argument",
                f"{self.service} did not accept the request: {said}",
                hint="check types, text and area",
            )
        kind: ErrorKind = "timeout" if status == 504 else "upstream"
        return ToolError(
            kind,
            f"{self.service} failed with HTTP {status}: {said}",
            hint="try again later, or ask for a smaller area",
        )

    def _said(self, response: httpx.Response) -> str:
        said = (self._explain(response) or response.reason_phrase or "no reason given")[:300]
        return said.replace(self._key, "[key]") if self._key else said


def asked_wait(response: httpx.Response, planned_s: float) -> float:
    """Seconds until the next try: what ``Retry-After`` (seconds or a date) or Google's RetryInfo asks for, else the plan."""
    asked = response.headers.get("Retry-After", "")
    if asked.isdigit():
        return float(asked)
    if parsed := email.utils.parsedate_tz(asked) if asked else None:
        return max(0.0, email.utils.mktime_tz(parsed) - time.time())
    if response.status_code == 429 and (delay := re.search(r'"retryDelay"\s*:\s*"([\d.]+)s"', response.text)):
        return float(delay[1])
    return planned_s


def _used_up(response: httpx.Response) -> bool:
    """Whether a daily quota is gone: asking again before tomorrow is in vain."""
    return response.status_code == 429 and bool(re.search(r"per\s?day", response.text, re.I))
