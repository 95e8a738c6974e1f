"""Ratings by people and a judge, from a CSV file in one of two forms.

Wide: a column of traces, a column for each rater, a column of the judge. Long: columns ``trace``, ``rater`` and ``rating``,
where one of the raters is the judge. An empty cell is a missing rating.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from gra_core import UsageError

TRACE_NAMES = ("trace", "trial", "id")
JUDGE_NAMES = ("judge", "autorater")
WORDS = {"good": 1.0, "partial": 0.5, "poor": 0.0}
FORMS = "a wide table (trace, one column for each rater, judge) or a long one (trace, rater, rating)"


@frozen(kw_only=True)
class Ratings:
    """Ratings from 0 to 1 by rater, in the order of the traces; None is missing. `judge` are the judge's scores."""

    traces: tuple[str, ...]
    values: dict[str, tuple[float | None, ...]]
    judge: tuple[float | None, ...]

    @property
    def raters(self) -> tuple[str, ...]:
        return tuple(self.values)


def read_ratings(
    path: Path,
    *,
    judge: str | None = None,
    scale: float = 1.0,
    scores: Mapping[str, float | None] | None = None,
) -> Ratings:
    """Read a file. `judge` names the judge's column or rater (by default judge or autorater), unless its `scores` are
    given by trace (then that column is not used); `scale` is the highest rating where they are numbers (0 is the lowest).

    `UsageError` names the line of whatever cannot be used: an unknown form, a rating that is none, a rating given twice,
    fewer than two raters, a trace that nobody rated, a missing judge.
    """
    cells = _cells(path, scale)
    raters = dict.fromkeys(rater for _, rater in cells)
    name = _judge_of(path, list(raters), judge, needed=scores is None)
    people = sorted((r for r in raters if r != name), key=list(raters).index)
    traces = tuple(dict.fromkeys(trace for trace, _ in cells))
    if len(people) < 2:
        raise UsageError(
            f"{path}: {len(people)} rater beside the judge ({', '.join(people) or 'none'}); at least 2 are needed"
        )
    for trace in traces:
        if all(cells.get((trace, rater)) is None for rater in people):
            raise UsageError(f"{path}: nobody rated trace {trace!r}", hint="leave the trace out")
    if scores is not None:
        judged = tuple(scores.get(trace) for trace in traces)
        if all(score is None for score in judged):
            raise UsageError(
                f"{path}: the run has no score for any trace of the file", hint="traces are trial ids"
            )
    else:
        judged = tuple(cells.get((trace, str(name))) for trace in traces)
    values = {rater: tuple(cells.get((trace, rater)) for trace in traces) for rater in people}
    return Ratings(traces=traces, values=values, judge=judged)


def _cells(path: Path, scale: float) -> dict[tuple[str, str], float | None]:
    """The rating of each trace by each rater, the judge among them."""
    if not scale > 0 or math.isinf(scale):
        raise UsageError(f"scale {scale:g}: expected the highest rating, more than 0")
    header, rows = _table(path)
    names = [name.casefold() for name in header]
    long = {"rater", "rating"} <= set(names)
    place = next((names.index(n) for n in TRACE_NAMES if n in names), None)
    if place is None:
        raise UsageError(f"{path}: no column of traces among {', '.join(header)}", hint=f"expected {FORMS}")
    made: dict[tuple[str, str], float | None] = {}
    for number, row in rows:
        trace = row[place].strip()
        if not trace:
            raise UsageError(f"{path}, line {number}: the trace is empty")
        if long:
            given = [(row[names.index("rater")].strip(), row[names.index("rating")])]
        else:
            given = [(header[i], row[i]) for i in range(len(header)) if i != place]
        for rater, text in given:
            if not rater:
                raise UsageError(f"{path}, line {number}: the rater is empty")
            if (trace, rater) in made:
                raise UsageError(f"{path}, line {number}: trace {trace!r} was rated by {rater} before")
            made[trace, rater] = _rating(text, scale, f"{path}, line {number}, {rater}")
    return made


def _table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Header and rows with their line numbers; every row has as many cells as the header."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error}", hint="save it as CSV UTF-8") from error
    first = text.split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    try:
        reader = csv.reader(text.splitlines(), delimiter=separator, strict=True)
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UsageError(f"{path} is not CSV: {error}") from error
    if len(rows) < 2:
        raise UsageError(f"{path} has no ratings", hint=f"expected {FORMS}")
    header = [cell.strip() for cell in rows[0][1]]
    if len({name.casefold() for name in header}) < len(header) or "" in header:
        raise UsageError(f"{path}: every column needs a name of its own, got {', '.join(header)}")
    for number, row in rows[1:]:
        if len(row) != len(header):
            raise UsageError(f"{path}, line {number}: {len(row)} cells for {len(header)} columns")
    return header, rows[1:]


def _rating(text: str, scale: float, where: str) -> float | None:
    word = text.strip().casefold()
    if not word:
        return None
    if word in WORDS:
        return WORDS[word]
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not 0 <= value <= scale:
        hint = (
            "every column but the traces' is a rater"
            if math.isnan(value)
            else "--scale says what the highest is"
        )
        raise UsageError(
            f"{where}: {text.strip()!r} is not a rating; expected 0 to {scale:g}, or good, partial, poor",
            hint=hint,
        )
    return value / scale


def _judge_of(path: Path, raters: list[str], judge: str | None, *, needed: bool) -> str | None:
    wanted = [judge.casefold()] if judge else list(JUDGE_NAMES)
    found = next((r for name in wanted for r in raters if r.casefold() == name), None)
    if found is None and needed:
        names = judge or " or ".join(JUDGE_NAMES)
        raise UsageError(
            f"{path}: no judge called {names} among {', '.join(raters)}",
            hint="name its column with --judge-name",
        )
    return found
