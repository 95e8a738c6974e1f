"""Sources cyclones and elevation."""

import pandas as pd
import pytest
import rasterio

from gra_atlas.cyclones import AtlasCyclones
from gra_atlas.elevation import AtlasElevation
from gra_core import ToolError
from gra_geo.protocols import FIX_COLUMNS


@pytest.fixture(scope="module")
def atlas():
    return AtlasCyclones()


@pytest.fixture(scope="module")
def everything(atlas):
    return atlas.fixes()


def test_coverage(atlas):
    coverage = atlas.coverage()
    assert (coverage["first_season"], coverage["last_season"], coverage["wind_averaging_min"]) == (
        1980,
        2024,
        1,
    )
    assert sum(coverage["basins"].values()) == coverage["storms"] == 4736
    assert set(coverage["basins"]) == {"NA", "EP", "WP", "NI", "SI", "SP", "SA"}


def test_columns_and_order(everything):
    assert set(FIX_COLUMNS) <= set(everything.columns) and len(everything) == 149_703
    assert everything.equals(everything.sort_values(["storm_id", "time"], ignore_index=True))
    assert not everything[["storm_id", "name", "season", "basin", "time", "lon", "lat"]].isna().any().any()


def test_by_name_and_season(atlas):
    katrina = atlas.fixes(name="katrina", seasons=[2005])
    assert set(katrina.storm_id) == {"2005236N23285"} and katrina.wind_kt.max() == 150
    assert atlas.fixes(name="Katrina").storm_id.nunique() == 3
    assert atlas.fixes(name="Nobody").empty
    assert set(atlas.fixes(seasons=[1992, 1993]).season) == {1992, 1993}
    assert atlas.fixes(seasons=[]).empty


def test_by_id(atlas):
    found = atlas.fixes(storm_ids=["2017242N16333", "2005236n23285", "none"])
    assert set(found.storm_id) == {"2017242N16333", "2005236N23285"}


def test_basin_gives_whole_storms(atlas, everything):
    found = atlas.fixes(basin="na", seasons=[2016])
    ids = set(everything.storm_id[(everything.basin == "NA") & (everything.season == 2016)])
    assert set(found.storm_id) == ids and len(found) == everything.storm_id.isin(ids).sum()
    assert "EP" in set(found.basin)  # Otto crossed Central America in 2016
    with pytest.raises(ToolError, match="unknown basin 'XX'"):
        atlas.fixes(basin="XX")


def test_box_gives_whole_storms(atlas, everything):
    box = [-91.0, 29.0, -89.0, 31.0]
    found = atlas.fixes(bbox=box, seasons=[2005])
    inside = everything[
        everything.lon.between(-91, -89) & everything.lat.between(29, 31) & (everything.season == 2005)
    ]
    assert set(found.storm_id) == set(inside.storm_id) and "2005236N23285" in set(found.storm_id)
    assert len(found[found.storm_id == "2005236N23285"]) == len(atlas.fixes(storm_ids=["2005236N23285"]))


def test_box_across_the_antimeridian(atlas):
    across = set(atlas.fixes(bbox=[175.0, -25.0, -175.0, -10.0]).storm_id)
    west = set(atlas.fixes(bbox=[175.0, -25.0, 180.0, -10.0]).storm_id)
    east = set(atlas.fixes(bbox=[-180.0, -25.0, -175.0, -10.0]).storm_id)
    assert across == west | east and west - east and east - west


@pytest.mark.parametrize("box", [[0, 0, 1], [0, 10, 1, 5], [0, float("nan"), 1, 1]])
def test_bad_boxes(atlas, box):
    with pytest.raises(ToolError) as error:
        atlas.fixes(bbox=box)
    assert error.value.kind == "bad_argument"


def test_results_are_copies(atlas):
    atlas.fixes(name="katrina", seasons=[2005])["wind_kt"] = 0.0
    assert atlas.fixes(name="katrina", seasons=[2005]).wind_kt.max() == 150


def test_times_are_utc_instants(everything):
    assert pd.api.types.is_datetime64_any_dtype(everything.time)
    assert set(everything.time.dt.hour) <= {0, 6, 12, 18}


def test_rasters():
    rasters = AtlasElevation().rasters()
    assert [r["name"] for r in rasters] == ["dem_jacksboro", "dem_alps", "dem_himalaya", "elevation"]
    assert [r["resolution_m"] for r in rasters] == sorted(r["resolution_m"] for r in rasters)
    assert rasters[-1]["bounds"] == [-180.0, -90.0, 180.0, 90.0] and rasters[0][
        "resolution_m"
    ] == pytest.approx(92.8, abs=0.1)
    for raster in rasters:
        assert raster["unit"] == "m" and raster["licence"] and raster["attribution"]
        with rasterio.open(raster["path"]) as opened:
            assert opened.crs.to_string() == raster["crs"] and opened.nodata == raster["nodata"]
    rasters[0]["name"] = "changed"
    assert AtlasElevation().rasters()[0]["name"] == "dem_jacksboro"
