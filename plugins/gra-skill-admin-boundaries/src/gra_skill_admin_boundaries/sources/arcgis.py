"""Queries on an ArcGIS map service: layers by name, pages, errors inside HTTP 200."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

from gra_core import SourceSettings, ToolError
from gra_core.errors import ErrorKind
from gra_geo.rest import Hints, RestService, reason_in

MAX_PAGES = 500
KINDS: dict[Any, ErrorKind] = {429: "quota", 498: "not_available", 499: "not_available", 504: "timeout"}


class MapService:
    """One MapServer below the base URL of the settings, such as ``tigerWMS_Current``."""

    def __init__(self, settings: SourceSettings, service: str, *, title: str) -> None:
        self._rest = RestService(
            settings,
            service=title,
            agent="gra-skill-admin-boundaries",
            headers={"Accept": "application/json"},
            hints=Hints(rejected="check the region ids", less="ask for a smaller region"),
        )
        self._path, self._title = f"/{service}/MapServer", title

    @cached_property
    def layers(self) -> dict[str, int]:
        """Layer names and numbers; numbers differ between vintages, names hardly do."""
        listing = self._checked(self._rest.json("GET", self._path, params={"f": "json"}))
        return {layer["name"]: int(layer["id"]) for layer in listing.get("layers", [])}

    def features(
        self, layer: int, *, where: str = "1=1", fields: str = "*", shapes: bool = True, **spatial: Any
    ) -> list[dict[str, Any]]:
        """GeoJSON features of a layer in EPSG:4326, all pages. `spatial` holds geometry, geometryType and the like."""
        form = {
            "where": where, "outFields": fields, "returnGeometry": str(shapes).lower(), "inSR": "4326", "outSR": "4326", "f": "geojson",
            **{key: value if isinstance(value, str) else json.dumps(value) for key, value in spatial.items()},
        }  # fmt: skip
        found: list[dict[str, Any]] = []
        for _ in range(MAX_PAGES):
            page = self._query(layer, form | {"resultOffset": str(len(found))})
            new = page.get("features", [])
            found += new
            if not new or not (
                page.get("exceededTransferLimit") or page.get("properties", {}).get("exceededTransferLimit")
            ):
                return found
        raise ToolError(
            "upstream",
            f"{self._title} sent more than {MAX_PAGES} pages for one query",
            hint="ask for a smaller region",
        )

    def count(self, layer: int) -> int:
        """How many features a layer has."""
        reply = self._query(layer, {"where": "1=1", "returnCountOnly": "true", "f": "json"})
        return int(reply.get("count", 0))

    def _query(self, layer: int, form: dict[str, str]) -> dict[str, Any]:
        return self._checked(self._rest.json("POST", f"{self._path}/{layer}/query", data=form))

    def _checked(self, reply: dict[str, Any]) -> dict[str, Any]:
        """The reply, unless it is an error in the clothes of HTTP 200."""
        if "error" not in reply:
            return reply
        error = reply["error"] if isinstance(reply["error"], dict) else {}
        code, said = error.get("code"), reason_in(reply)[:300] or "no reason given"
        kind = KINDS.get(code, "upstream")
        raise ToolError(
            kind,
            f"{self._title} failed with code {code}: {said}",
            hint="try again later, or check base_url of the source",
        )
