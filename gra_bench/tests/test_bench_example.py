"""A stored example run: its report is reproduced to the last digit from its events by a second calculation.

The run was made with the synthetic benchmark of `bench_plugin.py`: seven sums, two configurations, three repeats, one
query that always fails and one that one configuration gets wrong. Nothing of `gra_bench.summary` is used here.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

STORED = Path(__file__).parent / "data" / "example-run"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy, since reading a run leaves an index beside it."""
    return Path(shutil.copytree(STORED, tmp_path / "example-run"))


def from_events(folder: Path) -> dict[str, dict[str, Any]]:
    """Scores, usage and cost of each configuration from the event log alone, in exact arithmetic."""
    trials: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in (folder / "events.jsonl").read_text().splitlines():
        event = json.loads(line)
        trials[(event["trial"], event["attempt"])].append(event)
    found: dict[str, dict[str, Any]] = defaultdict(
        lambda: {"scores": [], "input": 0, "output": 0, "requests": 0, "failed": 0}
    )
    for events in trials.values():
        kinds = {e["kind"]: e["data"] for e in events}
        started = kinds["trial_started"]
        number = int(started["query"].split(" + ")[0])
        answer = kinds.get("answered", {}).get("text", "")
        entry = found[started["configuration"]]
        entry["scores"].append((number, Fraction(int(answer == str(2 * number)))))
        entry["failed"] += "answered" not in kinds
        for kind in ("model_replied", "model_failed"):
            for usage in kinds.get(kind, {}).get("requests", []):
                for name in ("input", "output", "requests"):
                    entry[name] += usage[name]
    return found


def test_the_report_is_what_the_events_say(example: Path, gra_bench: Callable[..., Any]) -> None:
    code, report, _ = gra_bench("report", str(example), "--compare", "plain:priced", "--json")
    assert code == 0
    expected = from_events(example)
    assert {row["configuration"] for row in report["results"]} == set(expected) == {"plain", "priced"}
    for row in report["results"]:
        mine = expected[row["configuration"]]
        total = sum(score for _, score in mine["scores"])
        assert row["n"] == len(mine["scores"]) == 21 and row["failed"] == mine["failed"] == 3
        # Every repeat has the same scores here, so the mean of means is the mean and the spread is nothing.
        assert row["mean"] == float(total / len(mine["scores"])) and row["std"] == 0.0
        assert (row["usage"]["input"], row["usage"]["output"], row["usage"]["requests"]) == (
            mine["input"],
            mine["output"],
            mine["requests"],
        )
    priced = next(row for row in report["results"] if row["configuration"] == "priced")
    cost = Fraction(expected["priced"]["input"], 10**6) + 10 * Fraction(expected["priced"]["output"], 10**6)
    assert priced["cost_usd"] == float(cost)
    assert next(row for row in report["results"] if row["configuration"] == "plain")["cost_usd"] is None


def test_its_tables_and_comparison_are_too(example: Path, gra_bench: Callable[..., Any]) -> None:
    _, report, _ = gra_bench("report", str(example), "--compare", "plain:priced", "--json")
    expected = from_events(example)
    means: dict[str, dict[int, Fraction]] = {}
    for name, mine in expected.items():
        by_query: dict[int, list[Fraction]] = defaultdict(list)
        for number, score in mine["scores"]:
            by_query[number].append(score)
        means[name] = {n: sum(s) / len(s) for n, s in by_query.items()}
    main = next(t for t in report["tables"] if t["id"] == "main")
    for name, scores in means.items():
        assert main["rows"][0][name] == pytest.approx(
            float(100 * sum(scores.values()) / len(scores)), abs=1e-12
        )
    gaps = {n: 100 * (means["priced"][n] - means["plain"][n]) for n in means["plain"]}
    found = report["comparisons"][0]
    assert found["difference"] == pytest.approx(float(sum(gaps.values()) / len(gaps)), abs=1e-12)
    assert (found["first_better"], found["second_better"], found["ties"]) == (1, 0, 6)
    # The cluster-robust error by hand: queries n with the same n mod 3 share a template.
    centre = sum(gaps.values()) / len(gaps)
    sums = [sum(gap - centre for n, gap in gaps.items() if n % 3 == cluster) for cluster in range(3)]
    error = float(Fraction(3, 2) * sum(s * s for s in sums)) ** 0.5 / len(gaps)
    # Student's t with two degrees of freedom has a closed form: (2p - 1) / sqrt(2p(1 - p)).
    student = 0.95 / (2 * 0.975 * 0.025) ** 0.5
    assert found["high"] - found["difference"] == pytest.approx(student * error, rel=1e-12)
