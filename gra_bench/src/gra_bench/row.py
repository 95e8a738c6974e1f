"""Short forms of results: what summaries and lists of thousands need, without answers in full, plans and scoring."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gra_bench.log import read_lines

# `scores` has [view, score] for each view (a scorer, perhaps with a judge) that has scored the trial's benchmark.
COLUMNS = (
    "trial", "benchmark", "configuration", "model", "query", "repeat", "split", "template", "K", "domain", "tier",
    "status", "reason", "scores", "cost_usd", "seconds", "waited_s", "model_calls", "tool_calls", "tool_errors",
    "tokens", "tools", "answer", "query_hash",
)  # fmt: skip
MAX_ANSWER = 160
VIEW = ("benchmark", "scorer", "judge", "judge_passes")
_SAME = (
    "trial",
    "benchmark",
    "configuration",
    "model",
    "query",
    "repeat",
    "split",
    "template",
    "K",
    "domain",
    "tier",
)
_TOKENS = ("input", "cached", "output", "thinking", "tool_use")


_SCALARS = (
    "status", "reason", "cost_usd", "model_calls", "tools", "tool_errors", "seconds", "waited_s",
)  # fmt: skip


def brief(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what only its own page shows: a tenth of its size."""
    outcome = result["outcome"]
    kept = {name: outcome[name] for name in _SCALARS}
    kept["answer"] = outcome["answer"][: MAX_ANSWER + 1]
    for name in ("usage", "tool_usage"):
        kept[name] = {k: v for k, v in outcome[name].items() if v or k == "requests"}
    same = {
        name: result.get(name) for name in (*_SAME, "attempt", "cluster", "scorer", "score", "query_hash")
    }
    return same | {"outcome": kept}


def brief_results(folder: Path) -> dict[str, dict[str, Any]]:
    """Brief results by trial id; the last one of a trial counts."""
    return {record["trial"]: brief(record) for record in read_lines(folder / "results.jsonl")}


def short_rows(scored: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, list[Any]]]:
    """Views, and a row for each trial, from `gra_bench.scores.scored_results`: a trial once for each view."""
    views: dict[tuple[Any, ...], int] = {}
    rows: dict[str, list[Any]] = {}
    place = COLUMNS.index("scores")
    for result in scored:
        view = views.setdefault(tuple(result.get(name) for name in VIEW), len(views))
        if (row := rows.get(result["trial"])) is None:
            row = rows[result["trial"]] = _row(result)
        row[place].append([view, result["score"]])
    return [dict(zip(VIEW, view, strict=True)) for view in views], rows


def _row(result: dict[str, Any]) -> list[Any]:
    outcome = result["outcome"]
    cost, answer = outcome["cost_usd"], outcome["answer"]
    return [
        *(result.get(name) for name in _SAME),
        outcome["status"], outcome["reason"][:MAX_ANSWER], [], None if cost is None else float(cost),
        outcome["seconds"], outcome["waited_s"], outcome["model_calls"], sum(outcome["tools"].values()), outcome["tool_errors"],
        sum(outcome["usage"].get(name, 0) for name in _TOKENS), list(outcome["tools"]),
        answer if len(answer) <= MAX_ANSWER else answer[:MAX_ANSWER] + "…", result.get("query_hash", ""),
    ]  # fmt: skip
