"""Source ``google-places``: Places API (New), over its REST interface.

Text Search answers at most 20 places a page and 60 a query, so an area with more is cut into smaller rectangles.
Every request names its fields (the service refuses requests without a field mask, and prices them by it).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from attrs import frozen

from gra_core import SourceSettings, ToolError
from gra_geo.antimeridian import Box
from gra_geo.rest import Hints, RestService
from gra_skill_places.sources.countries import ALPHA2
from gra_skill_places.sources.cover import boxes_of, cover
from gra_skill_places.sources.found import Found
from gra_skill_places.sources.googlereply import row_of

PAGE, MOST = 20, 60
FIELDS = (
    "id",
    "displayName",
    "location",
    "primaryType",
    "types",
    "formattedAddress",
    "addressComponents",
    "businessStatus",
)
RATINGS = ("rating", "userRatingCount")
DETAILS = (
    "websiteUri",
    "internationalPhoneNumber",
    "regularOpeningHours.weekdayDescriptions",
    "googleMapsUri",
)
TYPE_NAMES = {
    "city": "locality",
    "town": "locality",
    "landmark": "tourist_attraction",
    "gas station": "gas_station",
}
HINTS = Hints(
    refused="set GOOGLE_MAPS_API_KEY to a key for which the Places API (New) is enabled and billed",
    rejected="check types, text and area",
    less="ask for a smaller area or fewer types",
)


@frozen(kw_only=True)
class TextQuery:
    """One Text Search: what never changes over its pages and rectangles. `label` is the type in the caller's word."""

    text: str
    type: str = ""
    label: str = ""
    region_code: str = ""

    def body(self, box: Box | None) -> dict[str, Any]:
        """The request body, restricted to a box."""
        body: dict[str, Any] = {"textQuery": self.text, "pageSize": PAGE}
        if self.type:
            body |= {"includedType": self.type, "strictTypeFiltering": True}
        if self.region_code:
            body["regionCode"] = self.region_code
        if box:
            west, south, east, north = box
            low, high = {"latitude": south, "longitude": west}, {"latitude": north, "longitude": east}
            body["locationRestriction"] = {"rectangle": {"low": low, "high": high}}
        return body


class GooglePlaces:
    """Kind ``places``. Settings beside those of `RestService`: ``max_requests`` of one search (default 60) and
    ``ratings`` (default true; false leaves out the fields of the dearer tier)."""

    def __init__(self, settings: SourceSettings) -> None:
        self._rest = RestService(
            settings,
            service="Google Places",
            agent="gra-skill-places",
            headers={"X-Goog-Api-Key": settings.key},
            hints=HINTS,
        )
        self._most_requests = int(settings.get("max_requests", 60))
        self._fields = FIELDS + (RATINGS if settings.get("ratings", True) else ())

    def types(self) -> dict[str, int]:
        """Empty: the vocabulary is the service's own (its Table A), and nobody counts it."""
        return {}

    def search(
        self, *, text: str = "", types: list[str] | None = None, area: dict[str, Any] | None = None, country: str = "",
        min_population: int = 0, limit: int = 100,
    ) -> pd.DataFrame:  # fmt: skip
        """See `gra_geo.protocols.PlaceSource`. Columns beside the protocol's: address, types, status, rating, ratings.

        Places closed for good are left out. ``attrs["notes"]`` says when the list may be incomplete.
        """
        if min_population:
            raise ToolError(
                "not_available",
                "Google Places knows no populations",
                hint="choose another source of places for min_population",
            )
        if not text and not types:
            raise ToolError(
                "bad_argument",
                "Google Places needs a text or types to search for",
                hint="give types=['hospital'] or a text",
            )
        found, budget = Found(area=area, country=country, limit=limit), Budget(self._most_requests)
        for query in _queries(text, types or [], country):
            ask = partial(self._collect, found, budget, query)
            complete = not cover(boxes_of(area), found.shape, ask) if area else ask(None)
            if not complete:
                found.notes.append(
                    f"Google Places gives at most {MOST} places a query, and there were more for {query.text!r}"
                )
        if budget.spent:
            found.notes.append(
                f"stopped after {self._most_requests} requests (setting max_requests): the list is not complete"
            )
        elif found.enough:
            found.notes.append(f"stopped at {limit} places: there may be more")
        return found.frame(text)

    def get(self, *, place_ids: list[str]) -> pd.DataFrame:
        """Places in the order asked, with contact details and opening hours; ``not_found`` names the missing."""
        found, missing = Found(area=None, country="", limit=len(place_ids)), []
        mask = {"X-Goog-FieldMask": ",".join((*self._fields, *DETAILS))}
        for place_id in dict.fromkeys(place_ids):
            scheme, _, code = place_id.partition("/")
            try:
                if scheme != "google" or not code.replace("-", "").replace("_", "").isalnum():
                    raise ToolError("not_found", "not an id of Google Places")
                found.add(row_of(self._rest.json("GET", f"/v1/places/{code}", headers=mask)))
            except ToolError as error:
                if error.kind not in ("not_found", "bad_argument"):
                    raise
                missing.append(place_id)
        if missing:
            raise ToolError(
                "not_found",
                f"Google Places has no {', '.join(missing[:10])}",
                hint="take place ids from search_places",
            )
        return found.frame().set_index("place_id", drop=False).loc[place_ids].reset_index(drop=True)

    def _collect(self, found: Found, budget: Budget, query: TextQuery, box: Box | None) -> bool:
        """Add all pages of one query; False when the service cut the answer at its maximum."""
        mask = ",".join(f"places.{name}" for name in self._fields) + ",nextPageToken"
        body, received = query.body(box), 0
        while not found.enough and budget.take():
            page = self._rest.json(
                "POST", "/v1/places:searchText", json=body, headers={"X-Goog-FieldMask": mask}
            )
            places = page.get("places", [])
            for place in places:
                if place.get("businessStatus") != "CLOSED_PERMANENTLY" and "location" in place:
                    found.add(row_of(place) | ({"type": query.label} if query.label else {}))
            received += len(places)
            if not (token := page.get("nextPageToken")):
                return received < MOST
            body = body | {"pageToken": token}
        return True


class Budget:
    """How many more requests a search may make."""

    def __init__(self, requests: int) -> None:
        self._left, self.spent = requests, False

    def take(self) -> bool:
        """Take one request, or note that none is left."""
        self.spent = self.spent or self._left <= 0
        self._left -= 1
        return not self.spent


def _queries(text: str, types: list[str], country: str) -> list[TextQuery]:
    code = ALPHA2.get(country, "")
    queries = []
    for label in types or [""]:
        word = label.strip().lower()
        name = TYPE_NAMES.get(word, word.replace(" ", "_"))
        queries.append(TextQuery(text=text or word, type=name, label=label, region_code=code))
    return queries
