"""The tools of the skill."""

from __future__ import annotations

from typing import Annotated, Any

from gra_core import Param, ToolContext, ToolError, ToolResult, tool

COVERAGE = "Atlas: countries of the world and US counties; Data Commons: world, finest in the US"
RESOLUTION = "Administrative regions: country, state, county, city, census tract"
PERIOD = "Depends on the variable (describe_variables tells)"

CANDIDATE = ("region_id", "region_name", "place_type", "match", "parent_name", "country")
Names = Annotated[list[str], Param(min_items=1, max_items=200)]
Variables = Annotated[list[str], Param(min_items=1, max_items=20)]
Limit = Annotated[int, Param(minimum=1, maximum=100)]


@tool(sources=("statistics", "boundaries?", "places?"), coverage=COVERAGE, limits="Up to 200 names a call")
def resolve_places(ctx: ToolContext, names: Names, within: str = "", place_type: str = "") -> ToolResult:
    """Find the region ids of place names.

    Qualifiers in a name are honoured: "Newcastle, UK", "Lancaster County, Nebraska", "Georgia (country)". Each name
    comes back as unique (with its id), ambiguous (with all candidates: choose by what the question says, or ask),
    partial (only longer names match) or not_found.

    Args:
        names: Place names, with qualifiers where you have them.
        within: Id or name of a region that must contain the places.
        place_type: Level wanted: country, state, county, city, tract, postcode.
    """
    from gra_skill_data_commons.names import NameResolver

    found = NameResolver(ctx).resolve(
        list(dict.fromkeys(names)), within=within.strip(), level=place_type.strip()
    )
    places: list[dict[str, Any]] = []
    for resolution in found:
        entry: dict[str, Any] = {"name": resolution.name, "status": resolution.status}
        if resolution.status == "unique":
            entry |= {k: resolution.best[0][k] for k in ("region_id", "region_name", "place_type")}
        if resolution.status != "unique" or len(resolution.candidates) > 1:
            entry["candidates"] = [
                {k: c[k] for k in CANDIDATE if k in c}
                for c in resolution.candidates[: 5 if resolution.status == "unique" else 20]
            ]
        if resolution.note:
            entry["note"] = resolution.note
        if resolution.namesakes:
            entry["without_statistics"] = [
                {k: v for k, v in s.items() if k not in ("match", "type")} for s in resolution.namesakes
            ]
        places.append(entry)
    if all(p["status"] == "not_found" and "without_statistics" not in p for p in places):
        return ToolResult.empty(
            "none of the names is a place that the statistics know",
            notes=[p["note"] for p in places if "note" in p],
        )
    return ToolResult.ok({"places": places})


@tool(sources=("statistics", "boundaries?"), coverage=COVERAGE, resolution=RESOLUTION, period=PERIOD)
def search_variables(
    ctx: ToolContext, query: str, places: str | list[str] | None = None, limit: Limit = 10
) -> ToolResult:
    """Find statistical variables by words (population, unemployment rate, median income).

    Returns ids, titles, units, kinds of quantity (count, rate, intensive) and periods, best match first. Give places
    to get only variables that have data there.

    Args:
        query: What is measured, in a few words.
        places: Region ids or names, or a dataset with a column region_id.
        limit: Most variables to return.
    """
    from gra_skill_data_commons.places import read_places
    from gra_skill_data_commons.variables import shown

    if not query.strip():
        raise ToolError("bad_argument", "query is empty", hint="say in a few words what is measured")
    ids, notes = read_places(ctx, places) if places else (None, [])
    source = ctx.source("statistics")
    frame = source.variables(query=query.strip(), region_ids=ids, limit=limit)
    if frame.empty:
        where = " with data for these places" if ids else ""
        return ToolResult.empty(f"source {source.name} has no variable for {query!r}{where}", notes=notes)
    return ToolResult.ok(
        {"source": source.name, "variables": [shown(row) for row in frame.to_dict("records")]}, notes=notes
    )


@tool(sources=("statistics", "boundaries?"), coverage=COVERAGE, resolution=RESOLUTION, period=PERIOD)
def describe_variables(
    ctx: ToolContext, variables: Variables, places: str | list[str] | None = None
) -> ToolResult:
    """Describe variables by id: unit, kind of quantity, period, source, licence.

    With places it also tells for how many of them there are values, and which facets exist (one facet is one
    provider and method; values of different facets do not compare).

    Args:
        variables: Variable ids.
        places: Region ids or names, or a dataset with a column region_id.
    """
    from gra_skill_data_commons.places import read_places
    from gra_skill_data_commons.variables import exact_variables, facet_rows

    facts = exact_variables(ctx, variables)
    if not places:
        return ToolResult.ok({"variables": list(facts.values())})
    ids, notes = read_places(ctx, places)
    source = ctx.source("statistics")
    facets = source.facets(variables=list(facts), region_ids=ids) if source.offers("facets") else None
    for variable, entry in facts.items():
        if facets is not None:
            own = facets[facets["variable"] == variable]
            entry |= {"places_with_values": int(own["region_id"].nunique()), "facets": facet_rows(own)}
        else:
            own = source.series(variable=variable, region_ids=ids)
            entry["places_with_values"] = int(own["region_id"].nunique())
            entry |= {"first": own["date"].min(), "last": own["date"].max()} if len(own) else {}
        entry["places_asked"] = len(ids)
    return ToolResult.ok({"variables": list(facts.values())}, notes=notes)


@tool(sources=("statistics", "boundaries?"), coverage=COVERAGE, resolution=RESOLUTION, period=PERIOD)
def get_stat_table(
    ctx: ToolContext,
    variables: Variables,
    parent: str = "",
    child_type: str = "",
    date: str = "latest",
    facet: str = "",
    places: str | list[str] | None = None,
    limit: Limit = 10,
) -> ToolResult:
    """Values of variables at one date for all regions inside a parent (all counties of a state), or for given places.

    Returns the highest and lowest regions, total (counts only), median, number and names of regions without a value,
    and a dataset with region_id, a column per variable and its date: join it to boundaries by region_id.

    Args:
        variables: Variable ids from search_variables.
        parent: Region id (geoId/31, country/USA, Earth for all countries) or a unique name.
        child_type: Level of the regions inside the parent: country, state, county, city, tract. Default: the next level.
        date: latest, or a year, month or day as the variable has it.
        facet: Id or import name of one facet (describe_variables lists them). Default: one good facet for all regions.
        places: Instead of a parent: region ids or names, or a dataset with a column region_id.
        limit: How many regions to list at each end.
    """
    from gra_skill_data_commons.places import read_places
    from gra_skill_data_commons.series import check_date
    from gra_skill_data_commons.table import build_table, members_of
    from gra_skill_data_commons.variables import exact_variables

    if bool(parent.strip()) == bool(places):
        raise ToolError(
            "bad_argument",
            "give either parent or places",
            hint="parent and child_type for all regions inside one",
        )
    date = check_date("date", date, latest=True) or "latest"
    facts = exact_variables(ctx, variables)
    ids, notes = read_places(ctx, [parent] if parent.strip() else places or [])
    source, child = ctx.source("statistics"), child_type.strip()
    members: dict[str, str] | None
    if places:
        values = source.values(variables=list(facts), region_ids=ids, date=date, facet=facet)
        members = {r: r for r in ids}
    else:
        values = source.values(
            variables=list(facts), parent=ids[0], child_level=child, date=date, facet=facet
        )
        members = members_of(ctx, ids[0], child)
    values = values[values["value"].notna()]
    asked = f"{child or 'regions'} in {ids[0]}" if not places else f"{len(ids)} places"
    if values.empty:
        return ToolResult.empty(
            f"source {source.name} has no values for {', '.join(facts)} in {asked} at {date}", notes=notes
        )
    table = build_table(values, facts, members, limit)
    saved = ctx.save(
        table.wide,
        name=f"stats-{'-'.join(facts)}",
        columns=table.columns,
        time_basis="date of the value, see the date columns",
    )
    content = {
        "asked": asked,
        "date": date,
        "regions": len(members) if members is not None else len(table.wide),
        "variables": table.summaries,
    }
    return ToolResult.ok(content, datasets=[saved], notes=notes + table.notes)


@tool(sources=("statistics", "boundaries?"), coverage=COVERAGE, resolution=RESOLUTION, period=PERIOD)
def get_stat_series(
    ctx: ToolContext, variable: str, places: str | list[str], start: str = "", end: str = "", facet: str = ""
) -> ToolResult:
    """All values of one variable over time for one or several places, each series from a single facet.

    Returns first, last, lowest and highest value, change, the values by date, and a dataset with region_id, date and
    value that forecast_series and test_trend take (time_col date, value_col value, group_col region_id).

    Args:
        variable: Variable id from search_variables.
        places: Region ids or unique names, or a dataset with a column region_id.
        start: First date wanted (year, month or day); default: from the beginning.
        end: Last date wanted, inclusive; default: up to the latest.
        facet: Id or import name of one facet; default: the preferred one.
    """
    from gra_skill_data_commons.places import read_places
    from gra_skill_data_commons.series import check_period, series_content
    from gra_skill_data_commons.variables import column_of, exact_variables

    start, end = check_period(start, end)
    [(_, facts)] = exact_variables(ctx, [variable]).items()
    ids, notes = read_places(ctx, places)
    source = ctx.source("statistics")
    frame = source.series(variable=variable, region_ids=ids, start=start, end=end, facet=facet)
    frame = frame[frame["value"].notna()]
    if frame.empty:
        period = f" from {start or 'the beginning'} to {end or 'now'}" if start or end else ""
        return ToolResult.empty(
            f"source {source.name} has no values of {variable} for {', '.join(ids[:10])}{period}", notes=notes
        )
    entries, missing, more = series_content(frame, ids)
    unit = next(iter(frame["unit"]), "")
    saved = ctx.save(
        frame,
        name=f"series-{variable}",
        columns={"value": column_of(facts, unit)},
        time_basis="date of the value",
    )
    content = {k: facts[k] for k in ("variable", "title", "quantity") if k in facts} | {
        "unit": unit or facts.get("unit", "")
    }
    shown = (
        entries
        if len(entries) <= 20
        else [{k: v for k, v in e.items() if k != "values"} for e in entries[:200]]
    )
    return ToolResult.ok(
        content | {"series": shown, "missing": missing}, datasets=[saved], notes=notes + more
    )
