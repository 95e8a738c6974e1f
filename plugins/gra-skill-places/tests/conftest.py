"""Loopback servers that speak the wire formats of the live sources, filled with synthetic places."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from gra_core import ToolResult
from gra_core.testing import call_tool

KEY = "synthetic-key-0123456789"


def google_error(code: int, status: str, message: str, *details: dict[str, Any]) -> Response:
    body = {"error": {"code": code, "message": message, "status": status, "details": list(details)}}
    return Response(json.dumps(body), code, content_type="application/json")


def google_place(number: int, lon: float, lat: float, **extra: Any) -> dict[str, Any]:
    place = {
        "id": f"Synth{number:04d}", "displayName": {"text": f"Synthetic Hospital {number}", "languageCode": "en"},
        "location": {"longitude": lon, "latitude": lat}, "primaryType": "hospital", "types": ["hospital", "health"],
        "formattedAddress": f"{number} Synthetic St", "businessStatus": "OPERATIONAL", "rating": 4.5, "userRatingCount": 10 + number,
        "addressComponents": [
            {"longText": "Nebraska", "shortText": "NE", "types": ["administrative_area_level_1", "political"]},
            {"longText": "United States", "shortText": "US", "types": ["country", "political"]},
        ],
    }  # fmt: skip
    return place | extra


class FakeGoogle:
    """Text Search and Place Details: key and field mask checked, rectangles, pages of 20 and at most 60 a query."""

    key, place, error = KEY, staticmethod(google_place), staticmethod(google_error)

    def __init__(self, server: HTTPServer) -> None:
        self.places: list[dict[str, Any]] = []
        self.requests: list[tuple[dict[str, Any], str]] = []
        self.before: Callable[[], Response | None] = lambda: None
        self.url = server.url_for("").rstrip("/")
        server.expect_request("/v1/places:searchText", method="POST").respond_with_handler(self.search)
        server.expect_request(re.compile(r"^/v1/places/\w+$"), method="GET").respond_with_handler(
            self.details
        )
        self._tokens: dict[str, tuple[dict[str, Any], int]] = {}

    def search(self, request: Request) -> Response:
        body = json.loads(request.data)
        self.requests.append((dict(body), request.headers.get("X-Goog-FieldMask", "")))
        if refused := self._refused(request) or self.before():
            return refused
        token = body.pop("pageToken", None)
        if token is not None and self._tokens.get(token, ({}, 0))[0] != body:
            return google_error(
                400,
                "INVALID_ARGUMENT",
                "Request parameters for paging requests must match the initial request.",
            )
        start = self._tokens[token][1] if token else 0
        hits = [p for p in self.places if self._fits(p, body)][:60]
        page: dict[str, Any] = {"places": hits[start : start + body["pageSize"]]} if hits[start:] else {}
        if start + body["pageSize"] < len(hits):
            name = f"token-{len(self._tokens)}"
            self._tokens[name] = (body, start + body["pageSize"])
            page["nextPageToken"] = name
        return Response(json.dumps(page), content_type="application/json")

    def details(self, request: Request) -> Response:
        if refused := self._refused(request) or self.before():
            return refused
        wanted = request.path.rpartition("/")[2]
        place = next((p for p in self.places if p["id"] == wanted), None)
        if place is None:
            return google_error(400, "INVALID_ARGUMENT", "Not a valid Place ID: " + wanted)
        return Response(json.dumps(place), content_type="application/json")

    def _refused(self, request: Request) -> Response | None:
        if request.headers.get("X-Goog-Api-Key") != KEY:
            said = (
                f"API key not valid ({request.headers.get('X-Goog-Api-Key')}). Please pass a valid API key."
            )
            return google_error(
                400,
                "INVALID_ARGUMENT",
                said,
                {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"},
            )
        if not request.headers.get("X-Goog-FieldMask"):
            return google_error(400, "INVALID_ARGUMENT", "FieldMask is a required parameter.")
        return None

    @staticmethod
    def _fits(place: dict[str, Any], body: dict[str, Any]) -> bool:
        if body.get("includedType") and body["includedType"] not in place["types"]:
            return False
        if (rectangle := body.get("locationRestriction", {}).get("rectangle")) is None:
            return True
        lon, lat, low, high = (
            place["location"]["longitude"],
            place["location"]["latitude"],
            rectangle["low"],
            rectangle["high"],
        )
        return low["longitude"] <= lon <= high["longitude"] and low["latitude"] <= lat <= high["latitude"]


class FakeOverpass:
    """An interpreter of exactly the statements that the source writes: tags, name patterns, boxes, ids, a country area."""

    FILTER = re.compile(r'\["((?:[^"\\]|\\.)*)"(=|~)"((?:[^"\\]|\\.)*)"(,i)?\]')
    STATEMENT = re.compile(rf"^\s*nwr(?P<filters>(?:{FILTER.pattern})*)(?P<place>\([^)]*\))?;$")

    def __init__(self, server: HTTPServer) -> None:
        self.elements: list[dict[str, Any]] = []
        self.queries: list[str] = []
        self.agents: list[str] = []
        self.before: Callable[[str], Response | None] = lambda query: None
        self.url = server.url_for("").rstrip("/")
        server.expect_request("/api/interpreter", method="POST").respond_with_handler(self.interpret)

    def interpret(self, request: Request) -> Response:
        query = request.form["data"]
        self.queries.append(query)
        self.agents.append(request.headers.get("User-Agent", ""))
        if (early := self.before(query)) is not None:
            return early
        found = {(e["type"], e["id"]): e for line in query.splitlines() for e in self._line(line)}
        return self.reply(list(found.values()))

    @staticmethod
    def reply(elements: list[dict[str, Any]], **extra: Any) -> Response:
        body = {
            "version": 0.6, "generator": "synthetic", "osm3s": {"timestamp_osm_base": "2026-12-01T00:00:00Z", "copyright": "ODbL"},
            "elements": elements,
        }  # fmt: skip
        return Response(json.dumps(body | extra), content_type="application/json")

    def _line(self, line: str) -> list[dict[str, Any]]:
        if by_id := re.match(r"^\s*(node|way|relation)\(id:([\d,]+)\);$", line):
            return [e for e in self.elements if e["type"] == by_id[1] and str(e["id"]) in by_id[2].split(",")]
        if not line.lstrip().startswith("nwr"):
            return []
        match = self.STATEMENT.match(line)
        assert match, f"not a statement: {line}"
        filters = self.FILTER.findall(match["filters"])
        assert "".join(f'["{k}"{op}"{v}"{i}]' for k, op, v, i in filters) == match["filters"]
        return [
            e
            for e in self.elements
            if all(self._has(e, *f) for f in filters) and self._inside(e, match["place"] or "")
        ]

    @staticmethod
    def _has(element: dict[str, Any], key: str, operator: str, value: str, flag: str) -> bool:
        own = element.get("tags", {}).get(key.replace('\\"', '"'))
        value = value.replace('\\"', '"').replace("\\\\", "\\")
        if own is None or operator == "=":
            return own == value
        return re.search(value.replace("[:alnum:]", r"\w"), own, re.I if flag else 0) is not None

    @staticmethod
    def _inside(element: dict[str, Any], place: str) -> bool:
        if not place or place == "(area.c)":
            return True
        south, west, north, east = map(float, place.strip("()").split(","))
        at = element if element["type"] == "node" else element["center"]
        return south <= at["lat"] <= north and west <= at["lon"] <= east


@pytest.fixture
def fake_google(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> FakeGoogle:
    monkeypatch.setenv("GOOGLE_MAPS_API_KEY", KEY)
    return FakeGoogle(httpserver)


@pytest.fixture
def fake_overpass(httpserver: HTTPServer) -> FakeOverpass:
    return FakeOverpass(httpserver)


@pytest.fixture
def live_call(gra_registry: Any, tmp_path: Path) -> Callable[..., ToolResult]:
    """Call a tool over a live source of places at a loopback address: ``live_call(url, "overpass", "search_places", …)``."""

    def call(url: str, source: str, name: str, /, **arguments: Any) -> ToolResult:
        return call_tool(
            gra_registry.tools[name],
            arguments,
            gra_registry,
            tmp_path,
            chosen={"places": source},
            sources={source: {"base_url": url, "backoff_s": 0.01}},
        )

    return call
