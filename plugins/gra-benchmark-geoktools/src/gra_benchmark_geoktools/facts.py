"""Facts about regions and places that several templates need, each well-posed or refused."""

from __future__ import annotations

import geopandas as gpd
import pandas as pd
import shapely

from gra_benchmark_geoktools.data import WORLD, Data
from gra_benchmark_geoktools.indicators import UNEMPLOYMENT, Indicator
from gra_core import IllPosed

# Points this far from every border lie in the same region on maps of any sound generalisation (degrees).
CLEARANCE_DEG = 0.05


def neighbours(regions: gpd.GeoDataFrame, region_id: str) -> gpd.GeoDataFrame:
    """The regions of a table that share a stretch of border with one of them; `IllPosed` where two meet in a point
    only, or their polygons overlap."""
    region = regions.geometry.loc[region_id]
    others = regions.drop(index=region_id)
    others = others[shapely.intersects(others.geometry.to_numpy(), region)]
    common = shapely.intersection(others.geometry.to_numpy(), region)
    if (shapely.length(common) == 0).any() or (shapely.area(common) > 0).any():
        raise IllPosed("two regions meet in a point only, or their polygons overlap")
    return others


def county_at(data: Data, lon: float, lat: float) -> pd.Series:
    """The US county around a point; `IllPosed` when there is none, or a border is near."""
    counties = data.regions("country/USA", "county")
    spot = shapely.Point(lon, lat).buffer(CLEARANCE_DEG * 0.9)
    around = counties[shapely.intersects(counties.geometry.to_numpy(), spot)]
    if len(around) != 1 or not shapely.intersects_xy(around.geometry.iloc[0], lon, lat):
        raise IllPosed(f"{len(around)} counties near {lon}, {lat}")
    return around.iloc[0]


def position(data: Data, landmark_id: str) -> tuple[float, float]:
    """Longitude and latitude of a landmark."""
    place = data.places("landmark").loc[landmark_id]
    return float(place["lon"]), float(place["lat"])


def world_values(data: Data, indicator: Indicator, year: int) -> pd.Series:
    """An indicator of all countries in a year, by region id."""
    return data.values(indicator.variable, indicator.facet, str(year), parent_id=WORLD, level="country")


def unemployment(data: Data, state_id: str) -> pd.Series:
    """The rates of a state's counties by id; `IllPosed` when one is missing."""
    i = UNEMPLOYMENT
    values = data.values(i.variable, i.facet, "2009", parent_id=state_id, level="county")
    if len(values) < len(data.regions(state_id, "county")):
        raise IllPosed(f"{state_id}: a county has no unemployment rate")
    return values


def with_rates(data: Data, state_id: str, counties: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Counties of a state with the column ``rate``."""
    return counties.assign(rate=unemployment(data, state_id).reindex(counties.index))
