"""Solvers of whole templates on synthetic counties: what must hold for any map, landmark and rates."""

import string
from types import SimpleNamespace
from typing import Any

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.solving.geodesy import distance_km
from gra_benchmark_geoktools.template import all_templates
from gra_core import IllPosed

STATE = "geoId/99"
SIDE = 4


class GridSources:
    """A synthetic state of 4 × 4 square counties with one landmark and one rate a county."""

    def __init__(
        self, landmark: tuple[float, float], rates: list[float], order: list[int] | None = None
    ) -> None:
        cells = [(col, row) for row in range(SIDE) for col in range(SIDE)]
        self.counties = gpd.GeoDataFrame(
            {
                "region_id": [f"geoId/990{i:02d}" for i in range(len(cells))], "level": "county", "country": "USA", "parent_id": STATE,
                "name": [f"{string.ascii_uppercase[i]} County" for i in range(len(cells))], "parent_name": "Grid",
            },
            geometry=[shapely.box(-100 + c / 2, 40 + r / 2, -99.5 + c / 2, 40.5 + r / 2) for c, r in cells], crs="EPSG:4326",
        ).iloc[order or range(len(cells))].reset_index(drop=True)  # fmt: skip
        rate = dict(zip(sorted(self.counties["region_id"]), rates, strict=True))
        self.rates = pd.DataFrame({"region_id": list(rate), "value": list(rate.values())})
        self.place = pd.DataFrame(
            {
                "place_id": ["landmark/x"],
                "name": ["X"],
                "lon": [landmark[0]],
                "lat": [landmark[1]],
                "country": ["USA"],
                "admin1": ["Grid"],
            }
        )

    def open(self, kind: str) -> Any:
        answers = {"children": self.counties, "search": self.place, "values": self.rates}
        return SimpleNamespace(
            **{name: (lambda table=table, **_: table.copy()) for name, table in answers.items()}
        )

    def snapshot(self) -> dict[str, str]:
        return {}


def solve(template: str, sources: GridSources, **parameters: Any) -> list[Any]:
    known = {"state_id": STATE, "state": "Grid", "landmark_id": "landmark/x", "landmark": "X"}
    return all_templates()[template].solve(Data(sources), known | parameters)  # type: ignore[arg-type]


LANDMARK = st.tuples(st.floats(-110, -90), st.floats(30, 50))
RATES = st.lists(st.integers(10, 300).map(lambda v: v / 10), min_size=SIDE * SIDE, max_size=SIDE * SIDE)
ORDER = st.permutations(range(SIDE * SIDE))


def middles(sources: GridSources) -> dict[str, tuple[float, float]]:
    """Centres of the squares: half a degree wide, their centre of area lies at most 100 m off the middle."""
    return {
        row["name"]: (row["geometry"].centroid.x, row["geometry"].centroid.y)
        for _, row in sources.counties.iterrows()
    }


@given(LANDMARK, RATES, ORDER)
@settings(max_examples=50, deadline=None)
def test_no_other_county_is_farther(
    landmark: tuple[float, float], rates: list[float], order: list[int]
) -> None:
    sources = GridSources(landmark, rates, order)
    try:
        name, distance = solve("farthest-county", sources, extreme="farthest from")
        nearest, least = solve("farthest-county", sources, extreme="nearest to")
    except IllPosed:
        return
    apart = {county: distance_km(landmark, middle) for county, middle in middles(sources).items()}
    assert all(d <= apart[name] + 0.3 for d in apart.values()) and distance == pytest.approx(
        apart[name], abs=0.3
    )
    assert all(d >= apart[nearest] - 0.3 for d in apart.values()) and least == pytest.approx(
        apart[nearest], abs=0.3
    )
    assert solve("farthest-county-statistic", sources) == [name, rates[string.ascii_uppercase.index(name[0])]]


@given(LANDMARK, RATES, ORDER)
@settings(max_examples=30, deadline=None)
def test_order_of_the_source_does_not_matter(
    landmark: tuple[float, float], rates: list[float], order: list[int]
) -> None:
    answers = []
    for sources in (GridSources(landmark, rates), GridSources(landmark, rates, order)):
        try:
            answers.append(solve("farthest-county-statistic", sources))
        except IllPosed as error:
            answers.append([str(error)])
    assert answers[0] == answers[1]


@given(st.floats(0, 360), RATES)
@settings(max_examples=40, deadline=None)
def test_from_far_away_the_farthest_county_lies_on_the_other_side(bearing: float, rates: list[float]) -> None:
    from gra_core.testing.strategies import destination

    centre = (-99.0, 41.0)
    landmark = destination(*centre, bearing, 3000)
    try:
        name, distance = solve(
            "farthest-county", GridSources(tuple(landmark), rates), extreme="farthest from"
        )
    except IllPosed:
        return
    assert 3000 < distance < 3000 + 130, "the state's half diagonal is about 123 km"
    lon, lat = middles(GridSources(tuple(landmark), rates))[name]
    assert distance_km((lon, lat), tuple(landmark)) > distance_km(centre, tuple(landmark))


def test_a_landmark_between_two_counties_is_a_near_tie() -> None:
    with pytest.raises(IllPosed, match="nearly equal"):
        solve("farthest-county", GridSources((-99.0, 41.0), [5.0] * 16), extreme="farthest from")


@given(RATES, st.integers(0, 15), st.sampled_from(["highest", "lowest"]))
@settings(max_examples=50, deadline=None)
def test_the_neighbour_with_the_extreme_rate(rates: list[float], index: int, extreme: str) -> None:
    col, row = index % SIDE, index // SIDE
    around = [i for i in range(16) if abs(i % SIDE - col) + abs(i // SIDE - row) == 1]
    sources = GridSources((-99, 41), rates)
    # On a grid diagonal counties meet in a point, which makes borders unclear.
    with pytest.raises(IllPosed, match="in a point only"):
        solve("neighbours-statistic", sources, county_id=f"geoId/990{index:02d}", county="", extreme=extreme)
    kept = sources.counties[
        sources.counties["region_id"].isin([f"geoId/990{i:02d}" for i in (index, *around)])
    ]
    sources.counties = kept.reset_index(drop=True)
    sources.rates = sources.rates[sources.rates["region_id"].isin(kept["region_id"])]
    name, rate = solve(
        "neighbours-statistic", sources, county_id=f"geoId/990{index:02d}", county="", extreme=extreme
    )
    best = (max if extreme == "highest" else min)(rates[i] for i in around)
    assert rate == best
    assert name == min(f"{string.ascii_uppercase[i]} County" for i in around if rates[i] == best), (
        "ties alphabetically"
    )


@given(RATES, st.integers(0, 15))
@settings(max_examples=20, deadline=None)
def test_a_missing_rate_is_ill_posed(rates: list[float], index: int) -> None:
    sources = GridSources((-105.0, 45.5), rates)
    sources.rates = sources.rates.drop(index=index)
    with pytest.raises(IllPosed):
        solve("farthest-county-statistic", sources)


@given(RATES)
@settings(max_examples=20, deadline=None)
def test_counting_and_ranking_use_the_same_counties(rates: list[float]) -> None:
    sources = GridSources((-98.9, 41.1), rates)
    found: list[Any] = []
    for radius in (60, 75, 95):
        try:
            found.append(solve("counties-near-landmark-statistic", sources, radius=radius))
        except IllPosed:
            continue
        count, name, rate = found[-1]
        near = [n for n, middle in middles(sources).items() if distance_km((-98.9, 41.1), middle) < radius]
        assert count == len(near) and name in near
        assert rate == max(rates[string.ascii_uppercase.index(n[0])] for n in near)
    counts = [answer[0] for answer in found]
    assert counts == sorted(counts), "a larger circle never has fewer counties"


def test_equal_areas_go_to_the_first_name() -> None:
    # The four southernmost squares are equal and the largest; the next row, smaller by less than a percent, is left out.
    sources = GridSources((-99, 41), [5.0] * 16, [15, 14, 13, 12, 11, 10, 9, 8, 3, 2, 1, 0, 7, 6, 5, 4])
    with pytest.raises(IllPosed, match="nearly equal"):
        solve("largest-part", sources, parent_id=STATE, level_id="county", extreme="largest")
    sources.counties = sources.counties.head(12)
    name, area = solve("largest-part", sources, parent_id=STATE, level_id="county", extreme="largest")
    assert name == "A County"
    # half a degree of longitude at 40.25 degrees north by half a degree of latitude (WGS84: 85.03 and 111.04 km a degree)
    assert area == pytest.approx(85.03 / 2 * 111.04 / 2, rel=1e-3)
