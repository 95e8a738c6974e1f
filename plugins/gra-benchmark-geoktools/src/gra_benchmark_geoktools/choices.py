"""Sampling: rows of tables by a seeded random number, whatever order the table came in."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pandas as pd
import shapely

from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.facts import CLEARANCE_DEG
from gra_benchmark_geoktools.template import Parameters
from gra_core import IllPosed

# Level word of a parent's parts, for the wordings.
PARTS = {"country/BRA": "state", "country/AUS": "state or territory", "country/CAN": "province or territory"}
CONTINENTS = ("Africa", "Asia", "Europe", "North America", "South America")


def pick(rng: random.Random, table: pd.DataFrame) -> pd.Series:
    """One row of a table that is sorted by a unique index."""
    return pick_many(rng, table, 1).iloc[0]


def pick_many(rng: random.Random, table: pd.DataFrame, count: int) -> pd.DataFrame:
    """Some different rows, in random order; `IllPosed` when there are not that many."""
    if len(table) < count:
        raise IllPosed(f"{len(table)} rows to choose {count} from")
    return table.iloc[rng.sample(range(len(table)), count)]


def a_state(data: Data, rng: random.Random, *, min_counties: int = 10) -> pd.Series:
    """A state of the United States with enough counties to rank."""
    states = data.states()
    enough = [len(data.regions(state_id, "county")) >= min_counties for state_id in states.index]
    return pick(rng, states[enough])


def a_landmark(data: Data, rng: random.Random, *, country: str = "", state: str = "") -> pd.Series:
    """A landmark, of one country or state where asked."""
    table = data.places("landmark", country=country)
    return pick(rng, table[table["admin1"] == state] if state else table)


def some_countries(
    data: Data,
    rng: random.Random,
    count: int,
    *,
    values: pd.Series | None = None,
    area_km2: tuple[float, float] = (2e4, 3e6),
) -> pd.DataFrame:
    """Countries of one continent, neither tiny nor huge, that have a value where `values` (by region id) are given."""
    countries = data.countries()
    fitting = (countries["continent"] == rng.choice(CONTINENTS)) & data.country_areas().between(*area_km2)
    if values is not None:
        fitting &= countries.index.isin(values.index)
    return pick_many(rng, countries[fitting], count).sort_values("name")


def clear_name(data: Data, city: Mapping[str, Any], *, qualified: bool = True) -> str:
    """A city's name as a text gives it, with its state or country where `qualified`; `IllPosed` when another city
    goes by the same name there (anywhere, when not qualified)."""
    home = city["country"] if qualified else ""
    found = data.ask("places", "search", text=city["name"], types=["city"], country=home, limit=1000)
    rivals = found[found["match"].isin(["exact", "alias"]) & (found["place_id"] != city["place_id"])]
    if qualified and home == "USA":
        rivals = rivals[rivals["admin1"] == city["admin1"]]
    if len(rivals):
        raise IllPosed(f"{city['name']} is the name of several cities")
    if not qualified:
        return city["name"]
    return f"{city['name']}, {city['admin1'] if home == 'USA' else data.region(f'country/{home}')['name']}"


def a_point(rng: random.Random, region: pd.Series) -> tuple[float, float]:
    """A random point well inside a region, to four decimals; `IllPosed` when none is found."""
    west, south, east, north = region["geometry"].bounds
    inner = shapely.buffer(region["geometry"], -CLEARANCE_DEG)
    for _ in range(50):
        lon, lat = round(rng.uniform(west, east), 4), round(rng.uniform(south, north), 4)
        if shapely.contains_xy(inner, lon, lat):
            return lon, lat
    raise IllPosed(f"{region['name']} has hardly an inside")


def a_point_in_a_county(data: Data, rng: random.Random) -> tuple[float, float]:
    """A random point in a county of one of the fifty states."""
    return a_point(rng, pick(rng, data.regions(a_state(data, rng)["region_id"], "county")))


def a_state_and_a_landmark(data: Data, rng: random.Random) -> Parameters:
    """A landmark of the United States, half the time in the state itself."""
    state = a_state(data, rng)
    home = data.places("landmark", country="USA")["admin1"].eq(state["name"]).any()
    landmark = a_landmark(
        data, rng, country="USA", state=state["name"] if home and rng.random() < 0.5 else ""
    )
    return {
        "state_id": state["region_id"],
        "state": state["name"],
        "landmark_id": landmark["place_id"],
        "landmark": landmark["name"],
    }


def a_landmark_and_its_state(data: Data, rng: random.Random, radii: tuple[int, ...]) -> Parameters:
    """A landmark of the United States, its state, and a radius around it."""
    landmark = a_landmark(data, rng, country="USA")
    states = data.states()
    state = pick(rng, states[states["name"] == landmark["admin1"]])
    return {"state_id": state["region_id"], "state": state["name"], "radius": rng.choice(radii),
            "landmark_id": landmark["place_id"], "landmark": landmark["name"]}  # fmt: skip
