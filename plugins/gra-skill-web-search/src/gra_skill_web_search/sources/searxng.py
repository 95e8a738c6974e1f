"""Source ``web-search=searxng``: the JSON API of a SearXNG instance."""

from __future__ import annotations

import time
from typing import Any

import httpx

from gra_core import SourceSettings, ToolError

RETRIED = {408, 429, 500, 502, 503, 504}
LONGEST_WAIT_S = 30.0
LONGEST_EXTRACT = 500


class SearXNG:
    """Settings: `base_url`, `timeout_s`, `retries`, `backoff_s`, `language`, `categories`."""

    def __init__(self, settings: SourceSettings) -> None:
        self._settings = settings
        self._client = httpx.Client(
            timeout=settings.timeout_s,
            follow_redirects=True,
            headers={"User-Agent": "gra-skill-web-search/0.1"},
        )

    def search(self, *, query: str, purpose: str = "", limit: int = 5) -> dict[str, Any]:
        """Results of the instance's engines, best first. (`purpose` is of no use to it.)"""
        parameters = {"q": query, "format": "json"}
        parameters |= {k: str(v) for k in ("language", "categories") if (v := self._settings.get(k))}
        body = self._body(parameters)
        results = [_result(r) for r in body.get("results") or () if isinstance(r, dict) and r.get("url")]
        silent = [
            ": ".join(map(str, e)) for e in body.get("unresponsive_engines") or () if isinstance(e, list)
        ]
        if silent and not results:
            raise ToolError(
                "upstream",
                f"no search engine behind SearXNG answered ({'; '.join(silent[:5])})",
                hint="wait and try again, or use another source",
            )
        notes = [f"engines that did not answer: {'; '.join(silent[:5])}"] if silent else []
        return {"answer": _answer(body), "results": results[:limit], "queries": [query], "notes": notes}

    def _body(self, parameters: dict[str, str]) -> dict[str, Any]:
        response = self._response(parameters)
        try:
            body = response.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise ToolError(
                "upstream",
                f"{self._settings.base_url} did not answer with a JSON object",
                hint="check GRA_BASE_URL_SEARXNG",
            )
        return body

    def _response(self, parameters: dict[str, str]) -> httpx.Response:
        for attempt in range(self._settings.retries + 1):
            last = attempt == self._settings.retries
            pause = float(self._settings.get("backoff_s", 1.0)) * 2**attempt
            try:
                response = self._client.get(self._settings.base_url + "/search", params=parameters)
            except httpx.HTTPError as error:
                if last:
                    raise self._unreachable(error) from None
            else:
                asked = response.headers.get("retry-after", "")
                pause = float(asked) if asked.isdigit() else pause
                if response.status_code not in RETRIED or last or pause > LONGEST_WAIT_S:
                    self._raise_for(response)
                    return response
            time.sleep(pause)
        raise AssertionError("unreachable")

    def _unreachable(self, error: Exception) -> ToolError:
        if isinstance(error, httpx.TimeoutException):
            return ToolError(
                "timeout", f"SearXNG did not answer within {self._settings.timeout_s:g} s", hint="try again"
            )
        return ToolError(
            "upstream",
            f"SearXNG could not be reached at {self._settings.base_url}: {type(error).__name__}",
            hint="check GRA_BASE_URL_SEARXNG and that the instance runs",
        )

    def _raise_for(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == 403:
            raise ToolError(
                "not_available",
                f"the SearXNG instance at {self._settings.base_url} does not allow its JSON API (HTTP 403)",
                hint="add json to search.formats in its settings.yml, or set GRA_BASE_URL_SEARXNG to another",
            )
        if status == 429:
            raise ToolError(
                "quota", "SearXNG: too many requests (HTTP 429)", hint="wait, or use another source"
            )
        if status >= 400:
            raise ToolError("upstream", f"SearXNG failed with HTTP {status}", hint="try again later")


def _result(found: dict[str, Any]) -> dict[str, Any]:
    result = {
        "title": str(found.get("title") or ""),
        "url": str(found["url"]),
        "snippet": " ".join(str(found.get("content") or "").split())[:LONGEST_EXTRACT],
        "published": str(found.get("publishedDate") or ""),
        "engines": [str(e) for e in found.get("engines") or ()],
    }
    return {key: value for key, value in result.items() if value}


def _answer(body: dict[str, Any]) -> str:
    """The instance's direct answer: a text, or since 2024 an object with one."""
    for answer in body.get("answers") or ():
        text = answer.get("answer") if isinstance(answer, dict) else answer
        if text:
            return str(text)
    return ""
