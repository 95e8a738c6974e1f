"""Reference trajectories: they run on the shipped tools without an error, and what they find is right by an independent
computation on the atlas' files."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyproj
import pytest

from gra_atlas.files import data_file
from gra_benchmark_geoexpert.references import REFERENCES
from gra_core.registry import Registry
from gra_core.result import ToolResult

WGS84 = pyproj.Geod(ellps="WGS84")
# Tools answer "empty" here because there is nothing: no storm near two of the airports, none near both a hub and another.
MAY_BE_EMPTY = {"own-hurricane-alternates"}


@pytest.fixture
def play(gra_call: Callable[..., ToolResult], gra_registry: Registry) -> Callable[[str], str]:
    def answer(query_id: str) -> str:
        reference = REFERENCES[query_id]
        allowed = {tool.name for skill in reference.skills for tool in gra_registry.skills[skill].tools}
        steps, reply = reference.play(), None
        try:
            while True:
                tool, arguments = steps.send(reply)
                assert tool in allowed, f"{tool} belongs to no skill of {query_id}"
                reply = gra_call(tool, **arguments).for_model()
                assert reply["status"] == "ok" or (reply["status"] == "empty" and query_id in MAY_BE_EMPTY), (
                    tool,
                    reply,
                )
        except StopIteration as end:
            return str(end.value)

    return answer


@pytest.mark.parametrize("query_id", REFERENCES)
def test_it_runs_and_its_answer_names_data_and_limits(play: Callable[[str], str], query_id: str) -> None:
    answer = play(query_id)
    assert "Data: " in answer and "Limits: " in answer and re.search(r"\d", answer)
    assert "None" not in answer and "nan" not in answer.split()


# -- independent computations --------------------------------------------------------------------------------------


@cache
def statistics() -> pd.DataFrame:
    return pd.read_parquet(data_file("statistics.parquet"))


def values(variable: str, facet: str) -> pd.DataFrame:
    table = statistics()
    table = table[(table["variable"] == variable) & (table["facet"] == facet)]
    return table.assign(year=table["date"].astype(str).str.slice(0, 4).astype(int))


@cache
def us_counties() -> gpd.GeoDataFrame:
    table = gpd.read_parquet(data_file("regions_us.parquet"))
    table = table[table["level"] == "county"]
    centres = table.geometry.to_crs("EPSG:5070").centroid.to_crs("EPSG:4326")
    return table.assign(lon=centres.x, lat=centres.y).set_index("region_id")


@cache
def cities() -> pd.DataFrame:
    return pd.read_parquet(data_file("cities.parquet"))


def km(lon_a: Any, lat_a: Any, lon_b: Any, lat_b: Any) -> np.ndarray:
    lon_a, lat_a, lon_b, lat_b = np.broadcast_arrays(lon_a, lat_a, lon_b, lat_b)
    return WGS84.inv(lon_a, lat_a, lon_b, lat_b)[2] / 1000


def test_life_expectancy_lost_and_regained(play: Callable[[str], str]) -> None:
    answer = play("own-life-expectancy-loss")
    table = values("LifeExpectancy_Person", "gapminder-annual")
    for name, code in (("Botswana", "BWA"), ("Zimbabwe", "ZWE"), ("South Africa", "ZAF"), ("Namibia", "NAM")):
        series = (
            table[(table["region_id"] == f"country/{code}") & table["year"].between(1990, 2013)]
            .set_index("year")["value"]
            .sort_index()
        )
        low = series.loc[:2010].idxmin()
        after = series.loc[low + 1 :]
        back = after[after >= series.loc[1990]].index.min()
        told = f"back in {back}" if back == back else "not back by 2013"
        assert f"{name} ({series.loc[1990] - series.loc[low]:.1f} years by {low}, {told})" in answer


def test_elderly_poverty_far_from_a_city(play: Callable[[str], str]) -> None:
    answer = play("own-midwest-elderly-access")
    rate = values("Percent_Elderly_BelowPovertyLevel", "us-census-1990").set_index("region_id")["value"]
    assert len(rate) == 437
    poor = rate[rate >= np.quantile(rate, 0.9)]
    big = cities()[(cities()["country"] == "USA") & (cities()["population"] >= 100_000)]
    counties = us_counties().loc[poor.index]
    nearest = pd.Series(
        [
            km(row.lon, row.lat, big["lon"].to_numpy(), big["lat"].to_numpy()).min()
            for row in counties.itertuples()
        ],
        index=counties.index,
    )
    assert not nearest.between(99, 101).any(), "no county is near the limit"
    far = nearest[nearest > 100]
    assert f"{len(poor)} of the counties" in answer and f"{len(far)} of them" in answer
    for region_id in far.index:
        name = counties.loc[region_id, "name"]
        given = re.search(rf"{name} \({poor[region_id]:.1f} %, (\d+) km", answer)
        assert given and abs(int(given[1]) - far[region_id]) < 1.5


def test_the_cargo_hub(play: Callable[[str], str]) -> None:
    answer = play("own-plains-cargo-hub")
    big = cities()[
        (cities()["country"] == "USA")
        & (cities()["population"] >= 200_000)
        & ~cities()["admin1"].isin(["Alaska", "Hawaii"])
    ]
    assert f"the people of {len(big)} cities" in answer
    airports = pd.read_parquet(data_file("airports.parquet"))
    lambert, rival = (airports[airports["iata"] == code].iloc[0] for code in ("STL", "FAM"))
    mean = [
        np.average(
            km(a["lon"], a["lat"], big["lon"].to_numpy(), big["lat"].to_numpy()), weights=big["population"]
        )
        for a in (lambert, rival)
    ]
    assert (
        f"{mean[0]:.0f} km on average" in answer and f"{mean[1] - mean[0]:.1f} km over Farmington" in answer
    )


def test_the_first_job_centre(play: Callable[[str], str]) -> None:
    answer = play("own-job-centres")
    people = values("Count_Person_Unemployed", "us-bls-laus").set_index("region_id")["value"]
    counties = us_counties()
    counties = counties[counties["parent_id"].isin(["geoId/26", "geoId/39"])].join(people.rename("people"))
    lon, lat = counties["lon"].to_numpy(), counties["lat"].to_numpy()
    reach = np.array(
        [counties["people"].to_numpy()[km(a, b, lon, lat) <= 60].sum() for a, b in zip(lon, lat, strict=True)]
    )
    best = int(reach.argmax())
    assert f"Hosts: {counties['name'].iloc[best]} ({reach[best]:,.0f} more)" in answer
    assert f"of {counties['people'].sum():,.0f} unemployed" in answer


def test_people_around_the_epicentre(play: Callable[[str], str]) -> None:
    answer = play("own-kahramanmaras-relief")
    away = km(37.0, 37.2, cities()["lon"].to_numpy(), cities()["lat"].to_numpy())
    inside = cities()[away <= 150]
    assert not ((away > 149.5) & (away < 150.5) & (cities()["population"] > 50_000)).any(), (
        "no larger town is near the limit"
    )
    given = re.match(r"([\d,]+) people lived in (\d+) towns", answer)
    assert given and abs(int(given[1].replace(",", "")) / inside["population"].sum() - 1) < 0.005
    assert abs(int(given[2]) - len(inside)) <= 1


def test_florida_people(play: Callable[[str], str]) -> None:
    answer = play("own-florida-shelters")
    force = values("Count_Person_InLaborForce", "us-bls-laus").set_index("region_id")["value"]
    assert f"Miami-Dade County (4 hurricanes, {force['geoId/12086']:,.0f} people)" in answer
    assert answer.count(" hurricanes, ") == 10


def test_the_shares_of_the_elderly(play: Callable[[str], str]) -> None:
    answer = play("own-long-term-care")
    old, people = values("Count_Person_65OrMoreYears", "un-wpp-2024"), values("Count_Person", "un-wpp-2024")
    for name, code in (("Germany", "DEU"), ("Italy", "ITA"), ("Japan", "JPN"), ("South Korea", "KOR")):
        share = []
        for year in (1990, 2020):
            parts = [
                t[(t["region_id"] == f"country/{code}") & (t["year"] == year)]["value"].iloc[0]
                for t in (old, people)
            ]
            share.append(100 * parts[0] / parts[1])
        assert f"{name} {share[0]:.1f} % in 1990, {share[1]:.1f} % in 2020" in answer
