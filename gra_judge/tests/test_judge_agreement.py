"""Agreement against published examples, the reference packages, and the definition worked out pair by pair."""

from __future__ import annotations

import itertools
import math

import krippendorff
import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from gra_judge.agreement import interval_alpha, spearman
from gra_judge.bootstrap import Bootstrap

NONE = np.nan
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: 4 observers, 12 units; interval 0.849.
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
    [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
]
# The example of the krippendorff package and of Wikipedia's article: 3 coders, 15 units; interval 0.811.
THREE_CODERS = [
    [NONE, NONE, NONE, NONE, NONE, 3, 4, 1, 2, 1, 1, 3, 3, NONE, 3],
    [1, NONE, 2, 1, 3, 3, 4, 3, NONE, NONE, NONE, NONE, NONE, NONE, NONE],
    [NONE, NONE, 2, 1, 3, 4, 4, NONE, 2, 1, 1, 3, 3, NONE, 4],
]
# Wikipedia's example of Spearman's correlation: IQ and hours of television, −29/165.
IQ = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110]
HOURS = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]


@pytest.mark.parametrize(
    ("ratings", "published", "digits"), [(FOUR_OBSERVERS, 0.849, 3), (THREE_CODERS, 0.811, 3)]
)
def test_published_alphas(ratings: list[list[float]], published: float, digits: int) -> None:
    assert round(float(interval_alpha(np.array(ratings, dtype=float))), digits) == published


def test_published_rank_correlation() -> None:
    assert float(spearman(np.array(IQ, dtype=float), np.array(HOURS, dtype=float))) == pytest.approx(
        -29 / 165, abs=1e-12
    )


def by_definition(ratings: np.ndarray) -> float:
    """One minus observed over expected disagreement, every pair of values by itself."""
    units = [[v for v in unit if not math.isnan(v)] for unit in ratings.T]
    units = [unit for unit in units if len(unit) >= 2]
    values = [v for unit in units for v in unit]
    n = len(values)
    observed = (
        sum(sum((a - b) ** 2 for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in units)
        / n
    )
    expected = sum((a - b) ** 2 for a, b in itertools.permutations(values, 2)) / (n * (n - 1))
    return 1 - observed / expected


sixths = st.sampled_from([0, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 1.0])
matrices = st.integers(2, 5).flatmap(
    lambda raters: st.lists(
        st.lists(st.one_of(sixths, st.just(NONE)), min_size=raters, max_size=raters), min_size=2, max_size=25
    ).map(lambda rows: np.array(rows, dtype=float).T)
)


def defined(ratings: np.ndarray) -> bool:
    paired = ratings[:, (~np.isnan(ratings)).sum(axis=0) >= 2]
    return len(set(paired[~np.isnan(paired)].tolist())) > 1


@given(matrices)
def test_alpha_is_that_of_the_reference_package_and_of_the_definition(ratings: np.ndarray) -> None:
    found = float(interval_alpha(ratings))
    if not defined(ratings):
        assert math.isnan(found)
        return
    assert found == pytest.approx(by_definition(ratings), abs=1e-9)
    domain = krippendorff.alpha(reliability_data=ratings, level_of_measurement="interval")
    assert found == pytest.approx(domain, abs=1e-9)


@given(st.lists(st.tuples(sixths, sixths), min_size=2, max_size=40))
def test_rank_correlation_is_scipys(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    assert float(spearman(x, y)) == pytest.approx(scipy.stats.spearmanr(x, y).statistic, abs=1e-9)


def test_a_constant_side_has_no_rank_correlation() -> None:
    assert math.isnan(float(spearman(np.ones(5), np.arange(5.0))))


@given(matrices, st.floats(-1000, 1000))
def test_alpha_does_not_depend_on_the_origin(ratings: np.ndarray, origin: float) -> None:
    assume(defined(ratings))
    assert float(interval_alpha(ratings + origin)) == pytest.approx(float(interval_alpha(ratings)), abs=1e-6)


def test_several_matrices_at_once_are_each_by_itself() -> None:
    drawn = np.random.default_rng(5).integers(0, 3, (50, 3, 20)) / 2
    assert interval_alpha(drawn) == pytest.approx([float(interval_alpha(one)) for one in drawn], abs=1e-12)


@pytest.mark.parametrize("seed", [0, 7])
def test_intervals_are_scipys_with_the_same_seed(seed: int) -> None:
    rng = np.random.default_rng(99)
    people = rng.integers(0, 3, (3, 69)) / 2
    judge = np.clip(people.mean(axis=0) + rng.normal(0, 0.2, 69), 0, 1)
    boot = Bootstrap(traces=69, resamples=500, seed=seed)
    alpha = boot.estimate(interval_alpha, people)

    def reference(*sides: np.ndarray) -> float:
        return krippendorff.alpha(reliability_data=np.stack(sides), level_of_measurement="interval")

    wanted = scipy.stats.bootstrap(
        tuple(people),
        reference,
        paired=True,
        vectorized=False,
        n_resamples=500,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    assert (alpha.low, alpha.high) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    rho = boot.estimate(spearman, judge, people.mean(axis=0))
    wanted = scipy.stats.bootstrap(
        (judge, people.mean(axis=0)), lambda a, b: scipy.stats.spearmanr(a, b).statistic, paired=True, vectorized=False,
        n_resamples=500, method="percentile", rng=np.random.default_rng(seed),
    ).confidence_interval  # fmt: skip
    assert (rho.low, rho.high) == pytest.approx((wanted.low, wanted.high), abs=1e-9)


def test_resamples_in_which_a_statistic_is_not_defined_are_left_out_and_counted() -> None:
    ratings = np.array([[0, 0, 0, 1.0], [0, 0, 0, 0.5]])
    found = Bootstrap(traces=4, resamples=400, seed=1).estimate(interval_alpha, ratings)
    # A resample without the last trace, (3/4)^4 of them, is constant.
    assert 0.2 < found.undefined / 400 < 0.45 and found.low is not None
    constant = Bootstrap(traces=4, resamples=10, seed=1).estimate(interval_alpha, np.zeros((2, 4)))
    assert constant.value is None and constant.low is None and constant.undefined == 10
