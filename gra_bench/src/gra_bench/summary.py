"""Summaries of results: scores as mean ± standard deviation over repeats, failures in the denominator."""

from __future__ import annotations

import math
import statistics
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import attrs

from gra_core import Usage

Key = tuple[str, str, str, str, str, int]
COUNTS = tuple(f.name for f in attrs.fields(Usage) if f.name != "estimated")


def summarize(results: Iterable[dict[str, Any]], configurations: Sequence[str] = ()) -> list[dict[str, Any]]:
    """One row for each benchmark, scorer, judge, model and configuration; configurations in the order given, then by
    name. Results are read one by one and not kept.

    Rows do not depend on the order in which trials finished.
    """
    groups: defaultdict[Key, _Group] = defaultdict(_Group)
    for result in results:
        by = (result.get("scorer") or "", result.get("judge") or "", result.get("judge_passes") or 0)
        groups[(result["benchmark"], result["configuration"], result["model"], *by)].add(result)
    rank = {name: number for number, name in enumerate(dict.fromkeys(configurations))}

    def place(key: Key) -> tuple[str, str, str, int, str, int, str]:
        benchmark, configuration, model, scorer, judge, passes = key
        # The scorer that needs no judge comes first.
        return benchmark, judge, scorer, passes, model, rank.get(configuration, len(rank)), configuration

    return [groups[key].row(key) for key in sorted(groups, key=place)]


class _Cost:
    """A sum of dollars, and how many of its parts are not known."""

    def __init__(self) -> None:
        self.known, self.unknown = Decimal(0), 0

    def add(self, cost: Any) -> None:
        if cost is None:
            self.unknown += 1
        else:
            self.known += Decimal(str(cost))

    @property
    def total(self) -> float | None:
        return None if self.unknown else float(self.known)


class _Group:
    """What a row needs of its trials, in few bytes a trial."""

    def __init__(self) -> None:
        self.n = self.pending = 0
        self.counts: Counter[str] = Counter()
        self.tools: Counter[str] = Counter()
        self.queries: set[str] = set()
        self.repeats: set[int] = set()
        self.scores: defaultdict[tuple[int, str], array[float]] = defaultdict(lambda: array("d"))
        self.seconds, self.waited = array("d"), array("d")
        self.usage, self.tool_usage, self.judge_usage = _Usage(), _Usage(), _Usage()
        self.cost, self.judge_cost = _Cost(), _Cost()

    def add(self, trial: dict[str, Any]) -> None:
        outcome = trial["outcome"]
        self.n += 1
        self.pending += bool(trial.get("pending"))
        self.counts[outcome["status"]] += 1
        for name in ("model_calls", "tool_errors"):
            self.counts[name] += outcome[name]
        self.tools.update(outcome["tools"])
        self.queries.add(trial["query"])
        self.repeats.add(trial["repeat"])
        if trial["score"] is not None:
            self.scores[trial["repeat"], trial["cluster"]].append(trial["score"])
        self.seconds.append(outcome["seconds"])
        self.waited.append(outcome["waited_s"])
        self.usage.add(outcome["usage"])
        self.tool_usage.add(outcome["tool_usage"])
        self.cost.add(outcome["cost_usd"])
        if trial.get("judge_calls"):
            self.counts["judge_calls"] += trial["judge_calls"]
            self.judge_usage.add(trial["judge_usage"])
            self.judge_cost.add(trial["judge_cost_usd"])

    def row(self, key: Key) -> dict[str, Any]:
        benchmark, configuration, model, scorer, judge, passes = key
        repeats: defaultdict[int, list[float]] = defaultdict(list)
        for (repeat, _), values in sorted(self.scores.items()):
            repeats[repeat] += values
        means = [statistics.fmean(values) for values in repeats.values()]
        scored = [
            (cluster, value) for (_, cluster), values in sorted(self.scores.items()) for value in values
        ]
        used = sorted(self.tools.items(), key=lambda item: (-item[1], item[0]))
        counts = self.counts
        return {
            "benchmark": benchmark, "configuration": configuration, "model": model,
            "scorer": scorer or None, "judge": judge or None, "judge_passes": passes,
            "n": self.n, "queries": len(self.queries), "repeats": len(self.repeats),
            "scored": len(scored), "unscored": self.n - len(scored), "pending": self.pending,
            "mean": statistics.fmean(means) if means else None,
            "std": statistics.stdev(means) if len(means) > 1 else None,
            "stderr": clustered_error(scored),
            "answered": counts["answered"], "abstained": counts["abstained"],
            "limit": counts["limit"], "failed": counts["failed"],
            "cost_usd": self.cost.total, "cost_unknown": self.cost.unknown,
            "model_calls": counts["model_calls"],
            "tool_calls": sum(self.tools.values()), "tool_errors": counts["tool_errors"], "tools": dict(used),
            "usage": self.usage.total(), "tool_usage": self.tool_usage.total(),
            "judge_calls": counts["judge_calls"], "judge_usage": self.judge_usage.total(),
            "judge_cost_usd": self.judge_cost.total,
            "seconds": round(math.fsum(self.seconds), 3), "waited_s": round(math.fsum(self.waited), 3),
        }  # fmt: skip


class _Usage:
    """The sum of usage records; estimated when any part is."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(COUNTS, 0)
        self._estimated = False

    def add(self, usage: dict[str, Any]) -> None:
        self._estimated = self._estimated or bool(usage.get("estimated"))
        for name, value in usage.items():
            if name != "estimated":
                self._counts[name] += value

    def total(self) -> dict[str, Any]:
        return {**self._counts, "estimated": self._estimated}


def add_usage(usages: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The sum of usage records; estimated when any part is."""
    total = _Usage()
    for usage in usages:
        total.add(usage)
    return total.total()


def clustered_error(scores: list[tuple[str, float]]) -> float | None:
    """Standard error of the mean when scores of one cluster (template) are not independent; None below two clusters.

    The cluster-robust (sandwich) estimator of a mean with the small-sample factor G/(G−1).
    """
    clusters: dict[str, list[float]] = defaultdict(list)
    for cluster, score in scores:
        clusters[cluster].append(score)
    count, groups = len(scores), len(clusters)
    if groups < 2:
        return None
    mean = statistics.fmean(s for _, s in scores)
    squares = sum(sum(s - mean for s in values) ** 2 for values in clusters.values())
    return math.sqrt(groups / (groups - 1) * squares) / count
