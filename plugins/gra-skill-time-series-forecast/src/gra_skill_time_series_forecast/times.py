"""Times in tables: read from years, ISO text or time stamps, and written back as they came."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen

from gra_core import ToolError

YEAR, MONTH, QUARTER = (
    re.compile(r"^\d{4}$"),
    re.compile(r"^\d{4}-\d{2}$"),
    re.compile(r"^(\d{4})[- ]?Q([1-4])$", re.I),
)
WANTED = "years (2020), months (2020-05), quarters (2020-Q2), days (2020-05-31) or ISO times"


@frozen(kw_only=True)
class Times:
    """Time stamps without a zone, in the order of the rows, and how they were written: ``year``, ``month``,
    ``quarter``, ``day`` or ``time``."""

    stamps: pd.Series
    style: str
    notes: tuple[str, ...] = ()


def read_times(column: pd.Series, name: str) -> Times:
    """Times of a column; ``bad_argument`` names the first value that is none. Local times keep their clock time."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return _stamped(column, name)
    if pd.api.types.is_bool_dtype(column):
        raise _wrong(name, column.iloc[0])
    if pd.api.types.is_numeric_dtype(column):
        return _years(column, name)
    texts = column.map(lambda v: v if v is None or isinstance(v, str) else _text(v))
    return _parsed(texts.astype("string").str.strip(), name)


def _text(value: Any) -> str | None:
    if isinstance(value, float):
        return None if np.isnan(value) else (str(int(value)) if value.is_integer() else str(value))
    return None if value is pd.NaT else str(value)


def _stamped(column: pd.Series, name: str) -> Times:
    notes: tuple[str, ...] = ()
    zone = getattr(column.dt, "tz", None)
    if zone is not None:
        column = column.dt.tz_localize(None)
        notes = (f"{name}: clock times of zone {zone} are used as they are",)
    _no_missing(column, name)
    whole = (column == column.dt.normalize()).all()
    return Times(stamps=column.astype("datetime64[ns]"), style="day" if whole else "time", notes=notes)


def _years(column: pd.Series, name: str) -> Times:
    _no_missing(column, name)
    wrong = column[(column % 1 != 0) | (column < 1000) | (column > 2999)]
    if len(wrong):
        raise _wrong(name, wrong.iloc[0])
    return Times(
        stamps=pd.to_datetime(column.astype("int64").astype(str) + "-01-01").astype("datetime64[ns]"),
        style="year",
    )


def _parsed(texts: pd.Series, name: str) -> Times:
    _no_missing(texts, name)
    style = "time"
    for label, pattern in (("year", YEAR), ("month", MONTH), ("quarter", QUARTER)):
        if texts.map(lambda t, pattern=pattern: bool(pattern.match(t))).all():
            style = label
    if style == "year":
        texts = texts + "-01-01"
    elif style == "month":
        texts = texts + "-01"
    elif style == "quarter":
        parts = texts.str.extract(QUARTER)
        texts = parts[0] + "-" + ((parts[1].astype(int) - 1) * 3 + 1).astype(str).str.zfill(2) + "-01"
    stamps = pd.to_datetime(texts.astype(object), format="ISO8601", errors="coerce", utc=True)
    if stamps.isna().any():
        raise _wrong(name, texts[stamps.isna()].iloc[0])
    notes: tuple[str, ...] = ()
    if texts.str.contains(r"T?\d{2}:\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$").any():
        notes = (f"{name}: times with an offset are taken in UTC",)
    stamps = stamps.dt.tz_localize(None).astype("datetime64[ns]")
    if style == "time" and (stamps == stamps.dt.normalize()).all():
        style = "day"
    return Times(stamps=stamps, style=style, notes=notes)


def _no_missing(column: pd.Series, name: str) -> None:
    if column.isna().any():
        row = int(np.nonzero(column.isna().to_numpy())[0][0]) + 1
        raise ToolError(
            "bad_argument", f"{name}: row {row} has no time", hint="drop rows without a time first"
        )


def _wrong(name: str, value: Any) -> ToolError:
    return ToolError("bad_argument", f"{name}: {value!r} is not a time", hint=f"expected {WANTED}")


def write_time(stamp: pd.Timestamp, style: str) -> str:
    """A time stamp in a style of `Times`."""
    if style == "quarter":
        return f"{stamp.year:04d}-Q{stamp.quarter}"
    if style == "time":
        return stamp.isoformat()
    return stamp.strftime({"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}[style])
