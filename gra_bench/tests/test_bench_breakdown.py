"""The tables of a report against numbers worked out by hand or by other means."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_bench.breakdown import compare, interval, pillars, published, tables
from gra_bench.summary import clustered_error


def result(
    query: str, configuration: str, score: float | None, *, repeat: int = 0, **more: Any
) -> dict[str, Any]:
    outcome = {"cost_usd": "0.02", "skills": [], "tools": {}, "status": "answered", **more.pop("outcome", {})}
    return {
        "benchmark": "geoktools", "configuration": configuration, "model": "m", "query": query, "repeat": repeat,
        "domain": "", "tier": "", "K": None, "cluster": query.split("/")[0], "score": score, "solvable": True,
        "outcome": outcome, **more,
    }  # fmt: skip


def table(results: list[dict[str, Any]], id: str) -> Any:
    return next(t for t in tables(results, ["llm", "gra"]) if t.id == id)


def test_mean_and_spread_are_over_repeats() -> None:
    # Repeat 0: (1 + 0) / 2 = 0.5; repeat 1: (1 + 1) / 2 = 1.0. Mean 75, standard deviation 50 / sqrt(2).
    results = [
        result("a/1", "gra", 1.0, K=1), result("b/1", "gra", 0.0, K=2),
        result("a/1", "gra", 1.0, repeat=1, K=1), result("b/1", "gra", 1.0, repeat=1, K=2),
    ]  # fmt: skip
    main = table(results, "main")
    assert main.rows == [{"label": "geoktools", "n": 2, "gra": 75.0}]
    assert main.spread[0]["gra"] == pytest.approx(50 / math.sqrt(2))
    by_k = table(results, "K")
    assert [(r["label"], r["n"], r["gra"]) for r in by_k.rows] == [
        ("geoktools: 1", 1, 100.0),
        ("geoktools: 2", 1, 50.0),
    ]
    assert [p["label"] for p in by_k.published] == ["1", "2"] and by_k.published_spread[0]["gra 3.8F"] == 2.1


def test_unscored_trials_are_left_out_of_the_mean_and_failures_are_not() -> None:
    results = [
        result("a/1", "gra", None),
        result("b/1", "gra", 1.0),
        result("c/1", "gra", 0.0, outcome={"status": "failed"}),
    ]
    assert table(results, "main").rows[0]["gra"] == 50.0


def test_cost_per_query_counts_every_trial_and_is_unknown_when_one_is() -> None:
    results = [
        result("a/1", "gra", 1.0),
        result("b/1", "gra", 0.0, outcome={"cost_usd": "0.04", "status": "failed"}),
    ]
    assert table(results, "cost").rows[0]["gra"] == pytest.approx(0.03)
    results.append(result("c/1", "gra", 0.0, outcome={"cost_usd": None}))
    assert table(results, "cost").rows[0]["gra"] is None


def test_capabilities_count_trials_that_load_a_pillars_skill() -> None:
    results = [
        result("a/1", "gra", 1.0, outcome={"skills": ["places", "geometry"], "tools": {"run_python": 3}}),
        result(
            "b/1", "gra", 1.0, outcome={"skills": ["my-skill"], "tools": {"run_python": 1, "search_web": 4}}
        ),
    ]
    rows = {r["label"].removeprefix("geoktools: "): r["gra"] for r in table(results, "capabilities").rows}
    assert rows == {
        "POIs, Boundaries & Mobility (%)": 50.0, "Prediction & Spatial Compute (%)": 50.0, "Other (%)": 50.0,
        "skills loaded": 1.5, "Python calls": 2.0, "web searches": 2.0,
    }  # fmt: skip


def test_saturation_tells_how_right_answers_were_found() -> None:
    results = [
        result("a/1", "llm", 1.0),
        result("b/1", "llm", 1.0, outcome={"tools": {"search_web": 2}, "skills": ["web-search"]}),
        result("c/1", "llm", 1.0, outcome={"tools": {"run_python": 1}}),
        result("d/1", "llm", 0.4),
    ]
    assert [r["llm"] for r in table(results, "saturation").rows] == [75.0, 25.0, 50.0]


def test_precision_and_recall_of_abstaining() -> None:
    abstained = {"status": "abstained"}
    results = [
        result("a/1", "gra", 1.0, solvable=False, outcome=abstained),
        result("b/1", "gra", 0.0, solvable=False),
        result("c/1", "gra", 0.0, outcome=abstained),
        result("d/1", "gra", 0.0, outcome=abstained),
    ]
    assert [round(r["gra"], 4) for r in table(results, "abstention").rows] == [33.3333, 50.0]


def test_paired_comparison_by_hand() -> None:
    results = [
        result("a/1", "llm", 0.0), result("a/1", "gra", 1.0), result("b/1", "llm", 0.5), result("b/1", "gra", 0.5),
        result("c/1", "llm", 1.0), result("c/1", "gra", 0.0), result("d/1", "gra", 1.0),
    ]  # fmt: skip
    found = compare(results, "llm", "gra")[0]
    assert (found.queries, found.difference, found.first_better, found.second_better, found.ties) == (
        3,
        0.0,
        1,
        1,
        1,
    )
    # Three clusters of one: the error is the usual one, 100/sqrt(3), and t with 2 degrees of freedom is (2p - 1) / sqrt(2p(1 - p)).
    assert found.high == pytest.approx(0.95 / math.sqrt(2 * 0.975 * 0.025) * 100 / math.sqrt(3))
    assert found.low == pytest.approx(-found.high)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_with_clusters_of_one_the_error_is_the_usual_one(values: list[float]) -> None:
    expected = np.std(values, ddof=1) / math.sqrt(len(values))
    assert clustered_error([(str(n), v) for n, v in enumerate(values)]) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=10), st.integers(2, 4))
def test_copies_within_a_cluster_add_no_certainty(values: list[float], copies: int) -> None:
    single = clustered_error([(str(n), v) for n, v in enumerate(values)])
    repeated = clustered_error([(str(n), v) for n, v in enumerate(values) for _ in range(copies)])
    assert repeated == pytest.approx(single, abs=1e-12)


def test_one_cluster_has_no_interval() -> None:
    assert interval(1.0, [("a", 1.0), ("a", 2.0)]) == (None, None)


def test_the_published_numbers_are_whole() -> None:
    known = published()
    for id in ("main", "domain", "K", "tier", "cost"):
        assert all(len(values) == len(known["columns"]) == 8 for values in known[id].values())
    # Table 6's rows weighted by their query counts give its last row, which is table 4's.
    for column in range(8):
        total = (
            sum(n * known["K"][k][column][0] for k, n in (("1", 30), ("2", 110), ("3", 50), ("4", 30))) / 220
        )
        assert total == pytest.approx(known["main"]["geoktools"][column][0], abs=0.15)
    skills = [s for skills in pillars().values() for s in skills]
    assert len(skills) == len(set(skills)) == 22
