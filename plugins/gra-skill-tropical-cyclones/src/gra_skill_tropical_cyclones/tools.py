"""Tools over best tracks, and the list of active storms."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from gra_core import Column, Param, ToolContext, ToolError, ToolResult, tool

Where = Annotated[
    str | list[str] | list[float] | dict[str, Any],
    Param(
        description="A dataset reference (ds://…), a list of region or place ids, GeoJSON in longitude/latitude, or a point [longitude, latitude]."
    ),
]
Basin = Literal["", "NA", "EP", "WP", "NI", "SI", "SP", "SA"]
COVERAGE = "All basins"
SHOWN = 25


@tool(
    sources=("cyclones", "boundaries?", "places?"), coverage=COVERAGE, resolution="Fixes every 3 or 6 hours, tracks between them",
    period="Atlas: 1980 to 2024; IBTrACS files: 1842 to present",
    limits="Distances are from the centre's track, not from the edge of the wind field",
)  # fmt: skip
def find_historical_storms(
    ctx: ToolContext,
    region: Where,
    years: Annotated[list[int], Param(min_items=1, max_items=2)],
    min_category: int = 0,
    within_km: Annotated[float, Param(minimum=0, maximum=3000)] = 0.0,
    strength: Literal["near", "lifetime"] = "near",
    basin: Basin = "",
) -> ToolResult:
    """Find past tropical cyclones whose track came within a distance of a region, with their closest approach.

    Returns number, number by category, and per storm distance, time, place and wind at the closest approach, strongest
    wind and category while within the distance and in its life; the dataset holds all storms with their tracks.

    Args:
        region: A dataset reference, region ids (find_regions gives them), place names or ids, a point or GeoJSON.
        years: [year] or [first, last]: calendar years (UTC) of the closest approach.
        min_category: Lowest Saffir-Simpson category: 1 to 5 hurricanes, 3 major, 0 tropical storms too, -1 depressions too, -5 everything.
        within_km: Greatest distance from the region in km; 0 means that the centre crossed it.
        strength: Whether min_category applies to the storm while within the distance (near) or at its peak (lifetime).
        basin: Only storms with a fix in this basin (NA is the North Atlantic).
    """
    from gra_skill_tropical_cyclones.category import label
    from gra_skill_tropical_cyclones.history import find_storms
    from gra_skill_tropical_cyclones.region import read_region
    from gra_skill_tropical_cyclones.times import read_years
    from gra_skill_tropical_cyclones.tracks import CATEGORY_NOTE, averaging_notes, by_category, check_category

    first, last = read_years(years)
    check_category(min_category)
    where, name, notes = read_region(ctx, region)
    coverage = ctx.source("cyclones").coverage()
    storms = find_storms(ctx, where, first, last, within_km, basin)
    notes += averaging_notes(coverage)
    if first < coverage["first_season"] or last > coverage["last_season"]:
        notes.append(
            f"the source covers the seasons {coverage['first_season']} to {coverage['last_season']} only"
        )
    kept = storms[storms["category_near" if strength == "near" else "max_category"] >= min_category]
    asked = (
        f"{label(min_category)} or stronger ({strength}) within {within_km:g} km of {name}, {first} to {last}"
    )
    if strength == "near":
        notes += _doubtful(storms, kept, min_category)
    if kept.empty:
        return ToolResult.empty(f"no storm: {asked}", notes=notes)
    saved = ctx.save(
        kept, name="storms", columns=_UNITS, time_basis="instant", time_zone="UTC", notes=(CATEGORY_NOTE,)
    )
    content = {
        "asked": asked,
        "count": len(kept),
        "by_category": by_category(kept["category_near" if strength == "near" else "max_category"]),
        "units": "distance km, wind kt (1-minute mean), pressure hPa, time UTC",
        "storms": _rows(kept),
    }
    if len(kept) > SHOWN:
        notes.append(f"the {SHOWN} strongest of {len(kept)} storms are shown, all are in the dataset")
    return ToolResult.ok(content, datasets=[saved], notes=notes)


def _doubtful(storms: Any, kept: Any, min_category: int) -> list[str]:
    """Storms that fixes hours apart cannot settle: strong enough before or at another time, at no fix within the distance.

    Andrew was of category 5 at its landfall of 1992-08-24 09:05 UTC; the fixes at 06 and 12 UTC have category 4.
    """
    left = storms[~storms["storm_id"].isin(kept["storm_id"])].rename(columns={"name": "name_"})
    before = left[left["category_before"] >= min_category]
    ever = left[(left["max_category"] >= min_category) & (left["category_before"] < min_category)]
    notes = []
    if len(before):
        notes.append(
            f"{len(before)} more storms had that category at the last fix before they came within the distance, "
            f"and may have kept it: {_named(before)}"
        )
    if len(ever):
        notes.append(
            f"{len(ever)} more storms came within the distance and had that category at another time; "
            f"strength between fixes is interpolated, a peak between two of them is not seen: {_named(ever)}"
        )
    return notes


def _named(storms: Any) -> str:
    shown = [f"{r.storm_id} {r.name_}".strip() for r in storms.head(10).itertuples()]
    return ", ".join(shown) + (" and others" if len(storms) > 10 else "")


_UNITS = {
    "distance_km": Column(unit="km", quantity="intensive"), "wind_kt": Column(unit="kt", quantity="intensive", description="at the closest approach, interpolated between fixes"),
    "wind_before_kt": Column(unit="kt", quantity="intensive", description="at the last fix before it came within the distance"),
    "category_before": Column(quantity="class"), "wind_near_kt": Column(unit="kt", quantity="intensive", description="strongest while within the distance"), "max_wind_kt": Column(unit="kt", quantity="intensive", description="in its life"),
    "min_pressure_hpa": Column(unit="hPa", quantity="intensive"), "category_near": Column(quantity="class"), "max_category": Column(quantity="class"),
}  # fmt: skip


def _rows(storms: Any) -> list[dict[str, Any]]:
    from gra_geo.frames import rows_of

    order = ["category_near", "wind_near_kt", "distance_km", "storm_id"]
    ranked = storms.sort_values(order, ascending=[False, False, True, True], na_position="last")
    for column in ("distance_km", "lon", "lat", "wind_kt"):
        ranked[column] = ranked[column].astype(float).round(3)
    ranked["time"] = ranked["time"].dt.floor("min")
    return rows_of(ranked, SHOWN)


@tool(
    sources=("cyclones",), coverage=COVERAGE, resolution="Four quadrants a fix",
    period="Where wind radii are recorded: from about 2001 (Atlantic from 2004), US agencies",
    limits="Needs a source with recorded wind radii (ibtracs-csv); radii are never guessed",
)  # fmt: skip
def get_wind_swath(ctx: ToolContext, storm_id: str, wind_kt: Literal[34, 50, 64] = 34) -> ToolResult:
    """The area where a storm's sustained wind reached 34, 50 or 64 knots at some time, from recorded wind radii.

    Returns the geodesic area and a dataset with the polygon: intersect it with regions or count population inside.

    Args:
        storm_id: Id from find_historical_storms (SID or ATCF id), or a name with its season such as "Katrina 2005".
        wind_kt: Threshold: 34 tropical-storm force, 50 storm force, 64 hurricane force.
    """
    import geopandas as gpd

    from gra_skill_tropical_cyclones.swath import make_swath
    from gra_skill_tropical_cyclones.tracks import one_storm

    fixes = one_storm(ctx, storm_id)
    if not any(str(c).startswith(f"r{wind_kt}_") and fixes[c].notna().any() for c in fixes.columns):
        return _without_radii(ctx, fixes, wind_kt)
    swath = make_swath(fixes, wind_kt)
    first = fixes.iloc[0]
    if swath is None:
        return ToolResult.empty(f"{first['storm_id']} {first['name']} has no recorded wind of {wind_kt} kt")
    row = {
        "storm_id": [first["storm_id"]],
        "name": [first["name"]],
        "wind_kt": [wind_kt],
        "area_km2": [swath.area_km2],
    }
    frame = gpd.GeoDataFrame(row, geometry=[swath.geometry], crs="EPSG:4326")
    notes = [
        "radii are the greatest extent in each quadrant: the wind does not reach the threshold everywhere inside"
    ]
    if swath.fixes_without:
        notes.append(
            f"{swath.fixes_without} fixes with {wind_kt} kt or more have no recorded radii: the swath has gaps there"
        )
    saved = ctx.save(
        frame,
        name=f"swath-{wind_kt}kt",
        columns={"area_km2": Column(unit="km²", quantity="count")},
        notes=tuple(notes),
    )
    content = {k: v[0] for k, v in row.items()} | {
        "fixes_with_radii": swath.fixes_with,
        "units": "area km² (geodesic), wind kt (1-minute mean)",
    }
    return ToolResult.ok(content, datasets=[saved], notes=notes)


def _without_radii(ctx: ToolContext, fixes: Any, wind_kt: int) -> ToolResult:
    strongest = fixes["wind_kt"].max()
    if strongest == strongest and strongest < wind_kt:
        return ToolResult.empty(f"the storm's strongest wind was {strongest:g} kt, below {wind_kt} kt")
    raise ToolError(
        "not_available",
        f"source {ctx.source('cyclones').name} has no {wind_kt} kt wind radii of this storm",
        hint="set path of source ibtracs-csv to an IBTrACS v4 CSV file (radii from about 2004); or buffer the track and record the proxy",
    )


@tool(
    sources=("cyclones?", "cyclone-advisories?", "cyclone-forecasts?"), coverage="Past: all basins. Now: NHC's basins, others from the latest Weather Lab run",
    resolution="One position a storm", period="Best tracks for the past, advisories for now",
)  # fmt: skip
def list_active_cyclones(ctx: ToolContext, basin: Basin = "", as_of: str = "") -> ToolResult:
    """List the tropical cyclones that are (or were) active at a moment, with position, wind, pressure and category.

    Args:
        basin: Only this basin (NA is the North Atlantic, EP includes the central Pacific); default: all.
        as_of: 2005-08-28T18:00 (UTC instant), 2005-08-28 (the whole UTC day), or nothing for now.
    """
    from gra_skill_tropical_cyclones.activity import active_storms
    from gra_skill_tropical_cyclones.times import read_moment

    start, end = read_moment(as_of)
    active = active_storms(ctx, start, end, basin)
    when = as_of.strip() or f"now ({start:%Y-%m-%d %H:%M})"
    where = f" in basin {basin}" if basin else ""
    if not active.storms:
        return ToolResult.empty(
            f"no active tropical cyclone{where} at {when} UTC, says {active.source}", notes=active.notes
        )
    content = {
        "as_of": when,
        "source": active.source,
        "count": len(active.storms),
        "units": "wind kt (1-minute mean), pressure hPa, time UTC",
    }
    return ToolResult.ok(content | {"storms": active.storms}, notes=active.notes)
