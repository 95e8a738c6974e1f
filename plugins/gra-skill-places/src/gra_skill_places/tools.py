"""The tools of skill ``places``. Nothing heavy is imported before one is called."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from gra_core import Column, Param, ToolContext, ToolError, ToolResult, tool
from gra_geo.arguments import Regions

described = partial(
    tool,
    coverage="Whatever the chosen source covers; embedded: world cities of 5,000 people and more, airports and some landmarks; "
    "other points of interest need overpass (open) or google-places (key)",
    resolution="single places: the point that the source gives, the centre of mapped areas",
    cost="none on the embedded source; google-places bills requests",
)
SHOWN, LISTED = 50, 150  # most places in a reply, most regions with counts

Limit = Annotated[int, Param(minimum=1, maximum=50_000)]
Rating = Annotated[float, Param(minimum=0, maximum=5)]
People = Annotated[int, Param(minimum=0)]
Ids = Annotated[list[str], Param(min_items=1, max_items=200)]


@described(
    sources=("places", "boundaries?"),
    limits=f"the first {SHOWN} places are in the reply, all are in the dataset",
)
def search_places(
    ctx: ToolContext,
    region: Regions = "",
    text: str = "",
    types: list[str] | None = None,
    limit: Limit = 20,
    min_rating: Rating = 0.0,
    min_population: People = 0,
    sort_by: Literal["best", "population", "rating", "name"] = "best",
) -> ToolResult:
    """Search cities, airports, landmarks and points of interest by type or name, in a region or anywhere.

    Use it for lists (airports of a state, the most populous cities of a country) and to get places as a dataset of
    points. `total` says how many fit, before `limit`. For the position of one named place use get_place_center.

    Args:
        region: Where to search: region ids, a region's name, a dataset reference or GeoJSON; empty for anywhere.
        text: Words of the name; case, accents and punctuation do not matter.
        types: Types of places, such as ["city"] or ["airport"]; live sources know many more.
        limit: Most places to return, after sorting.
        min_rating: Only places rated at least this (1 to 5), where the source has ratings.
        min_population: Only settlements of at least this many people.
        sort_by: best (how the name fits, then the most populous first), population or rating (highest first), or name.
    """
    from gra_geo.frames import points_frame
    from gra_skill_places.area import read_area
    from gra_skill_places.reply import UNITS, compact_rows, credit
    from gra_skill_places.search import Wish, search

    wish = Wish(
        text=text.strip(), types=tuple(types or ()), min_rating=min_rating, min_population=min_population
    )
    if not (region or wish.text or wish.types or min_population):
        raise ToolError(
            "bad_argument", "search_places: nothing to look for", hint="give a region, a text or types"
        )
    area = read_area(ctx, region) if region else None
    source = ctx.source("places")
    hits = search(source, wish, area=area, limit=limit, sort_by=sort_by)
    notes = [*(area.notes if area else []), *hits.notes, *credit(source)]
    if hits.frame.empty:
        return ToolResult.empty(f"the source has no {wish}" + (" in the region" if area else ""), notes=notes)
    kept = hits.frame.head(limit)
    saved = ctx.save(points_frame(kept), name=str(wish), columns={c: UNITS[c] for c in kept if c in UNITS})
    if len(kept) > SHOWN:
        notes.append(f"the reply shows {SHOWN} of {len(kept)} rows; all are in {saved.ref}")
    content = {
        "total": len(hits.frame),
        "total_is_complete": hits.complete,
        "returned": len(kept),
        "places": compact_rows(kept, SHOWN),
    }
    return ToolResult.ok(content, datasets=[saved], notes=notes)


@described(
    sources=("places", "boundaries?"),
    limits=f"the first {LISTED} regions are in the reply, all are in the dataset",
)
def count_places(
    ctx: ToolContext,
    regions: Regions,
    types: list[str] | None = None,
    text: str = "",
    min_population: People = 0,
) -> ToolResult:
    """Count places in each of several regions, such as airports by county; each place is counted once.

    Returns the counts, highest first, and the regions with a column `count` as a dataset. Regions without any place
    are there with 0.

    Args:
        regions: Regions to count in: a dataset reference, region ids, a region's name or GeoJSON.
        types: Types of places, such as ["airport"]; with several types there is a count for each too.
        text: Count only places with these words in their name.
        min_population: Count only settlements of at least this many people.
    """
    from gra_skill_places.area import read_area
    from gra_skill_places.counting import count_by_region
    from gra_skill_places.kinds import types_known
    from gra_skill_places.membership import RULE
    from gra_skill_places.reply import compact_rows, credit
    from gra_skill_places.search import ALL, Wish, search

    source, area = ctx.source("places"), read_area(ctx, regions)
    wish = Wish(text=text.strip(), types=tuple(types or ()), min_population=min_population)
    hits = search(source, wish, area=area, limit=ALL, sort_by="best")
    counts = count_by_region(hits.frame, area.regions, types_known(list(wish.types), source.types()))
    table = counts.regions.sort_values(
        ["count", "name", "region_id"], ascending=[False, True, True]
    ).reset_index(drop=True)
    notes = [*area.notes, *hits.notes, *credit(source)]
    if counts.shared:
        notes.append(
            f"the regions overlap: {counts.shared} places lie inside more than one and are counted in each, but once in the total"
        )
    if not hits.complete:
        notes.append("the source may have more places than it gave: the counts are lower bounds")
    saved = ctx.save(
        table,
        name=f"count of {wish}",
        columns={c: Column(unit="places", quantity="count") for c in counts.columns},
    )
    if len(table) > LISTED:
        notes.append(f"the reply shows {LISTED} of {len(table)} regions; all are in {saved.ref}")
    content = {
        "total": counts.total,
        "regions": compact_rows(table, LISTED, ("region_id", "name", *counts.columns)),
        "rule": RULE,
    }
    return ToolResult.ok(content, datasets=[saved], notes=notes)


@described(
    sources=("places",),
    limits="200 places a call",
)
def get_place_details(ctx: ToolContext, place_ids: Ids, fields: list[str] | None = None) -> ToolResult:
    """Everything the source knows about places by id: position, type, population, elevation, time zone, rating, address.

    Args:
        place_ids: Place ids from search_places or get_place_center, such as geonames/5072006 or iata/LNK.
        fields: Only these fields; all that are known when left out.
    """
    from gra_skill_places.reply import UNITS, compact_rows, credit

    source = ctx.source("places")
    frame = source.get(place_ids=[i.strip() for i in place_ids])
    notes = [*frame.attrs.get("notes", []), *credit(source)]
    if unknown := [f for f in fields or [] if f not in frame.columns]:
        raise ToolError(
            "bad_argument",
            f"no field {', '.join(unknown)}",
            hint=f"fields: {', '.join(map(str, frame.columns))}",
        )
    columns = (
        ["place_id", "name", *(f for f in fields or [] if f not in ("place_id", "name"))]
        if fields
        else list(frame.columns)
    )
    units = {c: UNITS[c].unit for c in columns if c in UNITS}
    return ToolResult.ok({"places": compact_rows(frame, len(frame), columns), "units": units}, notes=notes)


@described(
    sources=("places", "boundaries?"),
    limits="names in the languages that the source has",
)
def get_place_center(
    ctx: ToolContext, name: str, near: str | list[float] = "", types: list[str] | None = None
) -> ToolResult:
    """Position of one named place (city, airport, landmark): its centre when the name is unambiguous, else candidates.

    Qualifiers in the name are understood ("Newcastle, UK", "Portland, Oregon"). When `center` is null, choose from
    `candidates` by place_id, or ask again with `near` or a fuller name; nothing is guessed.

    Args:
        name: Name of the place, optionally with qualifiers after commas.
        near: What it lies in or near: a region id, a region's or place's name, or [longitude, latitude].
        types: Only these types, such as ["airport"].
    """
    from gra_skill_places.center import locate
    from gra_skill_places.reply import compact_rows, credit

    if not name.strip():
        raise ToolError(
            "bad_argument", "get_place_center: the name is empty", hint="give the name of a place"
        )
    found = locate(ctx, name.strip(), near, types)
    notes = [*found.notes, *credit(ctx.source("places"))]
    if found.frame.empty:
        reason = f"the source knows no place named {name!r}; regions are found with find_regions, addresses are not covered"
        return ToolResult.empty(reason, notes=notes)
    if not found.certain:
        candidates = compact_rows(found.frame, 20)
        content = {
            "center": None,
            "reason": found.reason,
            "total": len(found.frame),
            "candidates": candidates,
        }
        return ToolResult.ok(content, notes=notes)
    (row,) = compact_rows(found.frame, 1)
    return ToolResult.ok({"center": [row["lon"], row["lat"]], "place": row}, notes=notes)
