"""The frequency of a series: its regular step, and how many steps a season has."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from attrs import frozen

# Steps in seconds that have a name and a usual season.
_NAMED = {
    604800: ("weekly", 52), 86400: ("daily", 7), 3600: ("hourly", 24), 1800: ("half-hourly", 48), 900: ("quarter-hourly", 96),
    10800: ("3-hourly", 8), 21600: ("6-hourly", 4), 43200: ("12-hourly", 2), 60: ("every minute", 60), 1: ("every second", 60),
}  # fmt: skip
_MONTHS = {1: ("monthly", 12), 3: ("quarterly", 4), 6: ("half-yearly", 2), 12: ("yearly", 1)}


@frozen(kw_only=True)
class Frequency:
    """A step of `count` units: ``month``, ``weekday`` (Monday to Friday) or ``second``. `month_end` marks months that
    are dated by their last day; `season` is the usual number of steps in a season (1 for none)."""

    unit: str
    count: int
    season: int
    label: str
    month_end: bool = False

    def positions(self, times: pd.Series) -> np.ndarray | None:
        """Step number of each time from the first (sorted times); None when a time is between two steps."""
        if self.unit == "month":
            number = _month_number(times)
        elif self.unit == "weekday":
            days = times.to_numpy().astype("datetime64[D]")
            number = np.busday_count(days[0], days)
        else:
            number = ((times - times.iloc[0]) // pd.Timedelta(seconds=1)).to_numpy()
        steps = number - number[0]
        return None if np.any(steps % self.count) else steps // self.count

    def after(self, start: pd.Timestamp, steps: int) -> pd.Timestamp:
        """The time some steps after another."""
        if self.unit == "month":
            moved = start + pd.DateOffset(months=self.count * steps)
            return moved + pd.offsets.MonthEnd(0) if self.month_end else moved
        if self.unit == "weekday":
            return start + pd.offsets.BDay(self.count * steps) if steps else start
        return start + pd.Timedelta(seconds=self.count * steps)


def infer_frequency(times: pd.Series) -> Frequency | None:
    """The frequency of sorted, distinct times without a zone; None for fewer than two or irregular ones.

    Calendar steps first (the same day of every month, or its last day), then weekdays, then equal steps in seconds:
    the commonest step, when all others are whole multiples of it.
    """
    if len(times) < 2:
        return None
    for infer in (_months, _weekdays, _seconds):
        if (frequency := infer(times)) is not None:
            return frequency
    return None


def _months(times: pd.Series) -> Frequency | None:
    ends = bool((times.dt.days_in_month == times.dt.day).all())
    same_clock = (times - times.dt.normalize()).nunique() == 1
    if not same_clock or not (ends or times.dt.day.nunique() == 1):
        return None
    steps = np.diff(_month_number(times))
    if np.any(steps <= 0):
        return None
    count = math.gcd(*map(int, steps))
    label, season = _MONTHS.get(
        count, (f"every {count // 12} years" if count % 12 == 0 else f"every {count} months", 1)
    )
    return Frequency(unit="month", count=count, season=season, label=label, month_end=ends)


def _month_number(times: pd.Series) -> np.ndarray:
    return (times.dt.year * 12 + times.dt.month).to_numpy()


def _weekdays(times: pd.Series) -> Frequency | None:
    """Daily without week-ends; a plain daily or weekly series is left to `_seconds`."""
    days = times.dt.normalize()
    if (times != days).any() or (times.dt.dayofweek > 4).any() or len(times) < 6:
        return None
    steps = np.diff(times.to_numpy()).astype("timedelta64[D]").astype(int)
    if np.median(steps) != 1 or (times.dt.dayofweek == 0).sum() == 0:
        return None
    return Frequency(unit="weekday", count=1, season=5, label="weekdays")


def _seconds(times: pd.Series) -> Frequency | None:
    steps = (np.diff(times.to_numpy()) / np.timedelta64(1, "s")).astype(float)
    if np.any(steps != np.round(steps)):
        return None
    values, counts = np.unique(steps.astype(int), return_counts=True)
    count = int(values[np.argmax(counts)])
    if np.any(values % count):
        return None
    label, season = _NAMED.get(count, (_described(count), 1))
    return Frequency(unit="second", count=count, season=season, label=label)


def _described(seconds: int) -> str:
    for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds % size == 0:
            return f"every {seconds // size} {name}"
    return f"every {seconds} seconds"
