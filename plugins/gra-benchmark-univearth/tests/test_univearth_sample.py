"""The sample: the published format, answers that an independent computation on the atlas' files confirms, and reference
trajectories that arrive at them with the shipped tools."""

from __future__ import annotations

import importlib.resources
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
import shapely

from gra_atlas.files import data_file
from gra_benchmark_univearth.benchmark import UnivEarth
from gra_benchmark_univearth.plugin import gra_benchmarks
from gra_benchmark_univearth.references import REFERENCES, SKILLS
from gra_core import Query, QueryRequest
from gra_core.registry import Registry
from gra_core.result import ToolResult

NO_SOURCES: Any = SimpleNamespace()
QUERIES = {q.id: q for q in UnivEarth().queries(QueryRequest(split="dev"), NO_SOURCES).queries}
WGS84 = pyproj.Geod(ellps="WGS84")


def test_the_sample_has_the_published_form_and_says_whose_it_is() -> None:
    text = importlib.resources.files("gra_benchmark_univearth").joinpath("sample.jsonl").read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    for row in rows:
        assert list(row) == ["question", "answer", "url", "post_id", "tag", "supporting_sentences"]
        assert (
            row["post_id"].startswith("sample-") and "Written for this project" in row["supporting_sentences"]
        )
    assert len(rows) == len(QUERIES) == 6
    assert {q.extra["edition"] for q in QUERIES.values()} == {"sample"}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_the_tools_arrive_at_the_answer(
    query: Query, gra_call: Callable[..., ToolResult], gra_registry: Registry
) -> None:
    steps = UnivEarth().reference(query)
    assert steps is not None
    allowed = {t.name for skill in UnivEarth().skills(query) for t in gra_registry.skills[skill].tools}
    reply: Any = None
    try:
        while True:
            tool, arguments = steps.send(reply)
            assert tool in allowed
            reply = gra_call(tool, **arguments).for_model()
    except StopIteration as end:
        answer = json.dumps(end.value)
    (benchmark,) = gra_benchmarks()
    assert gra_registry.scorers[benchmark.scorers[0]].score(query, answer).value == 1


def test_every_reference_belongs_to_a_question() -> None:
    assert set(REFERENCES) == set(SKILLS) == set(QUERIES)
    published = Query(id="1001", benchmark="univearth", text="?", answer="Yes")
    assert UnivEarth().reference(published) is None and UnivEarth().skills(published) == ()


# -- the answers, from the atlas' files ----------------------------------------------------------------------------


def statistic(variable: str, facet: str, region: str, year: int) -> float:
    table = pd.read_parquet(data_file("statistics.parquet"))
    chosen = table[
        (table["variable"] == variable) & (table["facet"] == facet) & (table["region_id"] == region)
        & (table["date"].astype(str) == str(year))
    ]  # fmt: skip
    assert len(chosen) == 1
    return float(chosen["value"].iloc[0])


def country(code: str) -> Any:
    table = gpd.read_parquet(data_file("regions_world.parquet"))
    return table.loc[table["region_id"] == f"country/{code}", "geometry"].iloc[0]


def storms_near(shape: Any, first: int, last: int) -> int:
    """Storms with an interpolated position of category 1 or more within 100 km; distances in a projection centred on the
    shape, where they are true to a part in a thousand."""
    centre = shape.centroid
    project = pyproj.Transformer.from_crs(
        "EPSG:4326", f"+proj=aeqd +lat_0={centre.y} +lon_0={centre.x}", always_xy=True
    )
    flat = shapely.transform(shape, lambda xy: np.column_stack(project.transform(xy[:, 0], xy[:, 1])))
    fixes = pd.read_parquet(data_file("cyclones.parquet"))
    fixes = fixes[
        fixes["time"].dt.year.between(first, last)
        & fixes["lon"].between(110, 135)
        & fixes["lat"].between(12, 35)
    ]
    found = 0
    for _, track in fixes.sort_values("time").groupby("storm_id"):
        x, y = project.transform(track["lon"].to_numpy(), track["lat"].to_numpy())
        steps = np.linspace(0, len(track) - 1, 60 * max(1, len(track) - 1) + 1)
        place = np.arange(len(track))
        points = shapely.points(np.interp(steps, place, x), np.interp(steps, place, y))
        near = shapely.distance(points, flat) <= 100_000
        category = track["category"].fillna(-5).to_numpy()
        found += bool(
            (
                np.maximum(category[np.floor(steps).astype(int)], category[np.ceil(steps).astype(int)])[near]
                >= 1
            ).any()
        )
    return found


def mean_height(shape: Any) -> float:
    with rasterio.open(data_file("elevation.tif")) as raster:
        cells, transform = rasterio.mask.mask(raster, [shape], crop=True, filled=False)
    rows = np.arange(cells.shape[1])
    weight = np.cos(np.radians(transform.f + transform.e * (rows + 0.5)))[:, None] * np.ones(cells.shape[2])
    return float(np.ma.average(cells[0], weights=weight))


def test_urban_china() -> None:
    share = [
        statistic("Count_Person_Urban", "world-bank", "country/CHN", y)
        / statistic("Count_Person", "world-bank", "country/CHN", y)
        for y in (2000, 2017)
    ]
    assert share == pytest.approx([0.36, 0.58], abs=0.005)
    assert QUERIES["sample-urban-china"].answer == "Yes"


def test_taiwan_typhoons() -> None:
    before, after = storms_near(country("TWN"), 1990, 1999), storms_near(country("TWN"), 2000, 2009)
    assert after - before >= 3
    assert QUERIES["sample-taiwan-typhoons"].answer == "Yes"


def test_bolivia_nepal() -> None:
    assert mean_height(country("NPL")) == pytest.approx(2050, rel=0.02)
    assert mean_height(country("BOL")) == pytest.approx(1280, rel=0.02)
    assert QUERIES["sample-bolivia-nepal"].answer == "No"


def test_atlantic_2010() -> None:
    fixes = pd.read_parquet(data_file("cyclones.parquet"))
    day = fixes[(fixes["time"].dt.strftime("%Y-%m-%d") == "2010-09-16") & (fixes["basin"] == "NA")]
    assert day["storm_id"].nunique() == 3
    assert QUERIES["sample-atlantic-2010"].answer == "No"


def test_austria_switzerland() -> None:
    austria, switzerland = (
        abs(WGS84.geometry_area_perimeter(country(code))[0]) / 1e6 for code in ("AUT", "CHE")
    )
    assert (austria, switzerland) == pytest.approx((84_100, 41_300), rel=0.002)
    assert austria / switzerland > 2.02 and QUERIES["sample-austria-switzerland"].answer == "Yes"


def test_japan_life() -> None:
    values = [statistic("LifeExpectancy_Person", "gapminder-annual", "country/JPN", y) for y in (2000, 2012)]
    assert values == pytest.approx([81.35, 83.418])
    assert QUERIES["sample-japan-life"].answer == "No"
