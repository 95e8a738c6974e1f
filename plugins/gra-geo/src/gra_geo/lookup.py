"""Places by name: the one that a name means, or the candidates; never a guess."""

from __future__ import annotations

import geopandas as gpd
import pandas as pd

from gra_core import ToolContext, ToolError
from gra_geo.frames import points_frame

SEARCHED, LISTED = 100, 10


def place_named(ctx: ToolContext, name: str, what: str, notes: list[str]) -> gpd.GeoDataFrame:
    """The one place of a name; several equally good ones are an error that lists them. Regions need their id.

    After a comma a state or country may follow ("Newcastle, UK").
    """
    if what == "regions":
        hint = _region_hint(ctx, name) or "give ids such as geoId/31; find_regions looks them up by name"
        raise ToolError("bad_argument", f"{name!r} is not a region id", hint=hint)
    table = _search(ctx, name)
    if not len(table):
        hint = _region_hint(ctx, name) or "try another spelling, or give [longitude, latitude]"
        raise ToolError("not_found", f"no place is called {name!r}", hint=hint)
    best = _best(table)
    if len(best) != 1:
        reason = "is the name of several places" if len(best) else "matches no place exactly"
        listed = _listed(best if len(best) else table)
        hint = "choose one by its id" if len(best) else _region_hint(ctx, name) or "choose one by its id"
        raise ToolError("bad_argument", f"{name!r} {reason}: {listed}", hint=hint)
    row = best.iloc[0]
    notes.append(f"{name!r} was taken to be {row['place_id']} at ({row['lon']:.6g}, {row['lat']:.6g})")
    return points_frame(best)


def _best(table: pd.DataFrame) -> pd.DataFrame:
    """The rows that fit best: by name, else by another name of theirs."""
    if "match" not in table:
        return table
    return next(
        (found for m in ("exact", "alias") if len(found := table[table["match"] == m])), table.iloc[:0]
    )


def _search(ctx: ToolContext, name: str) -> pd.DataFrame:
    places = ctx.source("places")
    table = places.search(text=name, limit=SEARCHED)
    head, comma, tail = name.rpartition(",")
    if len(table) or not comma:
        return table
    table = places.search(text=head.strip(), limit=SEARCHED)
    regions = ctx.source("boundaries").find(name=tail.strip(), limit=LISTED)
    regions = regions[regions["match"].isin(["exact", "alias"])]
    countries = set(regions.loc[regions["level"] == "country", "country"])
    states = set(zip(regions["name"], regions["country"], strict=True))
    inside = [
        c in countries or (a, c) in states for a, c in zip(table["admin1"], table["country"], strict=True)
    ]
    return table[inside]


def _listed(table: pd.DataFrame) -> str:
    rows = table.head(LISTED).to_dict("records")
    known = [
        [str(r[c]) for c in ("name", "admin1", "country") if pd.notna(r.get(c)) and r.get(c)] for r in rows
    ]
    listed = "; ".join(f"{r['place_id']} ({', '.join(k)})" for r, k in zip(rows, known, strict=True))
    return listed + (f"; and {len(table) - LISTED} more" if len(table) > LISTED else "")


def _region_hint(ctx: ToolContext, name: str) -> str:
    """The regions of that name, as a question; nothing when there are none."""
    try:
        found = ctx.source("boundaries").find(name=name, limit=5)
    except ToolError:
        return ""
    named = [f"{r['region_id']} ({r['name']}, {r['level']})" for r in found.to_dict("records")]
    return f"did you mean {'; '.join(named)}?" if named else ""
