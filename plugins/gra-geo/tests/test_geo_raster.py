"""Rasters by path: metadata, windows, samples, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from gra_core import ToolError
from gra_geo.arrays import write_array
from gra_geo.raster import Raster


def test_what_cannot_be_a_raster_says_so(tmp_path: Path) -> None:
    (tmp_path / "notes.tif").write_text("not a raster")
    (tmp_path / "empty.tif").write_bytes(b"")
    for name in ("notes.tif", "empty.tif"):
        with pytest.raises(ToolError, match="cannot be read as a raster") as caught:
            Raster.open(tmp_path / name)
        assert (
            caught.value.kind == "bad_argument"
            and str(tmp_path) not in caught.value.message.split("cannot")[0]
        )
    with pytest.raises(ToolError, match="no raster file") as caught:
        Raster.open(tmp_path / "none.tif")
    assert caught.value.kind == "not_found"


def test_bands_and_rotated_grids(synthetic_raster, tmp_path: Path) -> None:
    raster = synthetic_raster(np.ones((2, 2)), 0, 2)
    with pytest.raises(ToolError, match="has 1 bands, not a band 2"):
        Raster.open(raster.path, 2)
    grid = rasterio.Affine(1, 0.5, 0, 0.5, -1, 2)
    with rasterio.open(
        tmp_path / "turned.tif",
        "w",
        driver="GTiff",
        width=2,
        height=2,
        count=1,
        dtype="uint8",
        transform=grid,
    ):
        pass
    with pytest.raises(ToolError, match="rotated"):
        Raster.open(tmp_path / "turned.tif")


def test_bounds_across_the_date_line_and_around_the_world(synthetic_raster) -> None:
    assert synthetic_raster(np.ones((2, 20)), 170, 2).bounds_wgs84 == (170, 0, -170, 2)
    assert synthetic_raster(np.ones((181, 360)), -0.5, 90.5).bounds_wgs84 == (-180, -90, 180, 90)
    assert synthetic_raster(np.ones((2, 10)), 170, 2).bounds_wgs84 == (170, 0, 180, 2)
    utm = synthetic_raster(np.ones((10, 10)), 500_000, 5_000_000, 1000, "EPSG:32633").bounds_wgs84
    assert utm == pytest.approx((15, 45.06, 15.13, 45.15), abs=0.01)
    # Fiji's grid lies across the date line.
    fiji = synthetic_raster(np.ones((10, 20)), 1_800_000, 4_000_000, 50_000, "EPSG:3460").bounds_wgs84
    assert fiji[0] > fiji[2]


def test_samples_by_cell_and_between_cells(synthetic_raster) -> None:
    raster = synthetic_raster(np.add.outer(np.arange(4.0)[::-1] * 10, np.arange(5.0)), 10, 54)
    assert raster.sample([10.5, 14.9, 10.5, 99, 10.5], [50.5, 53.9, 53.5, 50, 60])[:3].tolist() == [0, 34, 30]
    assert np.isnan(raster.sample([99.0, 12.0], [50.0, 60.0])).all()
    # The plane is met exactly between the outer cell centres.
    assert raster.sample([12.25], [51.75], bilinear=True)[0] == pytest.approx(1.75 + 12.5)
    assert raster.sample([15.0], [50.0])[0] == 4  # the outer edge belongs to the last cell


@settings(max_examples=30)
@given(st.floats(-179.9, 179.9), st.floats(-89, 89))
def test_grids_of_either_range_agree(lon: float, lat: float) -> None:
    import tempfile

    rng = np.random.default_rng(1)
    values = rng.random((18, 36))
    with tempfile.TemporaryDirectory() as folder:
        rasters = []
        for west, cells in ((-180.0, values), (0.0, np.roll(values, 18, axis=1))):
            path = Path(folder) / f"synthetic{west:g}.tif"
            grid = rasterio.transform.from_origin(west, 90, 10, 10)
            with rasterio.open(
                path,
                "w",
                driver="GTiff",
                width=36,
                height=18,
                count=1,
                dtype="float64",
                crs="EPSG:4326",
                transform=grid,
            ) as t:
                t.write(cells, 1)
            rasters.append(Raster.open(path))
        for bilinear in (False, True):
            one, other = (r.sample([lon], [lat], bilinear=bilinear)[0] for r in rasters)
            assert one == pytest.approx(other, abs=1e-9)


def test_bilinear_samples_close_round_the_earth(synthetic_raster) -> None:
    raster = synthetic_raster(np.array([[0.0, 1, 2, 3]]), -180, 45, 90.0)
    assert raster.sample([180, -180, 179.999999], [0, 0, 0], bilinear=True) == pytest.approx(
        [1.5, 1.5, 1.5], abs=1e-6
    )


def test_select_runs_from_west_to_east_across_any_seam(synthetic_raster) -> None:
    centres = np.arange(360.0)
    zero = synthetic_raster(np.broadcast_to(centres, (3, 360)).copy(), -0.5, 1.5)
    assert zero.select((-2, 0, 2, 0)).values.tolist() == [[358, 359, 0, 1, 2]]
    assert zero.select((178, 0, -178, 0)).values.tolist() == [[178, 179, 180, 181, 182]]
    assert zero.select((178, 0, -178, 0))["x"].values.tolist() == [178, 179, 180, 181, 182]
    assert zero.select((0.2, 0, 0.8, 0)).shape == (1, 0)
    with pytest.raises(ToolError, match="not in longitude/latitude"):
        synthetic_raster(np.ones((2, 2)), 0, 2, crs="EPSG:32633").select((0, 0, 1, 1))


def test_an_array_is_written_north_up_whatever_its_order(tmp_path: Path) -> None:
    values = np.arange(6.0).reshape(2, 3)
    straight = xr.DataArray(
        values,
        dims=("y", "x"),
        coords={"y": [1.5, 0.5], "x": [0.5, 1.5, 2.5]},
        attrs={"crs": "EPSG:4326", "nodata": 5.0},
    )
    for number, array in enumerate((straight, straight[::-1], straight[:, ::-1])):
        path = tmp_path / f"{number}.tif"
        write_array(array, path)
        raster = Raster.open(path)
        assert np.nan_to_num(raster.read(), nan=5).tolist() == values.tolist() and np.isnan(
            raster.read()[1, 2]
        )
        assert raster.bounds == (0, 0, 3, 2) and raster.known_crs.to_epsg() == 4326


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (xr.DataArray(np.ones((2, 2, 2)), dims=("b", "y", "x")), "two dimensions"),
        (
            xr.DataArray(np.ones((2, 3)), dims=("y", "x"), coords={"y": [1, 0], "x": [0, 1, 5]}),
            "not evenly spaced",
        ),
        (
            xr.DataArray(np.ones((1, 3)), dims=("y", "x"), coords={"y": [1], "x": [0, 1, 2]}),
            "at least two cells",
        ),
    ],
)
def test_arrays_that_are_no_grid_are_refused(array: xr.DataArray, message: str, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=message):
        write_array(array, tmp_path / "x.tif")
