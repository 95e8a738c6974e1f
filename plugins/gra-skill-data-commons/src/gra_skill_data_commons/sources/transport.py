"""The client library's transport, with the timeouts and retries that it lacks.

`datacommons_client` sends each request once and waits for ever. Its endpoints take any `API` object, so this one
replaces how requests are sent, follows pages, and turns every failure into a `gra_core.ToolError`.
"""

from __future__ import annotations

import email.utils
import random
import time
from typing import Any

import requests
from datacommons_client.endpoints.base import API

from gra_core import SourceSettings, ToolError

RETRIED = frozenset({408, 429, 500, 502, 503, 504})
LONGEST_WAIT_S = 30.0
CONNECT_S = 10.0
MAX_PAGES = 1000
KEY_HINT = "set DC_API_KEY to a valid key (free, https://apikeys.datacommons.org)"


class RetryingAPI(API):
    """`API` over one `requests.Session`, built from `SourceSettings` (base_url, key, timeout_s, retries; the setting
    `backoff_s` is the first pause, doubled each time)."""

    def __init__(self, settings: SourceSettings) -> None:
        # The parent's constructor asks the server for a known node without a timeout; nothing of it is needed here.
        self.base_url = settings.base_url
        self.headers = self.build_headers(surface_header_value=None, api_key=settings.key or None)
        self._timeout_s, self._retries = settings.timeout_s, max(0, settings.retries)
        self._backoff_s = float(settings.get("backoff_s", 0.5))
        self._session = requests.Session()

    def post(
        self,
        payload: dict[str, Any],
        endpoint: str | None = None,
        *,
        all_pages: bool = True,
        next_token: str | None = None,
    ) -> dict[str, Any]:
        """POST and merge all pages (dictionaries by key, lists one after the other)."""
        url = f"{self.base_url}/{endpoint}" if endpoint else self.base_url
        payload = dict(payload)
        merged: dict[str, Any] = {}
        for _ in range(MAX_PAGES):
            if next_token:
                payload["nextToken"] = next_token
            page = self._page(url, payload)
            next_token = page.pop("nextToken", None) or None
            merged = _merge(merged, page)
            if not all_pages or not next_token:
                return merged | {"nextToken": next_token}
        raise ToolError(
            "upstream",
            f"Data Commons sent more than {MAX_PAGES} pages for one request",
            hint="ask for fewer places",
        )

    def _page(self, url: str, payload: dict[str, Any]) -> dict[str, Any]:
        response = self._send(url, payload)
        if response.status_code != 200:
            raise _error_of(response, self.base_url)
        try:
            page = response.json()
        except ValueError:
            page = None
        if not isinstance(page, dict):
            raise ToolError(
                "upstream",
                f"Data Commons answered something else than a JSON object at {url}",
                hint="check base_url of source data-commons",
            )
        return page

    def _send(self, url: str, payload: dict[str, Any]) -> requests.Response:
        """One request, repeated after a fault that may pass."""
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            wait_s = self._backoff_s * 2**attempt * random.uniform(0.75, 1.25)
            try:
                response = self._session.post(
                    url,
                    json=payload,
                    headers=self.headers,
                    timeout=(min(CONNECT_S, self._timeout_s), self._timeout_s),
                )
            except requests.Timeout:
                if last:
                    raise ToolError(
                        "timeout", f"Data Commons did not answer within {self._timeout_s:g} s ({attempt + 1} attempts)",
                        hint="ask for fewer variables or places, or raise timeout_s of source data-commons",
                    ) from None  # fmt: skip
            except requests.RequestException as error:
                if last:
                    raise ToolError(
                        "upstream", f"Data Commons could not be reached at {self.base_url}: {type(error).__name__}",
                        hint="check the network, or base_url of source data-commons",
                    ) from None  # fmt: skip
            else:
                if response.status_code not in RETRIED or last:
                    return response
                wait_s = _asked_wait(response, wait_s)
                if wait_s > LONGEST_WAIT_S:
                    return response
            time.sleep(wait_s)
        raise AssertionError("unreachable")


def _asked_wait(response: requests.Response, planned_s: float) -> float:
    """Seconds to wait: what ``Retry-After`` (seconds or a date) asks for, else the planned pause."""
    asked = response.headers.get("Retry-After", "")
    if asked.isdigit():
        return float(asked)
    parsed = email.utils.parsedate_tz(asked) if asked else None
    return max(0.0, email.utils.mktime_tz(parsed) - time.time()) if parsed else planned_s


def _error_of(response: requests.Response, base_url: str) -> ToolError:
    status, said = response.status_code, _message_of(response)
    if status in (401, 403):
        return ToolError(
            "not_available", f"Data Commons refused the key (HTTP {status}): {said}", hint=KEY_HINT
        )
    if status == 429:
        return ToolError(
            "quota",
            f"Data Commons: too many requests (HTTP 429): {said}",
            hint="wait, or ask for less at once",
        )
    if status == 400:
        return ToolError(
            "bad_argument", f"Data Commons did not understand the request: {said}", hint="check ids and types"
        )
    if status == 404:
        return ToolError(
            "upstream",
            f"no Data Commons API at {base_url} (HTTP 404): {said}",
            hint="base_url must end in /v2 or /core/api/v2",
        )
    return ToolError("upstream", f"Data Commons failed with HTTP {status}: {said}", hint="try again later")


def _message_of(response: requests.Response) -> str:
    """The message of an error body ``{code, message, details}``, else the reason phrase."""
    try:
        body = response.json()
    except ValueError:
        body = None
    said = body.get("message") if isinstance(body, dict) else None
    return str(said or response.reason or "no reason given")[:300]


def _merge(base: Any, new: Any) -> Any:
    if isinstance(base, dict) and isinstance(new, dict):
        return base | {k: _merge(base[k], v) if k in base else v for k, v in new.items()}
    if isinstance(base, list) and isinstance(new, list):
        return base + new
    return base
