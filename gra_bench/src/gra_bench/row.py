"""Short rows of trials: what a list of thousands shows, without answers in full, plans and usage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# `scores` has [view, score] for each view (a scorer, perhaps with a judge) that has scored the trial's benchmark.
COLUMNS = (
    "trial", "benchmark", "configuration", "model", "query", "repeat", "split", "template", "K", "domain", "tier",
    "status", "reason", "scores", "cost_usd", "seconds", "waited_s", "model_calls", "tool_calls", "tool_errors",
    "tokens", "tools", "answer", "query_hash",
)  # fmt: skip
MAX_ANSWER = 160
_SCORES = COLUMNS.index("scores")
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


class ShortRows:
    """Makes the short rows of results; `views` are those met so far, each a scorer (with its judge and passes)."""

    def __init__(self) -> None:
        self._views: dict[tuple[Any, ...], int] = {}

    @property
    def views(self) -> list[dict[str, Any]]:
        return [dict(zip(VIEW, view, strict=True)) for view in self._views]

    def row(self, scored: Sequence[dict[str, Any]]) -> list[Any]:
        """The row of one trial, given in all its views (`gra_bench.scores.Views.of`)."""
        row = _row(scored[0])
        for result in scored:
            view = self._views.setdefault(tuple(result.get(name) for name in VIEW), len(self._views))
            row[_SCORES].append([view, result["score"]])
        return row


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
