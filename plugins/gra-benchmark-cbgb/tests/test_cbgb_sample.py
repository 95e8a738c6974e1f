"""The sample: answers that an independent computation on the atlas' files confirms, reference trajectories that arrive there."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyproj
import pytest
import rasterio
import rasterio.mask

from gra_atlas.files import data_file
from gra_benchmark_cbgb.benchmark import Cbgb
from gra_benchmark_cbgb.references import REFERENCES, SKILLS
from gra_core import Query, QueryRequest
from gra_core.registry import Registry
from gra_core.result import ToolResult

NO_SOURCES: Any = SimpleNamespace()
QUERIES = {q.id: q for q in Cbgb().queries(QueryRequest(split="dev"), NO_SOURCES).queries}
WGS84 = pyproj.Geod(ellps="WGS84")


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_the_tools_arrive_at_the_answer(
    query: Query, gra_call: Callable[..., ToolResult], gra_registry: Registry
) -> None:
    steps = Cbgb().reference(query)
    assert steps is not None
    allowed = {t.name for skill in Cbgb().skills(query) for t in gra_registry.skills[skill].tools}
    reply: Any = None
    try:
        while True:
            tool, arguments = steps.send(reply)
            assert tool in allowed
            reply = gra_call(tool, **arguments).for_model()
    except StopIteration as end:
        answer = end.value
    assert answer == pytest.approx([query.answer], rel=1e-4)
    assert gra_registry.scorers["two-significant-figures"].score(query, json.dumps(answer)).value == 1


def test_every_reference_belongs_to_a_question() -> None:
    assert set(REFERENCES) == set(SKILLS) == set(QUERIES)


def airport(code: str) -> pd.Series:
    table = pd.read_parquet(data_file("airports.parquet"))
    return table[table["iata"] == code].iloc[0]


def test_nebraska_area() -> None:
    table = gpd.read_parquet(data_file("regions_us.parquet"))
    shape = table.loc[table["region_id"] == "geoId/31", "geometry"].iloc[0]
    assert abs(WGS84.geometry_area_perimeter(shape)[0]) / 1e6 == pytest.approx(200_320, rel=1e-4)
    # The Census Bureau's total area of the state is 200,330 km² (77,348 square miles).
    assert QUERIES["sample-nebraska-area"].answer == pytest.approx(200_330, rel=1e-3)


def test_honolulu_flight() -> None:
    a, b = airport("LAX"), airport("HNL")
    distance = WGS84.inv(a["lon"], a["lat"], b["lon"], b["lat"])[2] / 1000
    assert QUERIES["sample-honolulu-flight"].answer == pytest.approx(distance, abs=0.1)


def test_swiss_height() -> None:
    table = gpd.read_parquet(data_file("regions_world.parquet"))
    shape = table.loc[table["region_id"] == "country/CHE", "geometry"].iloc[0]
    with rasterio.open(data_file("dem_alps.tif")) as raster:
        cells, transform = rasterio.mask.mask(raster, [shape], crop=True, filled=False)
    latitude = transform.f + transform.e * (np.arange(cells.shape[1]) + 0.5)
    weight = np.cos(np.radians(latitude))[:, None] * np.ones(cells.shape[2])
    assert QUERIES["sample-swiss-height"].answer == pytest.approx(
        float(np.ma.average(cells[0], weights=weight)), rel=2e-3
    )


def test_detroit_people() -> None:
    table = gpd.read_parquet(data_file("regions_us.parquet"))
    counties = table[table["parent_id"] == "geoId/26"]
    centres = counties.geometry.to_crs("EPSG:3078").centroid.to_crs("EPSG:4326")
    here = airport("DTW")
    km = np.array([WGS84.inv(here["lon"], here["lat"], p.x, p.y)[2] for p in centres]) / 1000
    assert not ((km > 110) & (km < 129)).any(), "no county is near the limit"
    statistics = pd.read_parquet(data_file("statistics.parquet"))
    people = statistics[
        (statistics["variable"] == "Count_Person") & (statistics["facet"] == "us-census-1990")
    ]
    total = people[people["region_id"].isin(counties["region_id"][km <= 120])]["value"].sum()
    assert QUERIES["sample-detroit-people"].answer == total
