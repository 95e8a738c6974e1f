"""Tools over forecast tracks."""

from __future__ import annotations

from typing import Any, Literal

from gra_core import Column, ToolContext, ToolResult, tool
from gra_geo.arguments import Regions

COVERAGE = "All basins; storms that exist at the start of the model run"
PERIOD = "Weather Lab: runs from 2022 on, up to now"
NOTICE = "experimental model output, not an official warning: for safety follow the national weather service"


@tool(
    sources=("cyclone-forecasts",), coverage=COVERAGE, resolution="6-hourly, up to 15 days ahead", period=PERIOD,
    limits="Experimental; needs the network",
)  # fmt: skip
def get_cyclone_forecast(
    ctx: ToolContext,
    storm_id: str,
    init_time: str = "",
    product: Literal["ensemble_mean", "ensemble"] = "ensemble_mean",
) -> ToolResult:
    """Forecast track and intensity of a storm from one model run: mean track, or all members with their spread.

    Args:
        storm_id: ATCF id such as AL132025 (list_active_cyclones gives it).
        init_time: Start of the run, UTC (2025-10-25T06:00; 00, 06, 12 or 18 h); default: the newest.
        product: The ensemble mean, or all members.
    """
    from gra_skill_tropical_cyclones.forecast import lead_rows, members
    from gra_skill_tropical_cyclones.runs import of_storm, read_run

    frame, start = read_run(ctx, init_time, product)
    tracks = of_storm(frame, storm_id)
    content: dict[str, Any] = {
        "storm_id": storm_id.strip().upper(), "init_time": start.isoformat(), "product": product, "members": members(tracks),
        "units": "wind kt (1-minute mean), pressure hPa, spread km, time UTC", "track": lead_rows(tracks),
    }  # fmt: skip
    columns = {
        "wind_kt": Column(unit="kt", quantity="intensive"),
        "pressure_hpa": Column(unit="hPa", quantity="intensive"),
    }
    saved = ctx.save(
        tracks,
        name=f"forecast-{storm_id}",
        columns=columns,
        time_basis="instant",
        time_zone="UTC",
        notes=(NOTICE,),
    )
    return ToolResult.ok(content, datasets=[saved], notes=[NOTICE])


@tool(
    sources=("cyclone-forecasts", "boundaries?"), coverage=COVERAGE, resolution="Share of ensemble members", period=PERIOD,
    limits="Experimental; probability in steps of one member; needs the network",
)  # fmt: skip
def get_strike_probability(
    ctx: ToolContext,
    regions: Regions,
    storm_id: str = "",
    wind_kt: Literal[34, 50, 64] = 34,
    init_time: str = "",
) -> ToolResult:
    """Probability that a storm's wind of 34, 50 or 64 kt reaches each region during the forecast: the share of ensemble
    members whose wind field (radii by quadrant) touches it, with the earliest and median time of arrival.

    Args:
        regions: Regions to test.
        storm_id: ATCF id; default: any storm of the run.
        wind_kt: Threshold of sustained wind.
        init_time: Start of the run, UTC; default: the newest.
    """
    from gra_geo.inputs import read_regions
    from gra_skill_tropical_cyclones.forecast import strike_table
    from gra_skill_tropical_cyclones.runs import of_storm, read_run

    read = read_regions(ctx, regions)
    frame, start = read_run(ctx, init_time, "ensemble")
    tracks = of_storm(frame, storm_id) if storm_id.strip() else frame
    table, count, unknown = strike_table(tracks, read.frame, wind_kt)
    notes = [*read.notes, NOTICE]
    if unknown:
        notes.append(
            f"{unknown} member positions with {wind_kt} kt or more have no wind radii and count as no strike: probabilities are low"
        )
    columns = {
        "probability": Column(unit="1", quantity="rate"),
        "members": Column(unit="1", quantity="count"),
    }
    saved = ctx.save(table, name=f"strike-{wind_kt}kt", columns=columns, time_zone="UTC")
    from gra_geo.frames import rows_of

    content = {
        "init_time": start.isoformat(),
        "storm_id": storm_id.strip().upper() or "any",
        "wind_kt": wind_kt,
        "members": count,
        "regions": rows_of(table.sort_values(["probability", "region_id"], ascending=[False, True]), 50),
    }
    return ToolResult.ok(content, datasets=[saved], notes=notes)
