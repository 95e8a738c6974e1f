"""Series of a table: one per group, in order of time, on a regular grid when models need it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen

from gra_core import Column, ToolContext, ToolError
from gra_skill_time_series_forecast.frequency import Frequency, infer_frequency
from gra_skill_time_series_forecast.times import read_times

MAX_ROWS = 1_000_000
MAX_GROUPS = 500
# More missing steps than this are not filled in.
MOST_FILLED = 1 / 3


@frozen(kw_only=True)
class Series:
    """The observations of one group: distinct times in order, and finite values. `style` is how times are written."""

    group: str
    times: pd.Series
    values: np.ndarray
    style: str

    def frequency(self) -> Frequency | None:
        return infer_frequency(self.times)


@frozen(kw_only=True)
class Grid:
    """A series at every step of its frequency; gaps are filled on a straight line, `filled` of them."""

    group: str
    start: pd.Timestamp
    end: pd.Timestamp
    values: np.ndarray
    frequency: Frequency
    style: str
    filled: int


@frozen(kw_only=True)
class Table:
    """What a tool read: series by group, the column's unit and quantity when known, and notes."""

    series: list[Series]
    column: Column
    notes: list[str]


def read_table(
    ctx: ToolContext, table: str | list[dict[str, Any]], time_col: str, value_col: str, group_col: str = ""
) -> Table:
    """Series from a ``ds://`` table or inline rows; `ToolError` for missing columns, unreadable times or values, and
    two different values at one time of a group. Rows without a value are left out, with a note."""
    frame, column = _load(ctx, table, value_col)
    for name in [time_col, value_col, *([group_col] if group_col else [])]:
        if name not in frame.columns:
            known = ", ".join(map(str, frame.columns))
            raise ToolError("bad_argument", f"the table has no column {name!r}", hint=f"its columns: {known}")
    if not 0 < len(frame) <= MAX_ROWS:
        raise ToolError("bad_argument", f"the table has {len(frame)} rows, expected 1 to {MAX_ROWS}")
    times = read_times(frame[time_col].reset_index(drop=True), time_col)
    values = _numbers(frame[value_col].reset_index(drop=True), value_col)
    groups = (
        _groups(frame[group_col].reset_index(drop=True), group_col)
        if group_col
        else pd.Series("", index=values.index)
    )
    notes = list(times.notes)
    data = pd.DataFrame({"group": groups, "time": times.stamps, "value": values})
    if missing := int(data["value"].isna().sum()):
        notes.append(f"{missing} rows without a value are left out")
        data = data.dropna(subset=["value"])
    if repeated := int(data.duplicated().sum()):
        notes.append(f"{repeated} repeated rows are left out")
        data = data.drop_duplicates()
    _refuse_conflicts(data, group_col)
    data = data.sort_values(["group", "time"], kind="stable")
    series = [
        Series(
            group=str(name),
            times=part["time"].reset_index(drop=True),
            values=part["value"].to_numpy(float),
            style=times.style,
        )
        for name, part in data.groupby("group", sort=True)
    ]
    if not series:
        raise ToolError(
            "bad_argument", f"column {value_col!r} has no values", hint="check the table with inspect_dataset"
        )
    if len(series) > MAX_GROUPS:
        raise ToolError(
            "bad_argument",
            f"{len(series)} groups, at most {MAX_GROUPS} a call",
            hint="filter the table, or aggregate groups",
        )
    return Table(series=series, column=column, notes=notes)


def _load(ctx: ToolContext, table: str | list[dict[str, Any]], value_col: str) -> tuple[pd.DataFrame, Column]:
    if isinstance(table, list):
        return pd.DataFrame(table), Column()
    loaded = ctx.load(table)
    if isinstance(loaded, list):
        loaded = pd.DataFrame(loaded)
    if not isinstance(loaded, pd.DataFrame):
        raise ToolError(
            "bad_argument",
            f"{table} is not a table but {type(loaded).__name__}",
            hint="give a table with a time and a value column",
        )
    return pd.DataFrame(loaded), ctx.dataset(table).manifest.columns.get(value_col, Column())


def _numbers(column: pd.Series, name: str) -> pd.Series:
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
        raise ToolError(
            "bad_argument", f"column {name!r} holds no numbers", hint="choose the column with the values"
        )
    numbers = pd.to_numeric(column, errors="coerce").astype("float64")
    wrong = column[numbers.isna() & column.notna() & (column.astype("string").str.strip() != "")]
    if len(wrong):
        raise ToolError(
            "bad_argument", f"column {name!r}: {wrong.iloc[0]!r} (row {wrong.index[0] + 1}) is not a number"
        )
    return numbers.replace([np.inf, -np.inf], np.nan)


def _groups(column: pd.Series, name: str) -> pd.Series:
    if column.isna().any():
        raise ToolError(
            "bad_argument", f"column {name!r} has rows without a group", hint="fill or drop them first"
        )
    return column.astype(str)


def _refuse_conflicts(data: pd.DataFrame, group_col: str) -> None:
    twice = data[data.duplicated(["group", "time"], keep=False)]
    if len(twice):
        first = twice.iloc[0]
        shown = ", ".join(
            f"{v:g}"
            for v in twice[(twice["group"] == first["group"]) & (twice["time"] == first["time"])][
                "value"
            ].head(4)
        )
        where = f" in group {first['group']!r}" if group_col else ""
        raise ToolError(
            "bad_argument", f"several values at {first['time']}{where}: {shown}",
            hint="aggregate them first (query_table)" if group_col else "name the column that tells the series apart in group_col, or aggregate first",
        )  # fmt: skip


def to_grid(series: Series) -> tuple[Grid, list[str]]:
    """The series at every step, with notes on what was filled; `ToolError` for irregular times or too many gaps."""
    label = f"series {series.group!r}: " if series.group else ""
    if len(series.values) < 2:
        raise ToolError(
            "bad_argument",
            f"{label}{len(series.values)} value, too few for a forecast",
            hint="give at least 4 values",
        )
    frequency = series.frequency()
    positions = frequency.positions(series.times) if frequency else None
    if frequency is None or positions is None:
        raise ToolError(
            "bad_argument", f"{label}the times have no regular step ({series.times.iloc[0]} … {series.times.iloc[-1]})",
            hint="aggregate to days, months or years first (query_table); test_trend works on irregular times",
        )  # fmt: skip
    steps = int(positions[-1]) + 1
    filled = steps - len(positions)
    if filled > MOST_FILLED * steps:
        raise ToolError(
            "bad_argument", f"{label}{filled} of {steps} {frequency.label} steps have no value",
            hint="aggregate to a coarser step first, or cut the period",
        )  # fmt: skip
    values = np.interp(np.arange(steps), positions, series.values)
    notes = (
        [f"{label}{filled} of {steps} {frequency.label} steps were filled on a straight line"]
        if filled
        else []
    )
    grid = Grid(
        group=series.group, start=series.times.iloc[0], end=series.times.iloc[-1], values=values, frequency=frequency,
        style=series.style, filled=filled,
    )  # fmt: skip
    return grid, notes
