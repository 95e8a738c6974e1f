"""Source ``web-search=searxng``: the JSON API of a SearXNG instance."""

from __future__ import annotations

from typing import Any

from gra_core import SourceSettings, ToolError
from gra_geo.rest import Hints, RestService

LONGEST_EXTRACT = 500
HINTS = Hints(
    refused="add json to search.formats in the instance's settings.yml, or set GRA_BASE_URL_SEARXNG to another",
    less="use another source",
    address="GRA_BASE_URL_SEARXNG, and that the instance runs",
)


class SearXNG:
    """Settings: those of `gra_geo.rest.RestService`, `language`, `categories`."""

    def __init__(self, settings: SourceSettings) -> None:
        self._settings = settings
        self._rest = RestService(
            settings, service="SearXNG", agent="gra-skill-web-search", hints=HINTS, kinds={404: "upstream"}
        )

    def search(self, *, query: str, purpose: str = "", limit: int = 5) -> dict[str, Any]:
        """Results of the instance's engines, best first. (`purpose` is of no use to it.)"""
        parameters = {"q": query, "format": "json"}
        parameters |= {k: str(v) for k in ("language", "categories") if (v := self._settings.get(k))}
        body = self._rest.json("GET", "/search", params=parameters)
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
