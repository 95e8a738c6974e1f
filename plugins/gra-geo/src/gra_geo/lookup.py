"""Regions and places by id, places by name: what a text means, or the candidates; never a guess."""

from __future__ import annotations

import geopandas as gpd
import pandas as pd
import pyproj

from gra_core import ToolContext, ToolError
from gra_geo.frames import points_frame
from gra_geo.names import WHOLE, fold, split_qualifier

SEARCHED, LISTED = 100, 10
RIVAL_SHARE, SUBURB_M = 0.1, 50_000.0
WGS84 = pyproj.Geod(ellps="WGS84")
# What a source says of ids that are not its own.
UNKNOWN = ("not_found", "bad_argument", "not_available")


def features_of(ctx: ToolContext, ids: list[str], what: str) -> gpd.GeoDataFrame:
    """The features of ids of one scheme, in order. Sources are asked whose ids these are: no list of schemes could be
    complete. `what` is regions (no place is one), points (places are likelier) or features.

    `ToolError` of the source that fails for another reason than not knowing them, else ``not_found`` with what both say.
    """
    if what == "regions":
        return ctx.source("boundaries").get(region_ids=ids)
    ways = {
        "boundaries": lambda: ctx.source("boundaries").get(region_ids=ids),
        "places": lambda: points_frame(ctx.source("places").get(place_ids=ids)),
    }
    said: list[ToolError] = []
    for kind in ("places", "boundaries") if what == "points" else ("boundaries", "places"):
        try:
            return ways[kind]()
        except ToolError as error:
            said.append(error)
    for fault in said:
        if fault.kind not in UNKNOWN:
            raise fault
    hints = dict.fromkeys(fault.hint for fault in said if fault.hint)
    raise ToolError(
        "not_found", f"{what}: {'; '.join(fault.message for fault in said)}", hint="; ".join(hints)
    )


def place_named(ctx: ToolContext, name: str, what: str, notes: list[str]) -> gpd.GeoDataFrame:
    """The one place of a name; several equally good ones are an error that lists them. Regions need their id.

    A state or country may follow ("Newcastle, UK", "Portland OR").
    """
    if what == "regions":
        hint = _region_hint(ctx, name) or "give ids such as geoId/31; find_regions looks them up by name"
        raise ToolError("bad_argument", f"{name!r} is not a region id", hint=hint)
    table = _search(ctx, name)
    if not len(table):
        hint = _region_hint(ctx, name) or "try another spelling, or give [longitude, latitude]"
        raise ToolError("not_found", f"no place is called {name!r}", hint=hint)
    best = with_rivals(meant(table), table)
    if len(best) != 1:
        reason = "is the name of several places" if len(best) else "matches no place exactly"
        listed = _listed(best if len(best) else table)
        hint = "choose one by its id" if len(best) else _region_hint(ctx, name) or "choose one by its id"
        raise ToolError("bad_argument", f"{name!r} {reason}: {listed}", hint=hint)
    row = best.iloc[0]
    notes.append(f"{name!r} was taken to be {row['place_id']} at ({row['lon']:.6g}, {row['lat']:.6g})")
    return points_frame(best)


def meant(table: pd.DataFrame) -> pd.DataFrame:
    """The candidates that a whole name means: those of that very name, else those that have it as another name. A table
    that does not tell how names match is given back as it is."""
    if "match" not in table:
        return table
    return next((found for m in WHOLE if len(found := table[table["match"] == m])), table.iloc[:0])


def with_rivals(best: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """The place of the very name, joined by those that have it as another name and could be meant as well: at least a
    tenth as populous and farther than 50 km (a nearer one is its suburb or airport)."""
    if len(best) != 1 or "match" not in table or best.iloc[0]["match"] != WHOLE[0]:
        return best
    place = best.iloc[0]
    others = table[table["match"].isin(WHOLE[1:])]
    population = pd.to_numeric(others["population"], errors="coerce").fillna(0)
    own = place["population"] if pd.notna(place["population"]) else 0
    likely = others[(population > 0) & (population >= RIVAL_SHARE * own)]
    far = [
        WGS84.inv(place["lon"], place["lat"], lon, lat)[2] > SUBURB_M
        for lon, lat in zip(likely["lon"], likely["lat"], strict=True)
    ]
    return pd.concat([best, likely[far]]) if any(far) else best


def _search(ctx: ToolContext, name: str) -> pd.DataFrame:
    places = ctx.source("places")
    table = places.search(text=name, limit=SEARCHED)
    head, qualifier = split_qualifier(name)
    if len(table) or not qualifier:
        return table
    table = places.search(text=head, limit=SEARCHED)
    regions = ctx.source("boundaries").find(name=qualifier, limit=LISTED)
    regions = regions[regions["match"].isin(WHOLE)]
    countries = set(regions.loc[regions["level"] == "country", "country"])
    states = set(zip(regions["name"].map(fold), regions["country"], strict=True))
    own = zip(table["admin1"].fillna("").map(fold), table["country"], strict=True)
    return table[[country in countries or (admin1, country) in states for admin1, country in own]]


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
