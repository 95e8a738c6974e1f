"""Previews of stored datasets: rows, maps of features and rasters."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import rasterio
import shapely
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from rasterio.io import MemoryFile
from rasterio.transform import from_origin

from gra_geo import plugin, previews
from gra_geo.formats import GeoParquetHandler, GeoTiffHandler, ParquetHandler


def decode(png: bytes) -> np.ndarray:
    """The picture as another library (GDAL) reads it: height, width, RGBA."""
    with MemoryFile(png) as file, file.open() as data:
        return np.moveaxis(data.read(), 0, -1)


def picture(made: dict) -> np.ndarray:
    return decode(base64.b64decode(made["map"]["image"].removeprefix("data:image/png;base64,")))


@given(hnp.arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(4))))
def test_png_is_read_back_by_gdal(rgba: np.ndarray) -> None:
    assert np.array_equal(decode(previews.png(rgba)), rgba)


def test_every_format_has_a_preview() -> None:
    assert all(hasattr(f.load(), "preview") for f in plugin.gra_formats())


def test_features_in_another_crs(tmp_path: Path) -> None:
    frame = gpd.GeoDataFrame(
        {"name": ["a", "b"], "n": [1, np.nan]}, geometry=[shapely.box(0, 0, 1, 1), None], crs="EPSG:4326"
    )
    GeoParquetHandler().write(frame.to_crs("EPSG:3857"), tmp_path / "data.parquet")
    made = GeoParquetHandler().preview(tmp_path / "data.parquet", 10)
    assert (
        made["columns"] == ["name", "n", "geometry"]
        and made["total"] == 2
        and made["rows"][1][:2] == ["b", None]
    )
    assert made["map"]["bounds"] == pytest.approx([0, 0, 1, 1], abs=1e-5)
    (feature,) = made["map"]["geojson"]["features"]
    assert feature["properties"] == {"name": "a", "n": 1} and feature["geometry"]["type"] == "Polygon"


def test_features_across_the_180th_meridian_stay_together(tmp_path: Path) -> None:
    frame = gpd.GeoDataFrame(
        {"name": ["w", "e"]}, geometry=gpd.points_from_xy([-178.0, 177.0], [-17.0, -18.0]), crs="EPSG:4326"
    )
    made = previews.preview_table(frame, 5)
    assert made["map"]["bounds"] == pytest.approx([177, -18, 182, -17])
    assert [f["geometry"]["coordinates"][0] for f in made["map"]["geojson"]["features"]] == [182.0, 177.0]


def test_tables_with_coordinates_are_points() -> None:
    made = previews.preview_table(
        pd.DataFrame({"lon": [10.0, 999.0], "lat": [50.0, 0.0], "wind_kt": [35, 50]}), 5
    )
    assert [f["geometry"]["coordinates"] for f in made["map"]["geojson"]["features"]] == [[10.0, 50.0]]
    assert "map" not in previews.preview_table(pd.DataFrame({"lon": ["x"], "lat": ["y"]}), 5)
    assert "map" not in ParquetHandler().preview(_written(pd.DataFrame({"a": [1]})), 5)


def _written(frame: pd.DataFrame) -> io.BytesIO:
    file = io.BytesIO()
    frame.to_parquet(file)
    file.seek(0)
    return file


def test_without_a_crs_there_is_no_map() -> None:
    made = previews.preview_table(gpd.GeoDataFrame(geometry=[shapely.Point(500_000, 0)]), 5)
    assert "map" not in made and "no map" in made["note"]


def test_large_shapes_are_simplified() -> None:
    angle = np.linspace(0, 2 * np.pi, 300_000)
    circle = shapely.Polygon(np.column_stack([np.cos(angle), np.sin(angle)]))
    made = previews.preview_table(gpd.GeoDataFrame({"name": ["c"]}, geometry=[circle], crs="EPSG:4326"), 5)
    shown = shapely.geometry.shape(made["map"]["geojson"]["features"][0]["geometry"])
    assert shapely.get_num_coordinates(shown) < previews.MAX_VERTICES
    assert shown.area == pytest.approx(np.pi, rel=1e-2)


def write(path: Path, values: np.ndarray, **profile: object) -> Path:
    options = {
        "driver": "GTiff",
        "height": values.shape[0],
        "width": values.shape[1],
        "count": 1,
        "dtype": values.dtype,
    } | profile
    with rasterio.open(path, "w", **options) as data:
        data.write(values, 1)
    return path


def test_a_raster_has_its_colours_where_its_cells_are(tmp_path: Path) -> None:
    values = np.array([[0.0, 100.0], [-9999.0, 50.0]], dtype="float32")
    path = write(
        tmp_path / "a.tif", values, crs="EPSG:4326", transform=from_origin(10, 2, 1, 1), nodata=-9999.0
    )
    made = GeoTiffHandler().preview(path, 5)
    legend = made["map"]["legend"]
    assert (legend["kind"], legend["min"], legend["max"]) == ("ramp", 0.0, 100.0)
    assert made["map"]["bounds"] == pytest.approx([10, 0, 12, 2], abs=0.01)
    cells = picture(made)
    height, width, _ = cells.shape
    upper, lower, left, right = height // 4, height - 1 - height // 4, width // 4, width - 1 - width // 4
    assert tuple(cells[upper, left]) == previews._rgb(previews.RAMP[0])
    assert tuple(cells[upper, right]) == previews._rgb(previews.RAMP[-1])
    assert tuple(cells[lower, right]) == previews._rgb(previews.RAMP[4])
    assert cells[lower, left, 3] == 0  # missing cells are clear


def test_few_whole_numbers_are_classes(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.tif",
        np.array([[1, 2], [2, 7]], dtype="uint8"),
        crs="EPSG:32633",
        transform=from_origin(500_000, 5_000_000, 1000, 1000),
    )
    legend = GeoTiffHandler().preview(path, 5)["map"]["legend"]
    assert [c["value"] for c in legend["classes"]] == [1, 2, 7]


def test_a_global_raster_is_cut_where_mercator_ends(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.tif",
        np.arange(180 * 360, dtype="float32").reshape(180, 360),
        crs="EPSG:4326",
        transform=from_origin(-180, 90, 1, 1),
    )
    made = GeoTiffHandler().preview(path, 5)["map"]
    assert (
        made["bounds"][0] == pytest.approx(-180, abs=2)
        and made["bounds"][3] < 86
        and max(made["width"], made["height"]) <= previews.MAX_PIXELS
    )


@pytest.mark.parametrize("crs", [None, "EPSG:4326"])
def test_what_cannot_be_drawn_says_why(tmp_path: Path, crs: str | None) -> None:
    path = write(
        tmp_path / "a.tif", np.full((2, 2), np.nan, "float32"), crs=crs, transform=from_origin(0, 1, 1, 1)
    )
    made = GeoTiffHandler().preview(path, 5)
    assert "no map" in made["note"] if crs is None else made["map"]["legend"]["kind"] == "empty"
    (tmp_path / "b.tif").write_text("no raster")
    assert "no map" in GeoTiffHandler().preview(tmp_path / "b.tif", 5)["note"]


def test_a_file_that_points_elsewhere_is_not_followed(tmp_path: Path) -> None:
    secret = write(
        tmp_path / "secret.tif",
        np.array([[1.0]], dtype="float32"),
        crs="EPSG:4326",
        transform=from_origin(0, 1, 1, 1),
    )
    (tmp_path / "data.tif").write_text(
        '<VRTDataset rasterXSize="1" rasterYSize="1"><SRS>EPSG:4326</SRS><VRTRasterBand dataType="Float32" band="1"><SimpleSource>'
        f"<SourceFilename>{secret}</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>"
    )
    with rasterio.open(tmp_path / "data.tif") as followed:
        assert followed.read(1).tolist() == [[1.0]]
    made = GeoTiffHandler().preview(tmp_path / "data.tif", 5)
    assert "map" not in made and "no map" in made["note"]
