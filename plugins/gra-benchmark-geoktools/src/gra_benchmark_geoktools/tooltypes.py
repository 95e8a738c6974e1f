"""The types of tools that K counts, and which tools, skills and sources belong to each."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen


@frozen(kw_only=True)
class ToolType:
    """One capability. A query's K is the number of distinct types that its reference trajectory uses."""

    tools: tuple[str, ...]
    skills: tuple[str, ...]
    sources: tuple[str, ...]


# Finding regions and working on their shapes is one type: whoever measures distances to counties has to list them.
TOOL_TYPES: dict[str, ToolType] = {
    "spatial-analysis": ToolType(
        tools=(
            "find_regions", "get_boundaries", "list_subregions", "filter_regions", "buffer_features", "compute_distances",
            "filter_by_intersection", "join_by_location", "measure_features", "overlay_features",
        ),
        skills=("admin-boundaries", "geometry"), sources=("boundaries",),
    ),
    "reverse-geocoding": ToolType(tools=("reverse_geocode",), skills=("admin-boundaries",), sources=("boundaries",)),
    "place-lookup": ToolType(
        tools=("search_places", "count_places", "get_place_details", "get_place_center"), skills=("places",), sources=("places",),
    ),
    "public-statistics": ToolType(
        tools=("get_stat_table",), skills=("data-commons",), sources=("statistics", "boundaries"),
    ),
    "statistics-history": ToolType(tools=("get_stat_series",), skills=("data-commons",), sources=("statistics", "boundaries")),
    "cyclone-history": ToolType(tools=("find_historical_storms",), skills=("tropical-cyclones",), sources=("cyclones",)),
    "cyclone-activity": ToolType(tools=("list_active_cyclones",), skills=("tropical-cyclones",), sources=("cyclones",)),
    "elevation": ToolType(tools=("compute_elevation_stats",), skills=("terrain-slope",), sources=("elevation",)),
    "elevation-profile": ToolType(tools=("sample_elevation_profile",), skills=("terrain-slope",), sources=("elevation",)),
    "slope": ToolType(tools=("compute_slope_stats",), skills=("terrain-slope",), sources=("elevation",)),
    "trend-testing": ToolType(tools=("test_trend",), skills=("time-series-forecast",), sources=()),
    "forecasting": ToolType(tools=("forecast_series", "backtest_forecast"), skills=("time-series-forecast",), sources=()),
    "table-analysis": ToolType(tools=("query_table", "inspect_dataset"), skills=("scratch-datasets",), sources=()),
}  # fmt: skip


# Looking up what another tool of the same skill takes is no capability of its own.
AUXILIARY = ("resolve_places", "search_variables", "describe_variables")


def types_of(tools: Iterable[str]) -> set[str]:
    """The types of the tools that were called; `KeyError` for a tool of none."""
    by_tool = {tool: name for name, kind in TOOL_TYPES.items() for tool in kind.tools}
    return {by_tool[tool] for tool in tools if tool not in AUXILIARY}
