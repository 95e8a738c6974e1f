"""Storms active at a moment: from best tracks for the past, from advisories and model runs for now."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pandas as pd
from attrs import field, frozen

from gra_core import ToolContext, ToolError
from gra_geo.frames import rows_of
from gra_skill_tropical_cyclones.category import label, saffir_simpson
from gra_skill_tropical_cyclones.times import now
from gra_skill_tropical_cyclones.tracks import load_fixes

RECENT = dt.timedelta(days=1)
NO_CYCLONE = (-3, -4)
FIX_SHOWN = [
    "storm_id",
    "name",
    "basin",
    "time",
    "lon",
    "lat",
    "wind_kt",
    "pressure_hpa",
    "status",
    "category",
]


@frozen(kw_only=True)
class Activity:
    """The storms found, who says so, and what to know about it."""

    storms: list[dict[str, Any]]
    source: str
    notes: list[str] = field(factory=list)


def active_storms(ctx: ToolContext, start: dt.datetime, end: dt.datetime, basin: str) -> Activity:
    """Storms active between two times (UTC): best tracks as far as they go, else the sources for now."""
    if start > now():
        raise ToolError(
            "bad_argument",
            f"as_of {start:%Y-%m-%d %H:%M} UTC is in the future",
            hint="use get_cyclone_forecast for the days ahead",
        )
    if end >= now() - RECENT:
        return _now(ctx, basin)
    return _past(ctx, start, end, basin)


def _past(ctx: ToolContext, start: dt.datetime, end: dt.datetime, basin: str) -> Activity:
    source = ctx.source("cyclones")
    coverage = source.coverage()
    if not coverage["first_season"] <= start.year <= coverage["last_season"]:
        raise ToolError(
            "not_available", f"source {source.name} covers the seasons {coverage['first_season']} to {coverage['last_season']}, not {start:%Y-%m-%d}",
            hint="set path of source ibtracs-csv to a newer IBTrACS file, or ask for a covered date",
        )  # fmt: skip
    fixes = load_fixes(ctx, seasons=[start.year, start.year + 1])
    storms = [s for _, track in fixes.groupby("storm_id", sort=True) if (s := _at(track, start, end))]
    mine = [s for s in storms if not basin or s["basin"] == basin]
    kept = [s for s in mine if s["category"] not in NO_CYCLONE]
    notes = [
        "best-track positions: analysed after the season, they differ from what was reported at the time"
    ]
    if left := [s["storm_id"] for s in mine if s["category"] in NO_CYCLONE]:
        notes.append(f"left out as disturbances or post-tropical at that time: {', '.join(left)}")
    return Activity(storms=kept, source=f"{source.name} (best tracks)", notes=notes)


def _at(track: pd.DataFrame, start: dt.datetime, end: dt.datetime) -> dict[str, Any] | None:
    """The strongest fix in a period, or at an instant the last one before it while the track goes on.

    A storm that was a cyclone for a part of the period is shown as one, whatever winds it had before or after.
    """
    inside = track[(track["time"] >= start) & (track["time"] <= end)]
    if inside.empty:
        before, after = track[track["time"] < start], track[track["time"] > end]
        if before.empty or after.empty:
            return None
        inside = before.tail(1)
    cyclone = inside[~inside["category"].isin(NO_CYCLONE)]
    best = (
        (inside if cyclone.empty else cyclone)
        .sort_values(["wind_kt", "time"], ascending=[False, True], na_position="last", kind="stable")
        .head(1)
    )
    [row] = rows_of(best, 1, FIX_SHOWN)
    category = row["category"] if row["category"] is not None else -5
    return row | {"category": category, "class": label(category)}


def _now(ctx: ToolContext, basin: str) -> Activity:
    storms: list[dict[str, Any]] = []
    notes, names, faults = [], [], []
    covered: list[str] = []
    try:
        source = ctx.source("cyclone-advisories")
        covered = source.basins()
        if not basin or basin in covered:
            storms += _advisories(source.active())
            names.append(f"{source.name} (advisories)")
    except ToolError as error:
        covered, faults = [], [error]
    if not basin or basin not in covered:
        try:
            found, run = _from_model(ctx, covered)
            storms += found
            names.append(run)
            notes.append(
                "storms outside the advisories' basins are positions at the start of a model run, not official analyses"
            )
        except ToolError as error:
            faults.append(error)
    if not names:
        raise faults[0]
    notes += [f"not asked: {fault.message}" for fault in faults]
    kept = [s for s in storms if not basin or s["basin"] == basin]
    return Activity(storms=kept, source=", ".join(names), notes=notes)


def _advisories(frame: pd.DataFrame) -> list[dict[str, Any]]:
    rows = rows_of(frame, len(frame))
    for row in rows:
        row["category"] = (
            saffir_simpson(row["wind_kt"]) if row["classification"] in ("HU", "MH", "TS", "TD") else -5
        )
        row["class"] = label(row["category"]) if row["category"] > -5 else row["classification"]
    return rows


def _from_model(ctx: ToolContext, covered: list[str]) -> tuple[list[dict[str, Any]], str]:
    from gra_skill_tropical_cyclones.runs import basin_of, latest_run

    frame, init_time = latest_run(ctx, "ensemble_mean")
    first = frame.sort_values("lead_hours", kind="stable").drop_duplicates("storm_id").sort_values("storm_id")
    first = first[first["lead_hours"] <= 6.0].assign(
        basin=lambda t: [basin_of(s, x) for s, x in zip(t["storm_id"], t["lon"], strict=True)]
    )
    first = first[~first["basin"].isin(covered)].rename(columns={"valid_time": "time"})
    rows = rows_of(first, len(first), ["storm_id", "basin", "time", "lon", "lat", "wind_kt", "pressure_hpa"])
    rows = [
        r | {"category": saffir_simpson(r["wind_kt"]), "class": label(saffir_simpson(r["wind_kt"]))}
        for r in rows
    ]
    return rows, f"{ctx.source('cyclone-forecasts').name} (run of {init_time:%Y-%m-%d %H:%M})"
