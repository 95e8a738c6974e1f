"""Elevation against airports, towns and published national means."""

import numpy as np
import pandas as pd
import pytest
import rasterio
from exactextract import exact_extract


def sample(file, points):
    with rasterio.open(file) as raster:
        return [int(v[0]) for v in raster.sample(points)]


@pytest.mark.parametrize("name", ["elevation", "dem_alps", "dem_himalaya", "dem_jacksboro"])
def test_rasters_are_georeferenced(data, name):
    with rasterio.open(data / f"{name}.tif") as raster:
        assert raster.crs.to_epsg() == 4326 and raster.nodata == -32768 and raster.units == ("m",)
        assert raster.transform.a > 0 > raster.transform.e


def test_global_grid_agrees_with_airports(data):
    airports = pd.read_parquet(data / "airports.parquet")
    airports = airports[(airports.elevation_m > 100) & ~airports.country.isin(["ATA", "GRL"])]
    ground = np.array(sample(data / "elevation.tif", zip(airports.lon, airports.lat, strict=True)))
    on_land = ground != -32768
    difference = np.abs(ground - airports.elevation_m)[on_land]
    assert on_land.mean() > 0.995
    assert difference.median() < 25
    for west, east in (
        (-180, -100),
        (-100, -30),
        (-30, 60),
        (60, 180),
    ):  # registration holds around the globe
        assert difference[airports.lon[on_land].between(west, east)].median() < 40


@pytest.mark.parametrize(
    ("region_id", "metres", "tolerance"),
    [  # published means: national sources; USGS for the states
        ("country/CHE", 1307, 40), ("country/AUT", 910, 60), ("country/LSO", 2161, 60), ("country/AUS", 330, 60), ("geoId/08", 2073, 40), ("geoId/31", 792, 20), ("geoId/12", 30, 12),
        ("geoId/10", 18, 10), ("geoId/19", 335, 20),
    ],
)  # fmt: skip
def test_mean_elevation_is_near_the_published_one(data, regions, region_id, metres, tolerance):
    area = regions.loc[[region_id]][["geometry", "name"]]
    mean = exact_extract(str(data / "elevation.tif"), area, ["mean"], output="pandas")["mean"].iloc[0]
    assert mean == pytest.approx(metres, abs=tolerance)


def test_global_and_regional_grids_agree(data, regions):
    for region_id, extract in (
        ("country/AUT", "dem_alps"),
        ("country/CHE", "dem_alps"),
        ("country/NPL", "dem_himalaya"),
    ):
        area = regions.loc[[region_id]][["geometry", "name"]]
        coarse, fine = (
            exact_extract(str(data / f"{name}.tif"), area, ["mean"], output="pandas")["mean"].iloc[0]
            for name in ("elevation", extract)
        )
        assert coarse == pytest.approx(fine, rel=0.01)


def test_sea_ice_sheets_and_depressions(data):
    sea, greenland, antarctica, dead_sea, caspian_plain = sample(
        data / "elevation.tif", [(-40.0, 30.0), (-40.0, 72.0), (90.0, -80.0), (35.5, 31.95), (51.5, 47.5)]
    )
    assert (sea, greenland, antarctica) == (-32768,) * 3
    assert -430 < dead_sea < -150
    assert -50 < caspian_plain < 0


def test_jacksboro_lies_where_its_airport_is(data):
    """Colonel Tommy C Stiner Airfield, 1,179.9 ft; Riner Farm Airport, 1,125 ft (airportsdata)."""
    stiner, riner = sample(data / "dem_jacksboro.tif", [(-84.162965, 36.334089), (-84.099086, 36.183412)])
    assert stiner == pytest.approx(359.6, abs=12)
    assert riner == pytest.approx(342.9, abs=12)
