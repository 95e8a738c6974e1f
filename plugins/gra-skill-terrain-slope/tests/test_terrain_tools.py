"""The tools on the atlas and on files; the GeoTIFF source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyproj
import pytest
import rasterio
import shapely

from gra_core import SourceSettings, ToolError
from gra_core.testing import PluginConformance
from gra_skill_terrain_slope.sources.geotiff import GeoTiffElevation

GEOD = pyproj.Geod(ellps="WGS84")


class TestConformance(PluginConformance):
    plugin = "gra_skill_terrain_slope.plugin"
    examples = {
        "compute_elevation_stats": [{"regions": ["geoId/08", "geoId/20"], "stats": ["mean", "p90"]}],
        "compute_slope_stats": [{"regions": ["geoId/08"], "units": "degrees"}],
        "sample_elevation_profile": [{"line": [[-104.99, 39.74], [-105.27, 40.01]]}],
    }


def box(west: float, south: float, east: float, north: float) -> dict[str, Any]:
    return shapely.geometry.mapping(shapely.box(west, south, east, north))


def source(path: Any, **settings: Any) -> GeoTiffElevation:
    return GeoTiffElevation(SourceSettings(values={"path": path, **settings}))


def test_states_rank_by_their_published_mean_elevation(gra_call) -> None:
    """Mean elevations of the USGS (Elevations and Distances in the United States), feet; the embedded model has cells of 9 km."""
    published = {"geoId/08": 6800, "geoId/56": 6700, "geoId/31": 2600, "geoId/20": 2000, "geoId/22": 100}
    rows = gra_call("compute_elevation_stats", regions=sorted(published), stats=["mean"]).content["rows"]
    assert [r["feature_id"] for r in rows] == list(published)
    assert [r["elevation_mean_m"] for r in rows] == pytest.approx(
        [v * 0.3048 for v in published.values()], rel=0.06, abs=30
    )


def test_the_finest_model_that_covers_everything_is_used(gra_call) -> None:
    kathmandu, colorado = box(85.3, 27.6, 85.4, 27.7), box(-106, 39, -105.9, 39.1)
    models = {e["name"] for e in _atlas(gra_call)}
    local = gra_call("compute_elevation_stats", regions=kathmandu)
    assert local.content["dem"]["name"] == "dem_himalaya" and local.content["dem"]["cell_m"] < 1000
    both = {"type": "MultiPolygon", "coordinates": [kathmandu["coordinates"], colorado["coordinates"]]}
    world = gra_call("compute_elevation_stats", regions=both)
    assert world.content["dem"]["name"] == "elevation"
    forced = gra_call("compute_elevation_stats", regions=kathmandu, dem="elevation")
    assert forced.content["dem"]["name"] == "elevation"
    unknown = gra_call("compute_elevation_stats", regions=kathmandu, dem="mars")
    assert unknown.error.kind == "not_found" and "elevation" in unknown.error.hint
    assert {"dem_himalaya", "elevation"} <= models


def _atlas(gra_call) -> list[dict[str, Any]]:
    from gra_core import Registry, Sources

    return Sources(Registry.load()).open("elevation").rasters()


def test_coarse_slopes_carry_a_warning_and_seas_are_empty(gra_call) -> None:
    nepal = gra_call("compute_slope_stats", regions=["geoId/08"])
    assert any("far gentler than on the ground" in n for n in nepal.notes)
    sea = gra_call("compute_elevation_stats", regions=box(-30, 0, -29, 1))
    assert sea.status == "empty" and "no land" in sea.content["reason"]
    assert gra_call("sample_elevation_profile", line=[[-30, 0], [-29, 1]]).status == "empty"


def test_sums_of_heights_are_refused(gra_call) -> None:
    assert (
        "do not add up"
        in gra_call("compute_elevation_stats", regions=["geoId/08"], stats=["sum"]).error.message
    )
    assert (
        "unknown statistics 'steepness'"
        in gra_call("compute_slope_stats", regions=["geoId/08"], stats=["steepness"]).error.message
    )


def test_a_profile_has_even_steps_on_the_ground(gra_call) -> None:
    result = gra_call(
        "sample_elevation_profile", line=[[-104.99, 39.74], [-105.27, 40.01], [-106, 40]], spacing_m=1000
    )
    from gra_core import Registry, Workspace

    frame = Workspace(Path(result.datasets[0].path).parents[2], Registry.load().formats).get(
        result.datasets[0].ref
    )
    xy = np.column_stack([frame.geometry.x, frame.geometry.y])
    steps = np.asarray(GEOD.inv(*xy[:-1].T, *xy[1:].T)[2])
    corner = GEOD.inv(-104.99, 39.74, -105.27, 40.01)[2]
    around = int(corner // 1000)
    assert np.delete(steps, [around, len(steps) - 1]) == pytest.approx(1000, rel=1e-6)
    length = corner + GEOD.inv(-105.27, 40.01, -106, 40)[2]
    assert result.content["length_m"] == pytest.approx(length, rel=1e-9)
    assert xy[-1].tolist() == [-106, 40]
    assert result.content["ascent_m"] - result.content["descent_m"] == pytest.approx(
        result.content["end_m"] - result.content["start_m"], abs=0.01
    )


def test_a_profile_up_a_ramp(on_files, synthetic_dem) -> None:
    lat = 45 - (np.arange(100) + 0.5) * 0.01
    path = synthetic_dem(np.repeat((lat[:, None] - 44) * 1000, 100, axis=1), 10, 45, 0.01)
    line = {"type": "LineString", "coordinates": [[10.5, 44.2], [10.5, 44.8]]}
    content = on_files("sample_elevation_profile", path, line=line, spacing_m=500).content
    assert (content["start_m"], content["end_m"]) == (pytest.approx(200), pytest.approx(800))
    assert content["ascent_m"] == pytest.approx(600) and content["descent_m"] == 0
    run = GEOD.inv(10.5, 44.2, 10.5, 44.8)[2]
    assert content["steepest_grade_percent"] == pytest.approx(100 * 600 / run, rel=2e-3)
    assert content["dem"]["cell_m"] == pytest.approx(1112, abs=2)


def test_a_profile_across_the_date_line(on_files, synthetic_dem) -> None:
    lon = np.arange(360.0) - 179.5
    path = synthetic_dem(np.abs(np.broadcast_to(lon, (180, 360))).astype("float32"), -180, 90, 1.0)
    line = {"type": "LineString", "coordinates": [[178, 0], [-178, 0]]}
    content = on_files("sample_elevation_profile", path, line=line, spacing_m=50_000).content
    assert content["length_m"] == pytest.approx(GEOD.inv(178, 0, -178, 0)[2])
    assert (
        content["without_data"] == 0
        and content["max_m"] == pytest.approx(179.5)
        and content["start_m"] == pytest.approx(178)
    )
    assert content["start_m"] == pytest.approx(content["end_m"])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ([[0, 0]], "got one point"),
        ([[10, 45], [10, 45]], "no length"),
        (box(0, 0, 1, 1), "1 features of type Polygon"),
        ({"type": "MultiLineString", "coordinates": [[[0, 0], [1, 1]], [[5, 5], [6, 6]]]}, "do not follow on each other"),
        ({"type": "LineString", "coordinates": [[0, 0]]}, "two different positions"),
    ],
)  # fmt: skip
def test_what_is_no_line_is_refused(gra_call, line: Any, says: str) -> None:
    result = gra_call("sample_elevation_profile", line=line)
    assert result.error.kind == "bad_argument" and says in result.error.message
    many = gra_call("sample_elevation_profile", line=[[0, 0], [90, 0]], spacing_m=1)
    assert "samples are too many" in many.error.message


def test_parts_of_a_line_are_joined_in_any_order(on_files, synthetic_dem) -> None:
    path = synthetic_dem(np.ones((50, 50)), 0, 50, 1.0)
    parts = {"type": "MultiLineString", "coordinates": [[[20, 20], [30, 20]], [[10, 20], [20, 20]]]}
    content = on_files("sample_elevation_profile", path, line=parts, spacing_m=100_000).content
    assert content["length_m"] == pytest.approx(2 * GEOD.inv(10, 20, 20, 20)[2])


def test_tiles_of_one_grid_are_one_model(on_files, synthetic_dem, tmp_path: Path) -> None:
    whole = np.arange(400.0).reshape(20, 20)
    for row in (0, 1):
        for col in (0, 1):
            part = whole[row * 10 : row * 10 + 10, col * 10 : col * 10 + 10]
            synthetic_dem(
                part.astype("int16"),
                10 + col * 0.1,
                50 - row * 0.1,
                0.01,
                name=f"tile-{row}{col}",
                nodata=-32768,
            )
    coarse = synthetic_dem(np.full((10, 10), 7, "int16"), 5, 55, 1.0, name="coarse", nodata=-32768)
    entries = source(tmp_path / "dem").rasters()
    assert [e["resolution_m"] for e in entries] == sorted(e["resolution_m"] for e in entries) and len(
        entries
    ) == 2
    assert entries[0]["bounds"] == pytest.approx([10, 49.8, 10.2, 50]) and entries[1]["name"] == coarse.stem
    result = on_files(
        "compute_elevation_stats",
        tmp_path / "dem",
        regions=box(10, 49.8, 10.2, 50),
        stats=["mean", "min", "max"],
    )
    row = result.content["rows"][0]
    assert (row["elevation_min_m"], row["elevation_max_m"], row["cells"]) == (0, 399, pytest.approx(400))
    across = on_files(
        "compute_elevation_stats",
        tmp_path / "dem",
        regions=box(10.095, 49.895, 10.105, 49.905),
        stats=["mean"],
    )
    assert across.content["rows"][0]["elevation_mean_m"] == pytest.approx(
        np.mean([189, 190, 209, 210]), abs=0.1
    )
    outside = on_files("compute_elevation_stats", tmp_path / "dem", regions=box(8, 49, 9, 50), stats=["mean"])
    assert outside.content["dem"]["name"] == "coarse" and outside.content["rows"][0]["elevation_mean_m"] == 7


def test_gaps_between_tiles_are_missing(on_files, synthetic_dem, tmp_path: Path) -> None:
    for col in (0, 2):
        synthetic_dem(np.full((10, 10), 5.0, "float32"), 10 + col * 0.1, 50, 0.01, name=f"tile-{col}")
    row = on_files("compute_elevation_stats", tmp_path / "dem", regions=box(10, 49.9, 10.3, 50)).content[
        "rows"
    ][0]
    assert (row["elevation_mean_m"], row["elevation_min_m"]) == (5, 5) and row[
        "valid_share"
    ] == pytest.approx(2 / 3, abs=1e-3)


def test_heights_in_feet_and_overridden_nodata(on_files, synthetic_dem) -> None:
    path = synthetic_dem([[1000.0, -1.0], [1000.0, 1000.0]], 10, 50, 0.01)
    result = on_files(
        "compute_elevation_stats", path, {"unit": "ft", "nodata": -1.0}, regions=box(10, 49.98, 10.02, 50)
    )
    row = result.content["rows"][0]
    assert row["elevation_mean_m"] == row["elevation_min_m"] == pytest.approx(304.8) and row[
        "valid_share"
    ] == pytest.approx(0.75, abs=1e-3)


def test_a_raster_dataset_can_be_the_model(gra_call, tmp_path: Path, synthetic_dem) -> None:
    from gra_core import Registry, Workspace
    from gra_geo.raster import Raster

    path = synthetic_dem(np.full((4, 4), 12.0), 10, 50, 0.01)
    workspace = Workspace(tmp_path, Registry.load().formats)
    ref = workspace.put(Raster.open(path), name="own").ref
    row = gra_call("compute_elevation_stats", regions=box(10, 49.97, 10.03, 50), dem=ref)
    assert row.content["rows"][0]["elevation_mean_m"] == 12 and row.content["dem"]["name"] == ref
    table = workspace.put({"a": 1}, name="table").ref
    assert (
        "is not a raster"
        in gra_call("compute_elevation_stats", regions=box(10, 49, 11, 50), dem=table).error.message
    )


def test_what_is_wrong_with_the_files_is_said(on_files, synthetic_dem, tmp_path: Path) -> None:
    def message(path: Any, **settings: Any) -> str:
        with pytest.raises(ToolError) as caught:
            source(path, **settings).rasters()
        return f"{caught.value.kind}: {caught.value}"

    assert "not_available: source geotiff: there is no file or folder" in message(tmp_path / "none")
    (tmp_path / "bare").mkdir()
    assert "no GeoTIFF file in" in message(tmp_path / "bare")
    (tmp_path / "bare" / "broken.tif").write_bytes(b"II*\x00broken")
    assert "broken.tif cannot be read as a raster" in message(tmp_path / "bare")
    nowhere = synthetic_dem(np.ones((2, 2)), 0, 2, 1.0, crs=None, name="nowhere")
    assert "has no coordinate reference system" in message(nowhere)
    assert source(nowhere, crs="EPSG:4326").rasters()[0]["crs"] == "EPSG:4326"
    assert "unit 'fathom' is not known" in message(nowhere, unit="fathom")
    result = on_files("compute_elevation_stats", tmp_path / "none", regions=box(0, 0, 1, 1))
    assert result.error.kind == "not_available"


def test_without_a_path_the_source_says_what_it_needs(gra_registry) -> None:
    from gra_core import Sources

    declared = Sources(gra_registry).declared("elevation", "geotiff")
    assert "[sources.geotiff] path" in declared.missing()[0]
    assert Sources(gra_registry).choose("elevation").name != "geotiff"
    ready = Sources(gra_registry, settings={"geotiff": {"path": "."}})
    assert ready.choose("elevation").name == "geotiff"


def test_several_bands_and_files_with_unlike_grids_stay_apart(tmp_path: Path, synthetic_dem) -> None:
    synthetic_dem(np.ones((4, 4)), 10, 50, 0.01, name="a")
    synthetic_dem(np.ones((4, 4)), 10.045, 50, 0.01, name="shifted")
    synthetic_dem(np.ones((4, 4), "float32"), 10.04, 50, 0.01, name="other-type")
    grid = rasterio.transform.from_origin(10.08, 50, 0.01, 0.01)
    with rasterio.open(
        tmp_path / "dem" / "two.tif",
        "w",
        driver="GTiff",
        width=4,
        height=4,
        count=2,
        dtype="float64",
        crs="EPSG:4326",
        transform=grid,
    ) as target:
        target.write(np.ones((2, 4, 4)))
    assert sorted(e["name"] for e in source([str(tmp_path / "dem")]).rasters()) == [
        "a",
        "other-type",
        "shifted",
        "two",
    ]
