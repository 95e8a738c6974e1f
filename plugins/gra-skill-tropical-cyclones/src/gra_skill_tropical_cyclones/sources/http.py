"""GET with timeout, retries and typed errors."""

from __future__ import annotations

import email.utils
import random
import time

import httpx

from gra_core import SourceSettings, ToolError

RETRIED = frozenset({408, 429, 500, 502, 503, 504})
LONGEST_WAIT_S = 30.0


class Getter:
    """Fetches texts below one base URL. `service` names the provider in errors; the setting `backoff_s` is the first
    pause between attempts, doubled each time."""

    def __init__(self, settings: SourceSettings, service: str) -> None:
        self.base_url, self.service = settings.base_url, service
        self._timeout_s, self._retries = settings.timeout_s, max(0, settings.retries)
        self._backoff_s = float(settings.get("backoff_s", 0.5))
        self._client = httpx.Client(timeout=settings.timeout_s, follow_redirects=True)

    def text(self, path: str) -> str | None:
        """The body at a path; None when there is no such file (404)."""
        response = self._send(f"{self.base_url}/{path}")
        if response.status_code == 404:
            return None
        if response.status_code == 429:
            raise ToolError(
                "quota", f"{self.service}: too many requests (HTTP 429)", hint="wait a minute and ask again"
            )
        if response.status_code in (401, 403):
            raise ToolError(
                "not_available", f"{self.service} refused the request (HTTP {response.status_code})"
            )
        if response.status_code != 200:
            raise ToolError(
                "upstream", f"{self.service} failed with HTTP {response.status_code}", hint="try again later"
            )
        return response.text

    def _send(self, url: str) -> httpx.Response:
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            wait_s = self._backoff_s * 2**attempt * random.uniform(0.75, 1.25)
            try:
                response = self._client.get(url)
            except httpx.TimeoutException:
                if last:
                    raise ToolError(
                        "timeout",
                        f"{self.service} did not answer within {self._timeout_s:g} s ({attempt + 1} attempts)",
                        hint="try again, or raise timeout_s of this source",
                    ) from None
            except httpx.HTTPError as error:
                if last:
                    raise ToolError(
                        "upstream",
                        f"{self.service} could not be reached at {self.base_url}: {type(error).__name__}",
                        hint="check the network, or base_url of this source",
                    ) from None
            else:
                if response.status_code not in RETRIED or last:
                    return response
                wait_s = _asked_wait(response, wait_s)
                if wait_s > LONGEST_WAIT_S:
                    return response
            time.sleep(wait_s)
        raise AssertionError("unreachable")


def _asked_wait(response: httpx.Response, planned_s: float) -> float:
    """Seconds to wait: what ``Retry-After`` (seconds or a date) asks for, else the planned pause."""
    asked = response.headers.get("Retry-After", "")
    if asked.isdigit():
        return float(asked)
    parsed = email.utils.parsedate_tz(asked) if asked else None
    return max(0.0, email.utils.mktime_tz(parsed) - time.time()) if parsed else planned_s
