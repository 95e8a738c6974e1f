"""Summaries of results: scores as mean ± standard deviation over repeats, failures in the denominator."""

from __future__ import annotations

import math
import statistics
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
    name.

    Rows do not depend on the order in which trials finished.
    """
    groups: dict[Key, list[dict[str, Any]]] = {}
    for result in results:
        by = (result.get("scorer") or "", result.get("judge") or "", result.get("judge_passes") or 0)
        groups.setdefault((result["benchmark"], result["configuration"], result["model"], *by), []).append(
            result
        )
    rank = {name: number for number, name in enumerate(dict.fromkeys(configurations))}

    def place(key: Key) -> tuple[str, str, str, int, str, int, str]:
        benchmark, configuration, model, scorer, judge, passes = key
        # The scorer that needs no judge comes first.
        return benchmark, judge, scorer, passes, model, rank.get(configuration, len(rank)), configuration

    return [_row(key, groups[key]) for key in sorted(groups, key=place)]


def _row(key: Key, trials: list[dict[str, Any]]) -> dict[str, Any]:
    benchmark, configuration, model, scorer, judge, passes = key
    scored = [t for t in trials if t["score"] is not None]
    repeats: dict[int, list[float]] = defaultdict(list)
    for trial in scored:
        repeats[trial["repeat"]].append(trial["score"])
    means = [statistics.fmean(values) for _, values in sorted(repeats.items())]
    statuses = Counter(t["outcome"]["status"] for t in trials)
    tools: Counter[str] = Counter()
    for trial in trials:
        tools.update(trial["outcome"]["tools"])
    used = sorted(tools.items(), key=lambda item: (-item[1], item[0]))
    costs = [t["outcome"]["cost_usd"] for t in trials]
    known = [Decimal(str(c)) for c in costs if c is not None]
    return {
        "benchmark": benchmark, "configuration": configuration, "model": model,
        "scorer": scorer or None, "judge": judge or None, "judge_passes": passes,
        "n": len(trials), "queries": len({t["query"] for t in trials}), "repeats": len({t["repeat"] for t in trials}),
        "scored": len(scored), "unscored": len(trials) - len(scored), "pending": sum(bool(t.get("pending")) for t in trials),
        "mean": statistics.fmean(means) if means else None,
        "std": statistics.stdev(means) if len(means) > 1 else None,
        "stderr": clustered_error([(t["cluster"], t["score"]) for t in scored]),
        "answered": statuses["answered"], "abstained": statuses["abstained"],
        "limit": statuses["limit"], "failed": statuses["failed"],
        "cost_usd": float(sum(known, Decimal(0))) if len(known) == len(costs) else None,
        "cost_unknown": len(costs) - len(known),
        "model_calls": sum(t["outcome"]["model_calls"] for t in trials),
        "tool_calls": sum(tools.values()), "tool_errors": sum(t["outcome"]["tool_errors"] for t in trials),
        "tools": dict(used),
        "usage": add_usage(t["outcome"]["usage"] for t in trials),
        "tool_usage": add_usage(t["outcome"]["tool_usage"] for t in trials),
        **judging(trials),
        "seconds": round(math.fsum(t["outcome"]["seconds"] for t in trials), 3),
        "waited_s": round(math.fsum(t["outcome"]["waited_s"] for t in trials), 3),
    }  # fmt: skip


def judging(trials: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What the judge of some trials has used and cost, apart from the agent; null when a price is not known."""
    judged = [t for t in trials if t.get("judge_calls")]
    costs = [t["judge_cost_usd"] for t in judged]
    known = [Decimal(str(c)) for c in costs if c is not None]
    return {
        "judge_calls": sum(t["judge_calls"] for t in judged),
        "judge_usage": add_usage(t["judge_usage"] for t in judged),
        "judge_cost_usd": float(sum(known, Decimal(0))) if len(known) == len(costs) else None,
    }


def add_usage(usages: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The sum of usage records; estimated when any part is."""
    total: dict[str, Any] = dict.fromkeys(COUNTS, 0)
    estimated = False
    for usage in usages:
        estimated = estimated or bool(usage.get("estimated"))
        for name, value in usage.items():
            if name != "estimated":
                total[name] += value
    return {**total, "estimated": estimated}


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
