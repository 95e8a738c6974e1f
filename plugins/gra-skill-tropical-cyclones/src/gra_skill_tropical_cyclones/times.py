"""Times and years given to tools."""

from __future__ import annotations

import datetime as dt
import re

from gra_core import ToolError

FIRST_YEAR = 1842
DAY = re.compile(r"^\d{4}-\d{2}-\d{2}$")


def now() -> dt.datetime:
    """The present, UTC, without a zone (as all times of this package)."""
    return dt.datetime.now(dt.UTC).replace(tzinfo=None)


def read_years(years: list[int]) -> tuple[int, int]:
    """First and last year of ``[year]`` or ``[first, last]``."""
    if len(years) not in (1, 2) or any(not FIRST_YEAR <= y <= now().year + 1 for y in years):
        raise ToolError(
            "bad_argument",
            f"years {years!r}: expected one year or [first, last], from {FIRST_YEAR} on",
            hint="such as [1990, 2020]",
        )
    if years[0] > years[-1]:
        raise ToolError("bad_argument", f"years {years!r}: the first is after the last", hint="swap them")
    return years[0], years[-1]


def read_moment(text: str) -> tuple[dt.datetime, dt.datetime]:
    """Start and end (UTC) of a moment: a time is an instant, a date the whole UTC day, nothing is now."""
    text = text.strip()
    if not text or text.casefold() in ("now", "latest"):
        return now(), now()
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise ToolError(
            "bad_argument",
            f"as_of {text!r} is not a date or time",
            hint="give 2005-08-28 (the UTC day) or 2005-08-28T18:00 (UTC)",
        ) from None
    if moment.tzinfo is not None:
        moment = moment.astimezone(dt.UTC).replace(tzinfo=None)
    if DAY.match(text):
        return moment, moment + dt.timedelta(hours=23, minutes=59, seconds=59)
    return moment, moment
