"""The tools of skill ``geometry``. Nothing heavy is imported before one is called."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from gra_core import Column, Param, ToolContext, ToolResult, tool
from gra_geo.arguments import Features, Points, Reference, Regions

SHOWN = 25  # rows in a reply; all rows are in the dataset
ANY = ("boundaries?", "places?")
WORLD = "Any features on Earth, the date line and the poles included"
METRES, SQUARE_KM = Column(unit="m"), Column(unit="km2", quantity="count")

Count = Annotated[int, Param(minimum=0, maximum=1000)]
Length = Annotated[float, Param(minimum=0)]
Share = Annotated[float, Param(minimum=0, maximum=1)]


@tool(sources=ANY, coverage=WORLD, resolution="millimetres on the WGS 84 ellipsoid (metres for boundaries)",
      limits="straight-line (geodesic) distances, not travel; at most 2 million pairs in a result")  # fmt: skip
def compute_distances(
    ctx: ToolContext,
    a: Points,
    b: Points,
    k: Count = 1,
    max_m: Length | None = None,
    anchor: Literal["centroid", "boundary", "representative"] = "centroid",
    order: Literal["nearest", "farthest"] = "nearest",
) -> ToolResult:
    """For each feature of a, find the k nearest or farthest features of b with their geodesic distances.

    Answers "which is closest to / farthest from", "how far is A from B" and "what lies within a distance". Comes back:
    pairs with ids, names, distance_m, distance_km and rank; `extreme` is the best pair of all. When a and b are the same,
    no feature is paired with itself.

    Args:
        a: From: a dataset reference, place names or ids, region ids, [longitude, latitude] pairs, or GeoJSON.
        b: To: likewise; the features among which the nearest or farthest are sought.
        k: How many of b for each of a; 0 for all of them.
        max_m: Only pairs at most this many metres apart.
        anchor: What stands for a shape: its centroid, its boundary (the shortest gap, 0 when they touch) or a point on it.
        order: nearest or farthest first.
    """
    from gra_geo.frames import rows_of
    from gra_geo.inputs import read_features
    from gra_skill_geometry.distances import compute

    first, second = read_features(ctx, a), read_features(ctx, b)
    same = a == b
    pairs = compute(
        first.frame, second.frame, k=k, max_m=max_m, anchor=anchor, far=order == "farthest", same=same
    )
    notes = [*first.notes, *second.notes]
    if same:
        notes.append("a and b are the same features: none is paired with itself")
    if not len(pairs):
        return ToolResult.empty(
            f"no feature of b lies within {max_m:g} m of a feature of a"
            if max_m is not None
            else "there is no pair",
            notes=notes,
        )
    pairs["distance_km"] = pairs["distance_m"] / 1000
    best = pairs["distance_m"].idxmax() if order == "farthest" else pairs["distance_m"].idxmin()
    content: dict[str, Any] = {
        "order": order, "anchor": anchor, "pairs": len(pairs), "extreme": rows_of(pairs.loc[[best]])[0],
        "rows": rows_of(pairs, SHOWN), "rows_left_out": max(0, len(pairs) - SHOWN),
    }  # fmt: skip
    lonely = len(first.frame) - pairs["a_id"].nunique()
    if lonely:
        content["without_match"] = lonely
    saved = ctx.save(
        pairs,
        name=f"distances-{order}",
        columns={
            "distance_m": METRES,
            "distance_km": Column(unit="km"),
            "bearing_deg": Column(unit="degree from north, clockwise"),
        },
        notes=tuple(notes),
    )
    return ToolResult.ok(content, datasets=[saved], notes=notes)


@tool(
    sources=ANY,
    coverage=WORLD,
    resolution="exact on the WGS 84 ellipsoid",
    limits="area of the shapes as drawn: generalised boundaries give generalised sizes",
)
def measure_features(
    ctx: ToolContext,
    features: Features,
    what: Annotated[
        list[Literal["area", "perimeter", "length", "centroid", "bounds"]] | None, Param(min_items=1)
    ] = None,
) -> ToolResult:
    """Measure areas, perimeters, line lengths, centres and bounds of features on the ellipsoid.

    Comes back: the features largest first with area_km2, perimeter_km, length_km, lon and lat of the centre, or west,
    south, east, north (west > east means across the date line), the totals, and a dataset with all of them.

    Args:
        features: What to measure: a dataset reference, region or place ids, or GeoJSON.
        what: One or more of area, perimeter, length (of lines), centroid, bounds; left out: the area of polygons, the
            length of lines.
    """
    from gra_geo.frames import rows_of
    from gra_geo.inputs import read_features
    from gra_skill_geometry.measures import UNITS, fitting, measure, totals

    read = read_features(ctx, features)
    table = measure(read.frame, list(dict.fromkeys(fitting(read.frame) if what is None else what)))
    main = next((c for c in ("area_km2", "length_km", "perimeter_km") if c in table), None)
    ranked = table.sort_values([main, "feature_id"], ascending=[False, True]) if main else table
    measured = [c for c in (*UNITS, "west", "south", "east", "north") if c in table]
    content = {
        "features": len(table),
        **totals(table),
        "rows": rows_of(ranked, SHOWN, ["feature_id", "name", *measured]),
    }
    content["rows_left_out"] = max(0, len(table) - SHOWN)
    saved = ctx.save(
        table,
        name="measures",
        columns={c: u for c, u in UNITS.items() if c in table},
        notes=tuple(read.notes),
    )
    return ToolResult.ok(content, datasets=[saved], notes=read.notes)


@tool(
    sources=ANY,
    coverage=WORLD,
    resolution="widths within 0.1 % at every latitude",
    limits="distances up to 9,900 km",
)
def buffer_features(
    ctx: ToolContext,
    features: Features,
    distance_m: float,
    dissolve: bool = False,
    method: Literal["geodesic", "utm"] = "geodesic",
) -> ToolResult:
    """Make polygons of everything within a distance of features (or shrink polygons with a negative distance).

    The distance is in metres on the ground at every latitude. Comes back: a dataset of polygons with area_km2, to be used
    as a mask, as zones or for overlays.

    Args:
        features: What to buffer: a dataset reference, place or region ids, or GeoJSON.
        distance_m: Width in metres; negative shrinks polygons.
        dissolve: One polygon for all features instead of one for each.
        method: geodesic fits everywhere; utm buffers in each feature's UTM zone, as national agencies do (small features only).
    """
    from gra_geo.frames import rows_of
    from gra_geo.inputs import read_features
    from gra_skill_geometry.buffers import make

    read = read_features(ctx, features)
    notes = list(read.notes)
    table = make(read.frame, distance_m, method, dissolve, notes)
    if not len(table) or table.geometry.is_empty.all():
        why = (
            f"when the features are shrunk by {-distance_m:g} m"
            if distance_m
            else "of points and lines without a width"
        )
        return ToolResult.empty(f"nothing is left {why}", notes=notes)
    content = {
        "features": len(table), "distance_m": distance_m, "total_area_km2": float(table["area_km2"].sum()),
        "rows": rows_of(table, SHOWN, ["feature_id", "name", "area_km2"]), "rows_left_out": max(0, len(table) - SHOWN),
    }  # fmt: skip
    saved = ctx.save(table, name="buffers", columns={"area_km2": SQUARE_KM}, notes=tuple(notes))
    return ToolResult.ok(content, datasets=[saved], notes=notes)


@tool(
    sources=ANY,
    coverage=WORLD,
    limits="edges belong to shapes: neighbours that only touch intersect, unless min_overlap is given",
)
def filter_by_intersection(
    ctx: ToolContext,
    features: Features,
    mask: Features,
    predicate: Literal["intersects", "within", "contains", "disjoint"] = "intersects",
    min_overlap: Share = 0.0,
) -> ToolResult:
    """Keep the features that meet, lie within, contain or avoid the shapes of a mask.

    Comes back: how many were kept and their ids and names with `overlap_share` (the part of each, by area or length, inside
    the mask), and a dataset of them.

    Args:
        features: The features to choose from: a dataset reference, region or place ids, or GeoJSON.
        mask: The shapes that decide, likewise.
        predicate: How a kept feature stands to the mask. within counts the edge; contains means it holds a mask shape.
        min_overlap: Least share (0 to 1) of a feature that must lie inside the mask, so that mere neighbours drop out.
    """
    from gra_geo.frames import rows_of
    from gra_geo.inputs import read_features
    from gra_skill_geometry.relations import WORDS, select

    read, masks = read_features(ctx, features), read_features(ctx, mask)
    kept, _ = select(read.frame, masks.frame, predicate, min_overlap)
    notes = [*read.notes, *masks.notes]
    if not len(kept):
        return ToolResult.empty(
            f"none of {len(read.frame)} features {WORDS[predicate]} the mask"
            + (f" with at least {min_overlap:g} of it inside" if min_overlap else ""),
            notes=notes,
        )
    content = {
        "kept": len(kept), "of": len(read.frame), "predicate": predicate, "min_overlap": min_overlap,
        "rows": rows_of(kept, SHOWN, ["feature_id", "name", "overlap_share"]), "rows_left_out": max(0, len(kept) - SHOWN),
    }  # fmt: skip
    saved = ctx.save(kept, name="filtered", columns={"overlap_share": Column(unit="1")}, notes=tuple(notes))
    return ToolResult.ok(content, datasets=[saved], notes=notes)


@tool(
    sources=ANY,
    coverage=WORLD,
    limits="numbers of left are totalled whole, not split among overlapping shapes",
)
def join_by_location(
    ctx: ToolContext,
    left: Features,
    right: Features,
    predicate: Literal["intersects", "within", "contains"] = "intersects",
    ties: Literal["first", "largest", "all", "error"] = "first",
    sums: list[str] = [],  # noqa: B006
) -> ToolResult:
    """Assign each feature of left to the feature of right where it lies, and count them per right feature.

    Answers "how many X in each Y" and "which Y does each X belong to". Every left feature is counted once, by the rule of
    `ties`, so counts add up. Comes back: counts per right feature (most first), how many matched none, and two datasets:
    the left rows with the columns of right, and the counts.

    Args:
        left: Features to assign, such as points: a dataset reference, ids or GeoJSON.
        right: Features to assign to, such as regions, likewise.
        predicate: How left stands to right. within counts the edge.
        ties: For a left feature that matches several: first (smallest id of right), largest (greatest overlap), all (counted in each), error.
        sums: Numeric columns of left to total per right feature, such as population.
    """
    from gra_geo.frames import rows_of
    from gra_geo.inputs import read_features
    from gra_skill_geometry.relations import RULES, WORDS, assign

    first, second = read_features(ctx, left), read_features(ctx, right)
    table, counts, tied = assign(first.frame, second.frame, predicate, ties, list(dict.fromkeys(sums)))
    notes = [*first.notes, *second.notes]
    if tied:
        notes.append(f"{tied} features matched several: {RULES[ties]}")
    key = "right_feature_id" if "right_feature_id" in table else "feature_id"
    unmatched = int(table[key].isna().sum())
    matched = len(first.frame) - unmatched
    content: dict[str, Any] = {
        "left": len(first.frame), "matched": matched, "without_match": unmatched, "tied": tied, "rule": RULES[ties],
        "counts": rows_of(counts, SHOWN), "counts_left_out": max(0, len(counts) - SHOWN),
    }  # fmt: skip
    if len(first.frame) <= SHOWN:
        named = "right_name" if "right_name" in table else "name"
        content["rows"] = rows_of(table, SHOWN, ["feature_id", "name", key, named])
    saved = [
        ctx.save(table, name="joined", notes=tuple(notes)),
        ctx.save(counts, name="counts", columns={"count": Column(quantity="count")}, notes=tuple(notes)),
    ]
    if not matched:
        return ToolResult.empty(
            f"none of {len(first.frame)} features of left {WORDS[predicate]} a feature of right", notes=notes
        )
    return ToolResult.ok(content, datasets=saved, notes=notes)


@tool(
    sources=ANY,
    coverage=WORLD,
    limits="attributes are not apportioned: use share_of_a or share_of_b for counts spread evenly",
)
def overlay_features(
    ctx: ToolContext,
    a: Features,
    b: Features,
    how: Literal["intersection", "difference", "union", "identity", "symmetric_difference"] = "intersection",
) -> ToolResult:
    """Cut two layers at each other and get the pieces with their sizes.

    Answers "how much of A lies in B" and "what of A is left outside B". Comes back: pieces with a_id, b_id, area_km2 (of
    lines length_km), share_of_a and share_of_b, largest first, the total, and a dataset of the shapes.

    Args:
        a: First layer: a dataset reference, region ids or GeoJSON.
        b: Second layer, likewise.
        how: intersection (a piece per pair), difference (a outside b), union (everything), identity (a, cut by b), symmetric_difference.
    """
    from gra_geo.frames import rows_of
    from gra_geo.inputs import read_features
    from gra_skill_geometry.overlays import overlay

    first, second = read_features(ctx, a), read_features(ctx, b)
    pieces = overlay(first.frame, second.frame, how)
    notes = [*first.notes, *second.notes]
    if not len(pieces):
        return ToolResult.empty(f"the {how} of a and b is empty", notes=notes)
    size = "length_km" if "length_km" in pieces and pieces["area_km2"].sum() == 0 else "area_km2"
    ranked = pieces.sort_values(size, ascending=False, kind="stable")
    content = {
        "pieces": len(pieces), f"total_{size}": float(pieces[size].sum()), "rows": rows_of(ranked, SHOWN),
        "rows_left_out": max(0, len(pieces) - SHOWN),
    }  # fmt: skip
    units = {
        "area_km2": SQUARE_KM,
        "length_km": Column(unit="km", quantity="count"),
        "share_of_a": Column(unit="1"),
        "share_of_b": Column(unit="1"),
    }
    saved = ctx.save(
        pieces,
        name=how.replace("_", "-"),
        columns={c: u for c, u in units.items() if c in pieces},
        notes=tuple(notes),
    )
    return ToolResult.ok(content, datasets=[saved], notes=notes)


@tool(sources=ANY, coverage="Any raster in the workspace", resolution="the raster's own cells, parts of cells included",
      limits="values and a weights raster must share one grid")  # fmt: skip
def compute_zonal_stats(
    ctx: ToolContext,
    raster: Reference,
    zones: Regions,
    stats: list[str] = ["mean"],  # noqa: B006
    weights: str = "area",
    nodata: float | None = None,
    band: Annotated[int, Param(minimum=1)] = 1,
) -> ToolResult:
    """Summarise a raster inside zones, every cell by the part of it that a zone covers.

    Use mean for densities, rates and measurements, sum for counts per cell (people, houses), majority for classes. Comes
    back: one row a zone with the statistics, `cells` (valid covered cells) and `valid_share` (part of the zone with data).

    Args:
        raster: Reference of a raster dataset.
        zones: Zones: a dataset reference, region ids or GeoJSON; points get the value of their cell.
        stats: mean, sum, min, max, median, stdev, variance, majority, minority, variety, or percentiles such as p90.
        weights: area (each cell by its covered true area), cells (covered share only), or a reference of a raster of weights.
        nodata: Value that means missing, where the file does not say.
        band: Band of the raster.
    """
    from gra_geo.frames import rows_of
    from gra_geo.inputs import read_features
    from gra_skill_geometry.zoning import check_quantity, open_raster, summarize

    values = open_raster(ctx, raster, band)
    weight: Any = open_raster(ctx, weights, 1) if weights.startswith("ds:") else weights
    notes = check_quantity(ctx.dataset(raster).manifest, stats)
    read = read_features(ctx, zones)
    table, told, weighting = summarize(values, read.frame, stats, weight, nodata)
    notes = [*read.notes, *told, *notes]
    if not (table["valid_share"] > 0).any():
        return ToolResult.empty("no zone meets a valid cell of the raster", notes=notes)
    shown = ["feature_id", "name", *dict.fromkeys(stats), "cells", "valid_share"]
    ranked = table.sort_values(stats[0], ascending=False, kind="stable")
    content = {
        "zones": len(table), "weighting": weighting, "unit": values.unit, "rows": rows_of(ranked, SHOWN, shown),
        "rows_left_out": max(0, len(table) - SHOWN),
    }  # fmt: skip
    columns = {
        s: Column(unit=values.unit, quantity="count" if s == "sum" else None) for s in dict.fromkeys(stats)
    }
    saved = ctx.save(table, name="zonal-stats", columns=columns, notes=tuple(notes))
    return ToolResult.ok(content, datasets=[saved], notes=notes)
