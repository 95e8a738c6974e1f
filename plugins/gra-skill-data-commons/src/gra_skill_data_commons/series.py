"""Values of one variable over time."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from gra_core import ToolError
from gra_skill_data_commons.table import plain

DATE = re.compile(r"^\d{4}(-\d{2}(-\d{2})?)?$")
POINTS_SHOWN = 60


def check_date(name: str, value: str, *, latest: bool = False) -> str:
    """A date as sources take it; ``bad_argument`` says what is expected."""
    value = value.strip()
    if not value or DATE.match(value) or (latest and value.casefold() == "latest"):
        return value.casefold() if latest else value
    wanted = "a year, month or day such as 2020, 2020-05 or 2020-05-31" + (", or latest" if latest else "")
    raise ToolError("bad_argument", f"{name}: expected {wanted}, got {value!r}")


def check_period(start: str, end: str) -> tuple[str, str]:
    """Both ends of a period, in order."""
    start, end = check_date("start", start), check_date("end", end)
    length = min(len(start), len(end))
    if start and end and start[:length] > end[:length]:
        raise ToolError("bad_argument", f"start {start} is after end {end}", hint="swap them")
    return start, end


def series_content(
    frame: pd.DataFrame, region_ids: list[str]
) -> tuple[list[dict[str, Any]], list[str], list[str]]:
    """One entry a region (first, last, change, its latest values), the regions without values, and notes."""
    entries, notes = [], []
    for region in region_ids:
        rows = frame[frame["region_id"] == region].sort_values("date")
        if not rows.empty:
            entries.append(_entry(rows))
            if len(rows) > POINTS_SHOWN:
                notes.append(
                    f"{entries[-1]['name']}: the last {POINTS_SHOWN} of {len(rows)} values are shown, all are in the dataset"
                )
    found = set(frame["region_id"])
    if len({e["facet"] for e in entries}) > 1:
        notes.append("the regions' series come from different facets: their levels may not compare")
    return entries, [r for r in region_ids if r not in found], notes


def _entry(rows: pd.DataFrame) -> dict[str, Any]:
    first, last = rows.iloc[0], rows.iloc[-1]
    lowest, highest = rows.loc[rows["value"].idxmin()], rows.loc[rows["value"].idxmax()]
    change = float(last["value"] - first["value"])
    return {
        "region_id": first["region_id"], "name": first["region_name"], "unit": first["unit"] or "", "facet": first["facet"],
        "source": first["source"], "count": len(rows), "first": _point(first), "last": _point(last),
        "min": _point(lowest), "max": _point(highest), "change": plain(change),
        "change_pct": round(100 * change / abs(float(first["value"])), 6) if first["value"] else None,
        "values": [[d, plain(v)] for d, v in zip(rows["date"], rows["value"], strict=True)][-POINTS_SHOWN:],
    }  # fmt: skip


def _point(row: Any) -> dict[str, Any]:
    return {"date": row["date"], "value": plain(row["value"])}
