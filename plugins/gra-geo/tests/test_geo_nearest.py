"""Nearest and farthest equal the comparison of all pairs by pyproj's Geod."""

from __future__ import annotations

import numpy as np
import pyproj
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core.testing.strategies import positions
from gra_geo import nearest as module
from gra_geo.geodesy import distances, farthest, nearest, within

GEOD = pyproj.Geod(ellps="WGS84")
PLACES = st.one_of(*(positions(w) for w in ("anywhere", "date line", "north pole", "south pole", "plain")))
# Whole degrees and the same places again make ties, antipodes and coincident points.
COARSE = st.tuples(
    st.integers(-18, 18).map(lambda v: v * 10.0), st.integers(-9, 9).map(lambda v: v * 10.0)
).map(list)
SETS = st.lists(st.one_of(PLACES, COARSE), min_size=1, max_size=25)


def truth(a: list, b: list) -> np.ndarray:
    return np.array([[GEOD.inv(*p, *q)[2] for q in b] for p in a])


@given(SETS, SETS, st.integers(1, 6))
def test_nearest_is_that_of_all_pairs(a: list, b: list, k: int) -> None:
    full, found = truth(a, b), nearest(a, b, k)
    assert found.index.shape == (len(a), min(k, len(b)))
    order = np.lexsort((np.broadcast_to(np.arange(len(b)), full.shape), full), axis=1)[:, :k]
    assert found.distance_m == pytest.approx(np.take_along_axis(full, order, 1), abs=1e-6)
    assert found.distance_m == pytest.approx(np.take_along_axis(full, found.index, 1), abs=1e-6)


@given(SETS, SETS, st.integers(1, 6))
def test_farthest_is_that_of_all_pairs(a: list, b: list, k: int) -> None:
    full, found = truth(a, b), farthest(a, b, k)
    assert found.distance_m == pytest.approx(-np.sort(-full, axis=1)[:, :k], abs=1e-6)
    assert found.distance_m == pytest.approx(np.take_along_axis(full, found.index, 1), abs=1e-6)


@given(SETS, SETS, st.floats(0, 2.1e7))
def test_within_finds_every_pair(a: list, b: list, max_m: float) -> None:
    full = truth(a, b)
    i, j, metres = within(a, b, max_m)
    assert set(zip(i.tolist(), j.tolist(), strict=True)) == set(
        zip(*(x.tolist() for x in np.nonzero(full <= max_m)), strict=True)
    )
    assert metres == pytest.approx(full[i, j], abs=1e-6)
    best = farthest(a, b, 2, max_m=max_m).distance_m
    kept = np.where(full <= max_m, full, -1.0)
    expected = -np.sort(-kept, axis=1)[:, :2]
    assert np.nan_to_num(best, nan=-1.0) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("find", [nearest, farthest])
def test_many_points_in_small_blocks(find, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 500)
    rng = np.random.default_rng(7)
    a, b = rng.uniform([-125, 25], [-70, 49], (40, 2)), rng.uniform([-180, -90], [180, 90], (900, 2))
    b[:300] = rng.uniform([100, 30], [100.2, 30.1], (300, 2))  # many candidates within the margin
    full = GEOD.inv(*(np.broadcast_to(v, (40, 900)) for v in (a[:, :1], a[:, 1:], b[:, 0], b[:, 1])))[2]
    order = np.argsort(full if find is nearest else -full, axis=1, kind="stable")[:, :5]
    found = find(a, b, 5)
    assert (found.index == order).all()
    assert distances(a, b) == pytest.approx(full)


def test_equal_distances_rank_by_position() -> None:
    ring = [[0.0, 1.0], [0.0, -1.0], [0.0, 1.0]]
    assert nearest([[0.0, 0.0]], ring, 3).index.tolist() == [[0, 1, 2]]
    assert farthest([[0.0, 0.0]], ring, 3).index.tolist() == [[0, 1, 2]]


def test_limits_and_empty_sets() -> None:
    assert nearest([[0, 0]], [[0, 1], [0, 9]], 2, max_m=200_000).index.tolist() == [[0, -1]]
    assert nearest([[0, 0]], np.empty((0, 2)), 2).index.shape == (1, 0)
    assert nearest(np.empty((0, 2)), [[0, 0]], 2).index.shape == (0, 1)
    assert within([[0, 0]], [[90, 0]], 1.0)[0].size == 0
