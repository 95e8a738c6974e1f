"""What unfinished attempts have cost: calls of trials that a kill or a quota cut off were paid for as well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gra_bench.scores import read_judge_calls, read_scores
from gra_bench.store import read_events, read_results
from gra_bench.summary import add_usage


def unfinished_judging(folder: Path) -> dict[str, Any]:
    """Ratings that were cut off: their number, requests to the judge and usage."""
    finished = {record["session"] for record in read_scores(folder)}
    cut_off = [call for call in read_judge_calls(folder) if call["session"] not in finished]
    return {
        "ratings": len({call["session"] for call in cut_off}),
        "judge_calls": len(cut_off),
        "judge_usage": add_usage(usage for call in cut_off for usage in call["requests"]),
    }


def unfinished_usage(folder: Path) -> dict[str, Any]:
    """Attempts without a result: their number, model calls and usage, from the event log."""
    finished = {r["attempt"] for r in read_results(folder).values()}
    attempts: set[str] = set()
    calls = 0
    usages: list[dict[str, Any]] = []
    for event in read_events(folder):
        if event["attempt"] in finished:
            continue
        attempts.add(event["attempt"])
        if event["kind"] in ("model_replied", "model_failed"):
            calls += 1
            usages += event["data"].get("requests", [])
    return {"attempts": len(attempts), "model_calls": calls, "usage": add_usage(usages)}
