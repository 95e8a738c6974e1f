"""Settlements of the gazetteer: they have a place, but often no statistics of their own."""

from __future__ import annotations

from typing import Any

from gra_core import ToolContext, ToolError
from gra_geo.frames import rows_of
from gra_geo.names import fold

SHOWN = ("place_id", "name", "type", "country", "admin1", "lon", "lat", "population", "match")
KINDS = ("city", "town", "village")


def settlements(ctx: ToolContext, name: str, scopes: list[str], admin1: str = "") -> list[dict[str, Any]]:
    """Settlements of a name in the active source of kind ``places``, inside countries or states given as region ids
    ("" is the world), or in a first-level unit given by name; none when there is no such source."""
    try:
        source = ctx.source("places")
        areas = [_area(ctx, scope) for scope in scopes]
    except ToolError:
        return []
    found: dict[str, dict[str, Any]] = {}
    for country, state in areas:
        unit = fold(admin1 or state)
        frame = source.search(text=name, country=country, limit=50)
        for row in rows_of(frame, len(frame), SHOWN):
            if row["type"] in KINDS and row["match"] != "part" and unit in ("", fold(row["admin1"])):
                found.setdefault(row["place_id"], {k: v for k, v in row.items() if v is not None})
    return list(found.values())[:20]


def _area(ctx: ToolContext, region_id: str) -> tuple[str, str]:
    """ISO code of the country and name of the first-level unit that a region stands for or lies in."""
    if region_id in ("", "Earth"):
        return "", ""
    if region_id.startswith("country/"):
        return region_id.removeprefix("country/"), ""
    row = ctx.source("boundaries").get(region_ids=[region_id]).iloc[0]
    return str(row["country"]), str(row["name"] if row["level"] == "state" else row["parent_name"])
