"""From a file of ratings to the statistics of a validation."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import attrs
import krippendorff
import numpy as np
import pytest
import scipy.stats

from gra_core import UsageError
from gra_judge.ratings import Ratings, read_ratings
from gra_judge.validation import validate

WIDE = "trace,anna,ben,judge\na,1,0.5,1\nb,0,0,0.5\nc,Good,Partial,\nd,,poor,0\n"
LONG = "trace,rater,rating\na,anna,1\na,ben,0.5\na,judge,1\nb,anna,0\nb,ben,0\nb,judge,0.5\nc,anna,good\nc,ben,partial\nd,ben,poor\nd,judge,0\n"
READ = Ratings(
    traces=("a", "b", "c", "d"),
    values={"anna": (1.0, 0.0, 1.0, None), "ben": (0.5, 0.0, 0.5, 0.0)},
    judge=(1.0, 0.5, None, 0.0),
)


def write(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "ratings.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [WIDE, LONG, WIDE.replace("\n", "\r\n"), "\ufeff" + WIDE, WIDE.replace(",", ";"), WIDE.replace(",", "\t"), WIDE + "\n,,,\n", WIDE.replace("judge", "Autorater")],
)  # fmt: skip
def test_both_forms_and_their_dialects(tmp_path: Path, text: str) -> None:
    assert read_ratings(write(tmp_path, text)) == READ


def test_another_scale_and_another_name(tmp_path: Path) -> None:
    path = write(tmp_path, "id,x,y,model\n1,2,1,2\n2,0,0,1\n")
    found = read_ratings(path, judge="model", scale=2)
    assert found == Ratings(traces=("1", "2"), values={"x": (1.0, 0.0), "y": (0.5, 0.0)}, judge=(1.0, 0.5))


def test_scores_of_a_run_take_the_place_of_the_column(tmp_path: Path) -> None:
    found = read_ratings(write(tmp_path, WIDE), scores={"a": 0.25, "d": None, "other": 1.0})
    assert found.raters == ("anna", "ben") and found.judge == (0.25, None, None, None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["no ratings"]), ("trace,a,b,judge\n", ["no ratings"]), ("query,a,b,judge\n1,1,1,1\n", ["no column of traces", "query, a, b, judge"]),
        ("trace,a,b,judge\nx,1,1\n", ["line 2", "3 cells for 4"]), ("trace,a,b,judge\nx,1,2,1\n", ["line 2, b", "'2'", "--scale"]),
        ("trace,a,b,judge\nx,1,-1,1\n", ["'-1'"]), ("trace,a,b,judge\nx,1,nan,1\n", ["'nan'"]), ("trace,a,b,judge\nx,1,fair,1\n", ["'fair'", "good, partial, poor"]),
        ("trace,a,judge\nx,1,1\n", ["1 rater beside the judge (a)"]), ("trace,a,b\nx,1,1\n", ["no judge called judge or autorater", "--judge-name"]),
        ("trace,a,a,judge\nx,1,1,1\n", ["name of its own"]), ("trace,a,,judge\nx,1,1,1\n", ["name of its own"]),
        ("trace,a,b,judge\nx,1,1,1\nx,0,0,0\n", ["line 3", "'x'", "before"]), ("trace,a,b,judge\nx,,,1\n", ["nobody rated trace 'x'"]),
        ("trace,a,b,judge\n,1,1,1\n", ["line 2", "trace is empty"]), ("trace,rater,rating\nx,,1\n", ["rater is empty"]),
        ("trace,rater,rating\nx,a,1\nx,a,1\n", ["line 3", "before"]), (b"trace,a,b,judge\n\xff,1,1,1\n", ["UTF-8"]),
        ('trace,a,b,judge\n"x,1,1,1\n', ["not CSV"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str | bytes, words: list[str]) -> None:
    with pytest.raises(UsageError) as error:
        read_ratings(write(tmp_path, text))
    for word in words:
        assert word in str(error.value)


def test_a_missing_file_and_a_missing_judge_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.csv"):
        read_ratings(tmp_path / "nowhere.csv")
    with pytest.raises(UsageError, match="no judge called carl"):
        read_ratings(write(tmp_path, WIDE), judge="carl")
    with pytest.raises(UsageError, match="trial ids"):
        read_ratings(write(tmp_path, WIDE), scores={"z": 1.0})
    with pytest.raises(UsageError, match="scale"):
        read_ratings(write(tmp_path, WIDE), scale=0)


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    """Synthetic ratings of 69 traces by three people and a judge, some missing."""
    rng = np.random.default_rng(3)
    truth = rng.random(69)
    people = {
        name: np.round(2 * np.clip(truth + rng.normal(0, 0.3, 69), 0, 1)) / 2
        for name in ("anna", "ben", "cleo")
    }
    judge = np.round(6 * np.clip(truth + rng.normal(0, 0.25, 69), 0, 1)) / 6
    values: dict[str, Any] = {name: tuple(map(float, v)) for name, v in people.items()}
    values["ben"] = (None, *values["ben"][1:])
    return Ratings(
        traces=tuple(f"t{n}" for n in range(69)), values=values, judge=(*map(float, judge[:-1]), None)
    )


def reference_alpha(*rows: Any) -> float:
    return krippendorff.alpha(reliability_data=np.array(rows, dtype=float), level_of_measurement="interval")


def test_every_statistic_by_the_reference_packages(ratings: Ratings) -> None:
    found = validate(ratings, resamples=200, seed=4)
    people = {name: v[:-1] for name, v in ratings.values.items()}
    judge = ratings.judge[:-1]
    assert (found.traces, found.unscored, found.ratings, found.raters) == (
        68,
        1,
        3 * 68 - 1,
        ("anna", "ben", "cleo"),
    )
    near = {"abs": 1e-9}
    assert found.alpha_raters.value == pytest.approx(reference_alpha(*people.values()), **near)
    assert found.alpha_with_judge.value == pytest.approx(reference_alpha(*people.values(), judge), **near)
    for name in people:
        others = [v for n, v in people.items() if n != name]
        assert found.alpha_judge_replacing[name].value == pytest.approx(
            reference_alpha(*others, judge), **near
        )
        assert found.alpha_judge_pairs[name].value == pytest.approx(
            reference_alpha(people[name], judge), **near
        )
    for a, b in itertools.combinations(people, 2):
        assert found.alpha_rater_pairs[f"{a}, {b}"].value == pytest.approx(
            reference_alpha(people[a], people[b]), **near
        )
    means = [float(np.mean([v[i] for v in people.values() if v[i] is not None])) for i in range(68)]
    assert found.spearman.value == pytest.approx(scipy.stats.spearmanr(judge, means).statistic, **near)
    gaps = [j - m for j, m in zip(judge, means, strict=True)]  # type: ignore[operator]
    assert found.bias.value == pytest.approx(sum(gaps) / 68, **near)
    assert found.mean_absolute_difference.value == pytest.approx(sum(map(abs, gaps)) / 68, **near)
    assert found.within_third.value == pytest.approx(sum(abs(g) < 0.3334 for g in gaps) / 68, **near)
    for estimate in (found.alpha_raters, found.spearman, found.bias, found.within_third):
        assert estimate.low <= estimate.value <= estimate.high  # type: ignore[operator]


def test_a_seed_gives_the_same_intervals_again(ratings: Ratings) -> None:
    assert validate(ratings, resamples=100, seed=1) == validate(ratings, resamples=100, seed=1)
    assert validate(ratings, resamples=100, seed=1).bias != validate(ratings, resamples=100, seed=2).bias


def test_intervals_of_the_mean_gap_are_scipys(ratings: Ratings) -> None:
    whole = attrs.evolve(
        ratings,
        values={k: v[1:-1] for k, v in ratings.values.items()},
        judge=ratings.judge[1:-1],
        traces=ratings.traces[1:-1],
    )
    found = validate(whole, resamples=300, seed=8, confidence=0.9)
    gaps = np.array(whole.judge, dtype=float) - np.mean(list(whole.values.values()), axis=0)
    wanted = scipy.stats.bootstrap(
        (gaps,),
        np.mean,
        n_resamples=300,
        confidence_level=0.9,
        method="percentile",
        rng=np.random.default_rng(8),
    ).confidence_interval
    assert (found.bias.low, found.bias.high) == pytest.approx((wanted.low, wanted.high), abs=1e-9)


def test_a_third_apart_is_within_a_third_and_reversals_need_both_sides() -> None:
    given = Ratings(
        traces=("within", "apart", "up", "down", "edge"),
        values={
            "a": (1.0, 1.0, 0.0, 1.0, 0.5),
            "b": (1.0, 1.0, 0.5, 1.0, 0.5),
            "c": (0.0, 0.0, 0.0, 1.0, 0.0),
        },
        judge=(1.0, 1 / 6, 5 / 6, 1 / 6, 1.0),
    )
    found = validate(given, resamples=50)
    # Means: 2/3, 2/3, 1/6, 1, 1/3. Gaps: 1/3, 1/2, 2/3, 5/6, 2/3.
    assert found.within_third.value == pytest.approx(1 / 5)
    assert found.reversals == ("up", "down")


def test_perfect_agreement() -> None:
    values = (0.0, 0.5, 1.0, 0.5)
    found = validate(
        Ratings(traces=("a", "b", "c", "d"), values={"x": values, "y": values}, judge=values), resamples=50
    )
    assert (
        found.alpha_raters.value == found.alpha_with_judge.value == found.spearman.value == pytest.approx(1.0)
    )
    assert found.bias.value == found.mean_absolute_difference.value == 0.0 and found.within_third.value == 1.0


def test_a_statistic_that_is_not_defined_is_none() -> None:
    same = (0.5, 0.5)
    found = validate(Ratings(traces=("a", "b"), values={"x": same, "y": same}, judge=same), resamples=20)
    assert found.alpha_raters.value is None and found.spearman.value is None and found.bias.value == 0.0


def test_too_few_judged_traces() -> None:
    with pytest.raises(UsageError, match="at least 2"):
        validate(Ratings(traces=("a", "b"), values={"x": (1.0, 0.0), "y": (1.0, 0.0)}, judge=(1.0, None)))
