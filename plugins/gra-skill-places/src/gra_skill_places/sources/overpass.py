"""Source ``overpass``: OpenStreetMap through an Overpass API server.

The public servers give two slots an address: requests go one after the other, with a User-Agent of our own. A query
that takes too long answers HTTP 200 with a ``remark``; its box is then cut in four.
"""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from gra_core import SourceSettings, ToolError
from gra_geo.antimeridian import Box
from gra_geo.rest import Hints, RestService
from gra_skill_places.sources import overpassql
from gra_skill_places.sources.cover import boxes_of, cover
from gra_skill_places.sources.found import Found
from gra_skill_places.sources.osmreply import explain, position_of, row_of

HINTS = Hints(
    refused="the server blocks this address: wait, or set another base_url",
    rejected="check types, text and area",
    less="ask for a smaller area or fewer types",
)
MOST = 50_000
KINDS = ("node", "way", "relation")


class Overpass:
    """Kind ``places``. Setting beside those of `RestService`: ``max_requests`` of one search (default 40). The server may work as long on a query as the client waits (``timeout_s``)."""

    def __init__(self, settings: SourceSettings) -> None:
        self._rest = RestService(
            settings, service="Overpass", agent="gra-skill-places", hints=HINTS, explain=explain
        )
        self._server_s = max(1, int(settings.timeout_s) - 1)
        self._most_requests = int(settings.get("max_requests", 40))

    def types(self) -> dict[str, int]:
        """Empty: any OpenStreetMap tag is a type, and nobody counts them."""
        return {}

    def search(
        self, *, text: str = "", types: list[str] | None = None, area: dict[str, Any] | None = None, country: str = "",
        min_population: int = 0, limit: int = 100,
    ) -> pd.DataFrame:  # fmt: skip
        """See `gra_geo.protocols.PlaceSource`. Types are words (hospital) or tags (``amenity=hospital``). Columns beside the
        protocol's: tags (JSON-ready text), other_names, elevation_m, website. ``attrs["notes"]`` says what was not complete."""
        if not text and not types:
            raise ToolError(
                "bad_argument",
                "Overpass needs a text or types to search for",
                hint="give types=['hospital'] or a text",
            )
        if types and not text and not area and not country:
            raise ToolError(
                "bad_argument", "Overpass cannot search the whole planet for a type", hint="give a region"
            )
        # The country's own area decides what is in it: elements rarely say so themselves.
        found = Found(area=area, country="", limit=limit)
        ask = _Asker(
            self, found, text=text, types=types or [], country=country, min_population=min_population
        )
        if area:
            short = cover(boxes_of(area), found.shape, ask)
            complete = not short
        else:
            complete = ask(None)
        if not complete:
            raise ToolError(
                "timeout",
                "Overpass could not finish the query in time",
                hint="give a smaller region or fewer types",
            )
        if not area and not country:
            found.notes.append("without a region only whole names are found")
        return found.frame(text)

    def get(self, *, place_ids: list[str]) -> pd.DataFrame:
        """Places by ``osm/node/…``, ``osm/way/…``, ``osm/relation/…`` in the order asked; ``not_found`` names the missing."""
        wanted = list(dict.fromkeys(place_ids))
        ids: dict[str, list[int]] = {kind: [] for kind in KINDS}
        for place_id in wanted:
            if match := re.fullmatch(r"osm/(node|way|relation)/(\d+)", place_id):
                ids[match[1]].append(int(match[2]))
        found = Found(area=None, country="", limit=len(wanted))
        if any(ids.values()):
            for element in self.elements(overpassql.by_ids(ids, self._server_s)):
                found.add(row_of(element, []))
        frame = found.frame().set_index("place_id", drop=False)
        if missing := [pid for pid in wanted if pid not in frame.index]:
            raise ToolError(
                "not_found",
                f"OpenStreetMap has no {', '.join(missing[:10])}",
                hint="take place ids from search_places",
            )
        return frame.loc[place_ids].reset_index(drop=True)

    def elements(self, query: str) -> list[dict[str, Any]]:
        """The elements that a query answers; `ToolError` ``timeout`` when the server gave up on it."""
        reply = self._rest.json("POST", "/api/interpreter", data={"data": query})
        if "error" in str(reply.get("remark", "")).lower():
            raise ToolError(
                "timeout", f"Overpass gave up: {reply['remark']}", hint="give a smaller region or fewer types"
            )
        return [e for e in reply.get("elements", []) if e.get("type") in KINDS and position_of(e)]


class _Asker:
    """Asks one box after the other and keeps what is found; False for a box that is too much for the server."""

    def __init__(
        self,
        source: Overpass,
        found: Found,
        *,
        text: str,
        types: list[str],
        country: str,
        min_population: int,
    ) -> None:
        self._source, self._found = source, found
        self._text, self._types, self._country, self._min_population = text, types, country, min_population
        self._left = source._most_requests

    def __call__(self, box: Box | None) -> bool:
        self._left -= 1
        if self._left < 0:
            raise ToolError(
                "timeout",
                f"Overpass needed more than {self._source._most_requests} requests",
                hint="give a smaller region or fewer types",
            )
        query = overpassql.query(
            text=self._text,
            types=self._types,
            box=box,
            country=self._country,
            timeout_s=self._source._server_s,
            most=MOST,
        )
        try:
            elements = self._source.elements(query)
        except ToolError as error:
            if error.kind != "timeout" or box is None:
                raise
            return False
        for element in elements:
            row = row_of(element, self._types, self._country)
            if not self._min_population or (row["population"] or 0) >= self._min_population:
                self._found.add(row)
        return len(elements) < MOST
