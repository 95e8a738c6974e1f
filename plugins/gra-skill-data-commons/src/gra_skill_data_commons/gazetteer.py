"""Settlements that have a place in the gazetteer but no statistics of their own."""

from __future__ import annotations

from typing import Any

from gra_core import ToolContext, ToolError
from gra_skill_data_commons.names import SURE, NameResolver, PlaceName

SHOWN = ("place_id", "name", "type", "country", "admin1", "lon", "lat", "population", "match")


def settlements(ctx: ToolContext, text: str, within: str = "") -> list[dict[str, Any]]:
    """Candidates for a name in the active source of kind ``places``, inside the country or state that its qualifiers
    name; none when there is no such source."""
    parsed = PlaceName.parse(text)
    try:
        source = ctx.source("places")
        scopes = NameResolver(ctx).containers(within) if within else [""]
        for outer in reversed(parsed.inside):
            scopes = [c for scope in scopes for c in NameResolver(ctx).containers(outer, scope)]
    except ToolError:
        return []
    rows: dict[str, dict[str, Any]] = {}
    for scope in scopes:
        country, state = _scope(ctx, scope)
        for row in source.search(text=parsed.name, country=country, limit=20).to_dict("records"):
            if row.get("match") in (*SURE, "prefix") and (not state or row.get("admin1") == state):
                rows[row["place_id"]] = {
                    k: row[k] for k in SHOWN if row.get(k) is not None and row[k] == row[k]
                }
    return list(rows.values())[:20]


def _scope(ctx: ToolContext, region_id: str) -> tuple[str, str]:
    """ISO code of the country and name of the state that a container stands for."""
    if region_id.startswith("country/") or not region_id:
        return region_id.removeprefix("country/"), ""
    row = ctx.source("boundaries").get(region_ids=[region_id]).iloc[0]
    return str(row["country"]), str(row["name"]) if row["level"] == "state" else str(row["parent_name"])
