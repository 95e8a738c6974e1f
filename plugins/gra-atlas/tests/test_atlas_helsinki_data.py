"""OpenStreetMap extract of Helsinki: lengths by geodesic, ids, places that are where they should be."""

from collections import defaultdict

import geopandas as gpd
import pyproj
import pytest

GEOD = pyproj.Geod(ellps="WGS84")


def test_edges_have_geodesic_lengths(data):
    streets = gpd.read_parquet(data / "helsinki_streets.parquet")
    assert len(streets) > 7000
    for line, length in list(zip(streets.geometry, streets.length_m, strict=True))[::50]:
        xs, ys = zip(*line.coords, strict=True)
        assert GEOD.line_length(xs, ys) == pytest.approx(length, abs=0.01)
    assert (streets.length_m >= 0).all() and streets.length_m.sum() == pytest.approx(91_800, rel=0.01)
    assert set(streets.oneway) <= {"", "forward", "backward"}
    assert (streets.drive | streets.walk | streets.cycle).all()
    assert not streets[streets.highway.isin(["footway", "steps"])].drive.any()


def test_walking_network_hangs_together(data):
    """Most junctions can be reached from each other: the u and v of edges meet."""
    streets = gpd.read_parquet(data / "helsinki_streets.parquet")
    neighbours = defaultdict(set)
    for u, v in streets.loc[streets.walk, ["u", "v"]].to_numpy():
        neighbours[u].add(v)
        neighbours[v].add(u)
    left, largest = set(neighbours), 0
    while left:
        front, size = [left.pop()], 0
        while front:
            size += 1
            new = neighbours[front.pop()] & left
            left -= new
            front.extend(new)
        largest = max(largest, size)
    assert largest / len(neighbours) > 0.9


def test_points_of_interest(data):
    pois = gpd.read_parquet(data / "helsinki_pois.parquet").set_index("place_id")
    assert pois.index.is_unique and pois.index.str.fullmatch(r"osm/(node|way|relation)/\d+").all()
    kinds = pois["type"].value_counts()
    assert kinds["restaurant"] > 100 and kinds["cafe"] > 50
    ateneum = pois[(pois["name"] == "Ateneum") & (pois["type"] == "museum")].iloc[0]
    assert (ateneum.lon, ateneum.lat) == pytest.approx((24.944, 60.170), abs=0.001)


def test_buildings(data):
    buildings = gpd.read_parquet(data / "helsinki_buildings.parquet")
    assert buildings.building_id.is_unique and buildings.geometry.is_valid.all()
    areas = buildings.to_crs(3067).area
    assert areas.between(1, 60_000).all()
