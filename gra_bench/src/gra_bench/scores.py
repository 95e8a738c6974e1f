"""Scores beside the results of a run: append-only, one line a score, and one line a request to a judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from gra_bench.log import Log, read_lines
from gra_bench.store import SCHEMA_VERSION
from gra_bench.summary import add_usage

View = tuple[str | None, str | None, int]


class ScoreStore:
    """The score files of one run directory, opened by the process that holds its lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._scores = Log(folder / "scores.jsonl")
        self._calls = Log(folder / "judge.jsonl")

    def note(self, call: dict[str, Any]) -> None:
        """Append a request to a judge; it survives a kill of the process."""
        self._calls.append(call)

    def finish(self, record: dict[str, Any]) -> None:
        """Make a score finished: the requests it took, then the score, on disk."""
        self._calls.sync()
        self._scores.append({"schema_version": SCHEMA_VERSION, **record})
        self._scores.sync()

    def close(self) -> None:
        self._scores.close()
        self._calls.close()


def read_scores(folder: Path) -> list[dict[str, Any]]:
    """All scores in the order made; of several with one identity the last one counts."""
    return list(read_lines(folder / "scores.jsonl"))


def read_judge_calls(folder: Path) -> Iterable[dict[str, Any]]:
    """Requests to judges in the order made."""
    return read_lines(folder / "judge.jsonl")


def cut_off_calls(folder: Path) -> list[dict[str, Any]]:
    """Requests to judges of ratings that were cut off, but for those that a finished rating has used again."""
    finished = {record["session"] for record in read_scores(folder)}
    calls = list(read_judge_calls(folder))
    used = {
        (call["paid_by"], call["pass"], call["request"])
        for call in calls
        if "paid_by" in call and call["session"] in finished
    }
    return [
        call
        for call in calls
        if call["session"] not in finished
        and "paid_by" not in call
        and (call["session"], call["pass"], call.get("request")) not in used
    ]


class Views:
    """How a run has been scored: one view for each scorer, judge and number of passes."""

    def __init__(self, scores: Iterable[dict[str, Any]]) -> None:
        self._found: dict[str, dict[View, dict[str, dict[str, Any]]]] = {}
        for record in scores:
            view = (record["scorer"], record["judge"], record["passes"])
            kept = self._found.setdefault(record["benchmark"], {}).setdefault(view, {})
            kept[record["trial"]] = _after(kept.get(record["trial"]), record)

    def of(self, result: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """A result once for each view of its benchmark, that of the run's own scorer first.

        Each carries ``scorer``, ``judge``, ``judge_passes``, the score and what judging cost; one that such a scorer has
        not scored yet is ``pending``. Newer scores of the default scorer take the place of those of the run.
        """
        found = self._found.get(result["benchmark"], {})
        default: View = (result.get("scorer"), None, 0)
        if default[0] is not None or not found:
            found = {default: found.get(default, {}), **found}
        for view, records in found.items():
            yield _scored(result, view, records.get(result["trial"]), original=view == default)


def scored_results(
    results: Iterable[dict[str, Any]], scores: Iterable[dict[str, Any]], scorer: str | None = None
) -> list[dict[str, Any]]:
    """All results in all their views (see `Views.of`); `scorer` keeps only one scorer's."""
    views = Views(scores)
    return [r for result in results for r in views.of(result) if scorer in (None, r["scorer"])]


def _after(before: dict[str, Any] | None, record: dict[str, Any]) -> dict[str, Any]:
    """A newer score, with what the older ones of the same trial have cost added: it was paid for too."""
    if before is None:
        return record
    costs = [before["judge_cost_usd"], record["judge_cost_usd"]]
    total = None if None in costs else str(sum((Decimal(str(c)) for c in costs), Decimal(0)))
    return record | {
        "judge_calls": before["judge_calls"] + record["judge_calls"],
        "judge_usage": add_usage([before["judge_usage"], record["judge_usage"]]),
        "judge_cost_usd": total,
    }


def _scored(
    result: dict[str, Any], view: View, record: dict[str, Any] | None, *, original: bool
) -> dict[str, Any]:
    scorer, judge, passes = view
    fields: dict[str, Any] = {"scorer": scorer, "judge": judge, "judge_passes": passes, "pending": False}
    if record is not None and record["attempt"] == result["attempt"]:
        keys = ("score", "scoring", "judge_calls", "judge_usage", "judge_cost_usd")
        return result | fields | {k: record[k] for k in keys}
    if original:
        return result | fields
    return result | fields | {"score": None, "scoring": None, "pending": True}
