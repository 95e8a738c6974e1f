"""The tools of skill ``admin-boundaries``. Nothing heavy is imported before one is called."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from gra_core import Column, Param, ToolContext, ToolError, ToolResult, tool
from gra_geo.arguments import Features, Points, Regions

described = partial(
    tool,
    coverage="Whatever the chosen source covers; embedded: all countries, first-level regions of the US, Australia, Brazil and "
    "Canada, US counties",
    resolution="Embedded boundaries are generalised, for maps of about 1:10 million (US) and 1:50 million (world)",
    cost="none on the embedded source",
)
NAMED, LISTED, SHOWN = 300, 150, 60  # most rows in a reply: of names, of short rows, of rows with measures

Ids = Annotated[list[str], Param(min_items=1)]
Limit = Annotated[int, Param(minimum=1, maximum=200)]
Share = Annotated[float, Param(minimum=0, maximum=1)]


@described(
    sources=("boundaries",),
    limits="200 candidates a call",
)
def find_regions(
    ctx: ToolContext, name: str = "", level: str = "", country: str = "", parent: str = "", limit: Limit = 20
) -> ToolResult:
    """Look up administrative regions and their ids by name or code, or list those of a level, country or parent.

    Returns candidates, best match first, never a guess: when several fit equally well they are all given. Ids from here
    are what other tools take. Case, accents and punctuation do not matter; postal and ISO codes work as names.

    Args:
        name: Name, other name or code of a region ("Nebraska", "NE", "BR-SP", "Orange County, CA"); empty to list regions.
        level: Only this level: country, state (any first-level region), county, and others where the source has them.
        country: Only in this country, by name or ISO code.
        parent: Only inside this region, by id (geoId/31) or name.
        limit: Most candidates to return.
    """
    from gra_geo.frames import rows_of
    from gra_skill_admin_boundaries import lookup

    if not (name.strip() or level or country or parent):
        raise ToolError(
            "bad_argument",
            "find_regions: nothing to look for",
            hint="give a name, or a level, country or parent to list",
        )
    found = lookup.find(
        ctx.source("boundaries"), name=name, level=level, country=country, parent=parent, limit=limit
    )
    if found.frame.empty:
        asked = ", ".join(
            f"{k} {v!r}"
            for k, v in (("name", name), ("level", level), ("country", country), ("parent", parent))
            if v
        )
        return ToolResult.empty(
            f"no region fits {asked}; cities and landmarks are found with the places skill", notes=found.notes
        )
    notes = list(found.notes)
    if name and len(found.best) > 1:
        notes.append(
            f"{len(found.best)} candidates fit equally well: choose one, or narrow with level, country or parent"
        )
    columns = ("region_id", "name", "level", "country", "parent_id", "parent_name", "match")
    rows = [
        {key: value for key, value in row.items() if value} for row in rows_of(found.frame, limit, columns)
    ]
    content = {"candidates": rows, "more": found.more} | ({"equally_good": len(found.best)} if name else {})
    return ToolResult.ok(content, notes=notes)


@described(
    sources=("boundaries",),
    limits=f"measures of the first {SHOWN} regions are in the reply, all are in the dataset",
)
def get_boundaries(ctx: ToolContext, region_ids: Ids) -> ToolResult:
    """Fetch the polygons of regions by id as a dataset, with name, geodesic area in km² and centre of each in the reply.

    Use it when later steps need the shapes, or to answer how large a region is or where its centre lies. For all regions
    inside another use list_subregions instead.

    Args:
        region_ids: Region ids from find_regions or list_subregions, such as geoId/31 or country/BRA.
    """
    from gra_skill_admin_boundaries.measures import COLUMNS, measured, summary_rows

    wanted = list(dict.fromkeys(i.strip() for i in region_ids))
    notes = (
        [f"{len(region_ids) - len(wanted)} repeated ids were dropped"]
        if len(wanted) < len(region_ids)
        else []
    )
    frame = measured(ctx.source("boundaries").get(region_ids=wanted))
    name = frame["name"].iloc[0] if len(frame) == 1 else f"{len(frame)} regions"
    saved = ctx.save(frame, name=f"boundaries {name}", columns=COLUMNS)
    content = {
        "count": len(frame),
        "total_area_km2": round(float(frame["area_km2"].sum()), 3),
        "regions": summary_rows(frame, SHOWN),
    }
    return ToolResult.ok(content, datasets=[saved], notes=notes + cut_note(len(frame), SHOWN, saved.ref))


@described(
    sources=("boundaries",),
    limits=f"names of the first {NAMED} regions are in the reply, all are in the dataset",
)
def list_subregions(ctx: ToolContext, parent_id: str, level: str = "") -> ToolResult:
    """List all regions of a level inside a region (counties of a state, states of a country), with their polygons.

    Returns ids and names in the reply and the shapes as a dataset that other tools take as regions.

    Args:
        parent_id: Id of the containing region, such as geoId/31 (a full name works when it is unambiguous).
        level: Level to list, such as county; the next lower level when left out.
    """
    from gra_skill_admin_boundaries import lookup
    from gra_skill_admin_boundaries.levels import level_named

    source = ctx.source("boundaries")
    parent, notes = lookup.region_id(source, parent_id)
    frame = source.children(parent_id=parent, level=level_named(level, source.levels()))
    notes += frame.attrs.get("notes", [])
    if frame.empty:
        return ToolResult.empty(f"{parent} has no regions of level {level or 'below it'} here", notes=notes)
    saved = ctx.save(frame, name=f"{level or frame['level'].iloc[0]} regions in {parent}")
    shown = frame.head(NAMED)
    content = {
        "parent_id": parent, "level": ", ".join(frame["level"].unique()), "count": len(frame),
        "regions": dict(zip(shown["region_id"], shown["name"], strict=True)),
    }  # fmt: skip
    return ToolResult.ok(content, datasets=[saved], notes=notes + cut_note(len(frame), NAMED, saved.ref))


@described(
    sources=("boundaries", "places?"),
    limits=f"the first {NAMED} points are in the reply, all are in the dataset",
)
def reverse_geocode(ctx: ToolContext, points: Points, levels: list[str] | None = None) -> ToolResult:
    """Tell which regions points lie in: country, state, county and other levels, by id and name.

    Args:
        points: Coordinates as [[longitude, latitude], ...], a dataset of points, place ids or place names, or GeoJSON.
        levels: Levels wanted, such as ["state", "county"]; all levels of the source when left out.
    """
    from gra_geo.inputs import read_points
    from gra_skill_admin_boundaries.reverse import locate

    read = read_points(ctx, points)
    located = locate(ctx.source("boundaries"), read.frame, levels or [])
    table = located.table.assign(name=read.frame["name"].to_numpy())
    notes = [*read.notes, *located.notes]
    if len(located.nowhere) == len(table):
        return ToolResult.empty(
            f"the points lie in no {' or '.join(located.levels)} of the source (open sea, or outside its coverage)",
            notes=notes,
        )
    saved = ctx.save(table, name="regions of points")
    rows = [
        {
            "point": row["point"], "name": row["name"], "lon": row["lon"], "lat": row["lat"],
            "regions": {lv: {"region_id": row[f"{lv}_id"], "name": row[f"{lv}_name"]} for lv in located.levels if row[f"{lv}_id"]},
        }
        for row in table.head(LISTED).to_dict("records")
    ]  # fmt: skip
    content = {"points": rows, "in_no_region": located.nowhere[:LISTED]}
    return ToolResult.ok(content, datasets=[saved], notes=notes + cut_note(len(table), LISTED, saved.ref))


@tool(
    sources=("boundaries?",),
    coverage="Any regions and any mask, whatever their origin",
    cost="none",
    limits="Relations are exact on the given polygons; boundaries of different generalisation rarely coincide, so use min_overlap across sources",
)
def filter_regions(
    ctx: ToolContext,
    regions: Regions,
    mask: Features,
    predicate: Literal["intersects", "within", "contains", "touches", "overlaps", "disjoint"] = "intersects",
    min_overlap: Share = 0.0,
) -> ToolResult:
    """Keep the regions that intersect, lie within, contain, touch (border without overlap), overlap or avoid a mask.

    Use it for neighbours of a region (touches), regions along a river or storm track (intersects) or regions mostly
    inside an area (intersects with min_overlap). Returns the kept regions as a dataset, with the share of each one's
    area inside the mask.

    Args:
        regions: The regions to choose from: a dataset reference, region ids or GeoJSON.
        mask: What they are compared with: a dataset reference, region or place ids, or GeoJSON; several features count as one.
        predicate: Relation of a region to the mask.
        min_overlap: Smallest share (0 to 1) of a region's area inside the mask.
    """
    from gra_geo.frames import rows_of
    from gra_geo.inputs import read_features, read_regions
    from gra_skill_admin_boundaries.filtering import select

    candidates, masks = read_regions(ctx, regions), read_features(ctx, mask)
    notes = list(dict.fromkeys([*candidates.notes, *masks.notes]))
    chosen = select(candidates.frame, masks.frame, predicate, min_overlap)
    if chosen.empty:
        share = f" with at least {min_overlap:g} of its area" if min_overlap else ""
        return ToolResult.empty(
            f"none of the {len(candidates.frame)} regions {RELATION[predicate]} the mask{share}", notes=notes
        )
    shares = Column(unit="1", quantity="intensive", description="share of the region's area inside the mask")
    saved = ctx.save(chosen, name=f"regions {predicate}", columns={"overlap_share": shares})
    columns = ("region_id", "name") + (() if predicate in ("touches", "disjoint") else ("overlap_share",))
    rows = rows_of(chosen, LISTED, columns)
    content = {"kept": len(chosen), "of": len(candidates.frame), "predicate": predicate, "regions": rows}
    return ToolResult.ok(content, datasets=[saved], notes=notes + cut_note(len(chosen), LISTED, saved.ref))


RELATION = {
    "intersects": "intersects", "within": "lies within", "contains": "contains", "touches": "touches", "overlaps": "overlaps",
    "disjoint": "is disjoint from",
}  # fmt: skip


def cut_note(number: int, limit: int, ref: str) -> list[str]:
    """A note when a reply shows fewer rows than there are."""
    return [f"the reply shows {limit} of {number} rows; all are in {ref}"] if number > limit else []
