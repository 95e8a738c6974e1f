"""Which region a place belongs to, and counts of them, on synthetic squares."""

from __future__ import annotations

import geopandas as gpd
import pandas as pd
import shapely
from hypothesis import given
from hypothesis import strategies as st

from gra_skill_places.counting import count_by_region
from gra_skill_places.membership import memberships

GRID = 4


def squares(ids=None, **columns) -> gpd.GeoDataFrame:
    """A grid of synthetic unit squares that share their borders."""
    shapes = [shapely.box(x, y, x + 1, y + 1) for x in range(GRID) for y in range(GRID)]
    names = ids or [f"synthetic/{n:02d}" for n in range(len(shapes))]
    return gpd.GeoDataFrame({"region_id": names, "name": names, **columns}, geometry=shapes, crs="EPSG:4326")


def places(points, **columns) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "place_id": [f"p{i}" for i in range(len(points))],
            "lon": [p[0] for p in points],
            "lat": [p[1] for p in points],
            **columns,
        }
    )


def test_a_place_on_a_shared_edge_is_counted_once():
    """Fault 11: two points, one of them on the edge of two zones, are two."""
    counts = count_by_region(places([(0.5, 0.5), (1.0, 0.5)]), squares(), [])
    assert counts.total == 2 and counts.regions["count"].sum() == 2
    assert counts.regions.set_index("region_id")["count"]["synthetic/00"] == 2


def test_the_smaller_id_wins_whatever_the_order_of_the_regions():
    backwards = squares().iloc[::-1].reset_index(drop=True)
    pairs = memberships(places([(1.0, 0.5), (2.0, 2.0)]), backwards)
    assert backwards["region_id"].iloc[pairs["region"]].tolist() == ["synthetic/00", "synthetic/05"]


@given(
    spots=st.lists(st.tuples(st.integers(0, 4 * GRID), st.integers(0, 4 * GRID)), min_size=1, max_size=40),
    seed=st.randoms(),
)
def test_every_place_of_the_grid_is_counted_exactly_once(spots, seed):
    """Quarter steps put many of the places on edges and corners."""
    where = [(x / 4, y / 4) for x, y in spots]
    regions = squares()
    counts = count_by_region(places(where), regions, [])
    assert counts.total == len(where) == counts.regions["count"].sum() and counts.shared == 0
    shuffled = regions.sample(frac=1, random_state=seed.randrange(2**32))
    again = count_by_region(places(where), shuffled.reset_index(drop=True), [])
    assert (
        again.regions.set_index("region_id")["count"].to_dict()
        == counts.regions.set_index("region_id")["count"].to_dict()
    )


def test_overlapping_regions_each_count_a_place_inside_both():
    regions = gpd.GeoDataFrame(
        {"region_id": ["a", "b"], "name": ["A", "B"]},
        geometry=[shapely.box(0, 0, 2, 2), shapely.box(1, 1, 3, 3)],
        crs="EPSG:4326",
    )
    counts = count_by_region(places([(1.5, 1.5), (0.5, 0.5), (5, 5)]), regions, [])
    assert counts.regions["count"].tolist() == [2, 1] and counts.total == 2 and counts.shared == 1


def test_a_places_own_code_comes_before_its_coordinates():
    """A harbour town whose point is off the generalised coast still belongs to its county."""
    regions = squares(level="county", country="USA")
    table = places([(-0.01, 0.5), (0.5, 0.5), (0.5, 1.5)], county_id=["synthetic/00", "", "elsewhere"])
    pairs = memberships(table, regions)
    assert pairs.to_numpy().tolist() == [[0, 0], [1, 0]]


def test_countries_go_by_iso_code():
    regions = gpd.GeoDataFrame(
        {"region_id": ["country/AAA", "country/BBB"], "name": ["A", "B"], "level": "country", "country": ["AAA", "BBB"]},
        geometry=[shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)], crs="EPSG:4326",
    )  # fmt: skip
    pairs = memberships(places([(9, 9), (0.5, 0.5)], country=["BBB", None]), regions)
    assert pairs.to_numpy().tolist() == [[0, 1], [1, 0]]


def test_counts_by_type():
    table = places([(0.5, 0.5), (0.6, 0.5), (1.5, 0.5)], type=["city", "airport", "airport"])
    before = squares().assign(
        count=9, count_zoo=9
    )  # columns of an earlier count are not taken for this one's
    counts = count_by_region(table, before, ["city", "airport"])
    assert counts.columns == ["count", "count_city", "count_airport"] and counts.regions["count"].sum() == 3
    assert counts.regions["count_airport"].sum() == 2 and counts.regions["count_city"].sum() == 1


def test_no_places_at_all():
    counts = count_by_region(places([], type=[]), squares(), ["city", "airport"])
    assert counts.total == 0 and counts.regions["count"].tolist() == [0] * GRID**2
