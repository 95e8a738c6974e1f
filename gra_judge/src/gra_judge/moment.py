"""Dates and times of an answer, and how far apart two of them are."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?([a-z]{3,9})\.?,?\s+(\d{4})")
MONTH_FIRST = re.compile(r"([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")
CLOCK = re.compile(
    r"(?:[t,]|\bat\b)?\s*(\d{1,2}):?(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(am|pm)?\s*(z|utc|gmt|[+-]\d{2}:?\d{2})?"
)


def read_moment(value: Any) -> dt.date | dt.datetime | None:
    """A date, or a UTC time when the text has a time of day (without zone it is UTC); else None.

    ISO dates and dates with the month's English name are read. ``03/04/2020`` is not: nobody can say which month.
    """
    if not isinstance(value, str):
        return None
    text = value.strip().strip(".!").casefold()
    found = _date(text)
    if found is None:
        return None
    day, rest = found
    return day if not rest else _with_clock(day, rest)


def hours_apart(reference: dt.date | dt.datetime, value: dt.date | dt.datetime) -> float:
    """How far a value is from the reference, at the reference's precision: a bare day stands for its midnight."""
    if isinstance(reference, dt.datetime):
        return abs((_time(value) - reference).total_seconds()) / 3600
    day = value.date() if isinstance(value, dt.datetime) else value
    return abs((day - reference).days) * 24.0


def _time(moment: dt.date | dt.datetime) -> dt.datetime:
    if isinstance(moment, dt.datetime):
        return moment
    return dt.datetime(moment.year, moment.month, moment.day, tzinfo=dt.UTC)


def _date(text: str) -> tuple[dt.date, str] | None:
    """The date a text begins with, and the rest of the text."""
    text = re.sub(r"^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+", "", text)
    for pattern, order in ((ISO, "ymd"), (DAY_FIRST, "dmy"), (MONTH_FIRST, "mdy")):
        if match := pattern.match(text):
            parts = dict(zip(order, match.groups(), strict=True))
            month = parts["m"] if parts["m"].isdigit() else str(_month(parts["m"]))
            try:
                return dt.date(int(parts["y"]), int(month), int(parts["d"])), text[match.end() :].strip()
            except ValueError:
                return None
    return None


def _month(name: str) -> int:
    return MONTHS.index(name[:3]) + 1 if name[:3] in MONTHS else 0


def _with_clock(day: dt.date, rest: str) -> dt.datetime | None:
    match = CLOCK.fullmatch(rest)
    if match is None:
        return None
    hour, minute, second = (int(part or 0) for part in match.groups()[:3])
    if match[4]:
        hour = hour % 12 + (12 if match[4] == "pm" else 0)
    zone = match[5] if match[5] and match[5][0] in "+-" else "+00:00"
    offset = dt.timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:])) * (-1 if zone[0] == "-" else 1)
    try:
        return dt.datetime(day.year, day.month, day.day, hour, minute, second, tzinfo=dt.UTC) - offset
    except (ValueError, OverflowError):
        return None
