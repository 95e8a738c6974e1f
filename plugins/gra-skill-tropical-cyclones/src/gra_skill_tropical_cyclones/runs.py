"""Model runs of kind ``cyclone-forecasts``: which one, and which storm in it."""

from __future__ import annotations

import datetime as dt

import pandas as pd

from gra_core import ToolContext, ToolError
from gra_skill_tropical_cyclones.times import now

CYCLE_H = 6
TRIED_CYCLES = 8
_BASINS = {
    "AL": "NA",
    "EP": "EP",
    "CP": "EP",
    "WP": "WP",
    "IO": "NI",
    "AA": "NI",
    "BB": "NI",
    "LS": "SA",
    "SL": "SA",
}


def latest_run(ctx: ToolContext, product: str) -> tuple[pd.DataFrame, dt.datetime]:
    """The newest run there is, looked for over two days back; ``not_found`` when there is none."""
    source = ctx.source("cyclone-forecasts")
    present = now()
    cycle = present.replace(hour=present.hour // CYCLE_H * CYCLE_H, minute=0, second=0, microsecond=0)
    for _ in range(TRIED_CYCLES):
        try:
            return source.forecast(init_time=cycle.isoformat(), product=product), cycle
        except ToolError as error:
            if error.kind != "not_found":
                raise
        cycle -= dt.timedelta(hours=CYCLE_H)
    raise ToolError(
        "not_found",
        f"source {source.name} has no run of the last {TRIED_CYCLES * CYCLE_H} hours",
        hint="give init_time of an older run",
    )


def read_run(ctx: ToolContext, init_time: str, product: str) -> tuple[pd.DataFrame, dt.datetime]:
    """The run that starts at a time (UTC, 00, 06, 12 or 18 h), or the newest one."""
    text = init_time.strip()
    if not text or text.casefold() == "latest":
        return latest_run(ctx, product)
    try:
        start = dt.datetime.fromisoformat(text)
    except ValueError:
        raise ToolError(
            "bad_argument",
            f"init_time {init_time!r} is not a time",
            hint="give 2025-10-25T06:00 (UTC), or latest",
        ) from None
    start = start.astimezone(dt.UTC).replace(tzinfo=None) if start.tzinfo else start
    if start.hour % CYCLE_H or start.minute or start.second:
        raise ToolError("bad_argument", f"init_time {init_time!r}: runs start at 00, 06, 12 and 18 UTC")
    return ctx.source("cyclone-forecasts").forecast(init_time=start.isoformat(), product=product), start


def of_storm(frame: pd.DataFrame, storm_id: str) -> pd.DataFrame:
    """The tracks of one storm of a run; ``not_found`` lists the storms that are in it."""
    wanted = storm_id.strip().upper()
    found = frame[frame["storm_id"].str.upper() == wanted]
    if found.empty:
        known = ", ".join(sorted(frame["storm_id"].unique())) or "none"
        raise ToolError(
            "not_found", f"the run has no storm {storm_id!r}", hint=f"storms in it (ATCF ids): {known}"
        )
    return found


def basin_of(storm_id: str, lon: float) -> str:
    """IBTrACS basin of an ATCF id; the southern hemisphere (SH) is split at 135°E, and at 70°W from the Atlantic."""
    code = storm_id[:2].upper()
    if code in ("SH", "SI", "SP"):
        return "SA" if -70.0 <= lon < 20.0 else "SI" if 10.0 <= lon < 135.0 else "SP"
    return _BASINS.get(code, code if code in ("NA", "WP", "NI", "SA") else "")
