"""import_file: identifiers, coordinate systems, broken and disguised files, and folders that are out of bounds."""

from __future__ import annotations

import json

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import rasterio
import shapely
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gra_core import ToolError
from gra_skill_scratch_datasets import tables
from gra_skill_scratch_datasets.tools import import_file, inspect_dataset


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "data"
    made.mkdir()
    return made


@pytest.fixture
def bring(context, folder, workspace):
    """Import a file of the folder; gives the object, the notes and the manifest."""

    def go(path, **arguments):
        result = import_file(context(tool="import_file", import_dirs=[str(folder)]), str(path), **arguments)
        ref = result.datasets[0].ref
        return workspace.get(ref), list(result.notes), workspace.open(ref).manifest

    return go


def error_of(bring, path, **arguments) -> ToolError:
    with pytest.raises(ToolError) as caught:
        bring(path, **arguments)
    return caught.value


def test_identifiers_keep_their_zeros(bring, folder):
    (folder / "t.csv").write_text(
        "fips,zip,name,value,big\n01001,02134,A,1.5,1234567890123456789\n01003,10001,NA,,2234567890123456789\n"
    )
    frame, notes, manifest = bring("t.csv")
    assert list(frame["fips"]) == ["01001", "01003"]
    assert list(frame["zip"]) == ["02134", "10001"]
    assert list(frame["name"]) == ["A", "NA"]  # may be Namibia
    assert frame["value"].tolist()[0] == 1.5
    assert frame["value"].isna().tolist() == [False, True]
    assert list(frame["big"]) == ["1234567890123456789", "2234567890123456789"]
    assert sum("kept as text" in n for n in notes) == 3
    assert manifest.notes[0].startswith("imported from t.csv, SHA-256 ")


def test_identifiers_by_name_and_lost_zeros_are_told(bring, folder):
    (folder / "t.csv").write_text("county_fips;people\n1001;5\n31055;6\n")
    frame, notes, _ = bring("t.csv")
    assert list(frame["county_fips"]) == ["1001", "31055"]
    assert frame["people"].dtype.kind == "i"
    assert "may have lost leading zeros" in notes[0]


def test_types_of_text_columns(bring, folder):
    (folder / "t.tsv").write_text(
        "day\tn\tx\tmixed\tempty\twhen\n2024-01-31\t1\t-1.5e3\t1\t\t2024-01-01T00:00:00Z\n2024-02-29\t\tn/a\ta\t\t2024-01-01T02:00:00+02:00\n"
    )
    frame, notes, _ = bring("t.tsv")
    assert frame["day"].tolist() == [pd.Timestamp("2024-01-31"), pd.Timestamp("2024-02-29")]
    assert frame["n"].tolist()[0] == 1
    assert pd.isna(frame["n"].tolist()[1])
    assert frame["x"].tolist()[0] == -1500.0
    assert np.isnan(frame["x"].tolist()[1])
    assert list(frame["mixed"]) == ["1", "a"]
    assert frame["empty"].isna().all()
    assert frame["when"].nunique() == 1  # one instant written twice
    assert any("'n/a'" in n for n in notes)


def test_impossible_dates_stay_text(bring, folder):
    (folder / "t.csv").write_text("day,v\n2023-02-29,1\n2023-02-28,2\n")
    frame, notes, _ = bring("t.csv")
    assert list(frame["day"]) == ["2023-02-29", "2023-02-28"]
    assert "kept as text" in notes[0]


def test_encodings(bring, folder):
    (folder / "a.csv").write_bytes("\ufeffname,v\nZürich,1\n".encode())
    (folder / "b.csv").write_bytes("name,v\nZürich,1\n".encode("cp1252"))
    assert list(bring("a.csv")[0].columns) == ["name", "v"]
    frame, notes, _ = bring("b.csv")
    assert list(frame["name"]) == ["Zürich"]
    assert "Windows-1252" in notes[0]


def test_coordinate_columns_become_points_only_with_a_crs(bring, folder):
    (folder / "p.csv").write_text("id,Longitude,Latitude\n01,-102.86,42.14\n02,,\n")
    frame, notes, _ = bring("p.csv")
    assert not isinstance(frame, gpd.GeoDataFrame)
    assert any("to get points" in n for n in notes)
    points, notes, _ = bring("p.csv", crs="EPSG:4326")
    assert [(p.x, p.y) for p in points.geometry] == [(-102.86, 42.14)]
    assert list(points["id"]) == ["01"]
    assert any("1 rows without coordinates" in n for n in notes)
    (folder / "n.csv").write_text("a\n1\n")
    assert "no coordinate columns" in error_of(bring, "n.csv", crs="EPSG:4326").message


def test_degrees_out_of_range_are_refused(bring, folder):
    (folder / "m.csv").write_text("x,y\n500000,4649776\n")
    assert "not longitudes and latitudes" in error_of(bring, "m.csv", crs="EPSG:4326").message
    placed, _, _ = bring("m.csv", crs="EPSG:32633")
    assert placed.crs.to_epsg() == 32633


def test_geojson_is_longitude_latitude(bring, folder):
    data = {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "id": "a",
                "properties": {"code": "007"},
                "geometry": {"type": "Point", "coordinates": [7.5, 47.5]},
            }
        ],
    }
    (folder / "f.geojson").write_text(json.dumps(data))
    frame, _, _ = bring("f.geojson")
    assert (frame.crs, frame.loc[0, "code"], frame.geometry[0].x) == ("EPSG:4326", "007", 7.5)
    (folder / "bad.geojson").write_text('{"type": "FeatureCollection", "features": [')
    assert "GeoJSON" in error_of(bring, "bad.geojson").message
    (folder / "list.json").write_text("[1, 2]")
    assert error_of(bring, "list.json").kind == "bad_argument"


@pytest.fixture
def squares():
    return gpd.GeoDataFrame(
        {"zone": ["001", "002"], "v": [1.0, 2.0]}, geometry=shapely.box([0, 1], 0, [1, 2], 1), crs="EPSG:3035"
    )


@pytest.mark.parametrize("name", ["s.gpkg", "s.shp", "s.parquet"])
def test_vector_files_keep_crs_and_codes(bring, folder, squares, name):
    squares.to_parquet(folder / name) if name.endswith("parquet") else squares.to_file(folder / name)
    frame, _, _ = bring(name)
    assert frame.crs.to_epsg() == 3035
    assert sorted(frame["zone"]) == ["001", "002"]
    assert error_of(bring, name, crs="EPSG:4326").hint.startswith("leave crs out")


@pytest.mark.parametrize("name", ["s.shp", "s.gpkg"])
def test_a_file_in_no_known_crs_needs_one(bring, folder, squares, name):
    squares.set_crs(None, allow_override=True).to_file(folder / name)
    error = error_of(bring, name)
    assert "no known CRS; pass crs=…" in error.message
    frame, _, _ = bring(name, crs="EPSG:3035")
    assert frame.crs.to_epsg() == 3035
    assert "not a coordinate reference system" in error_of(bring, name, crs="EPSG:nonsense").message


def test_layers_are_asked_for(bring, folder, squares):
    squares.to_file(folder / "two.gpkg", layer="one")
    squares.iloc[:1].to_file(folder / "two.gpkg", layer="other")
    assert "layers: one, other" in error_of(bring, "two.gpkg").hint
    assert len(bring("two.gpkg#other")[0]) == 1
    assert error_of(bring, "two.gpkg#third").kind == "bad_argument"


def make_tiff(path, crs):
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        width=4,
        height=3,
        count=1,
        dtype="float32",
        crs=crs,
        nodata=-9999.0,
        transform=(1, 0, 10, 0, -1, 50),
    ) as target:
        target.write(np.array([[1, 2, 3, -9999], [4, 5, 6, 7], [8, 9, 10, 11]], "float32"), 1)


def test_rasters_with_and_without_crs(bring, context, folder, workspace):
    make_tiff(folder / "r.tif", "EPSG:4326")
    raster, _, manifest = bring("r.tif")
    assert raster.crs.to_epsg() == 4326
    statistics = inspect_dataset(context(), manifest.ref).content["statistics"]
    assert (statistics["cells"], statistics["missing"], statistics["mean_of_cells"]) == (11, 1, 6.0)
    make_tiff(folder / "n.tif", None)
    original = (folder / "n.tif").read_bytes()
    assert "no known CRS" in error_of(bring, "n.tif").message
    assert bring("n.tif", crs="EPSG:32633")[0].crs.to_epsg() == 32633
    assert (folder / "n.tif").read_bytes() == original


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tif", b"not a raster"), ("b.tif", b"II*\0" + b"\0" * 40), ("vrt.tif", b"<VRTDataset rasterXSize='1' rasterYSize='1'/>"),
        ("v.gpkg", b"<OGRVRTDataSource></OGRVRTDataSource>"), ("w.gpkg", b"SQLite format 3\0 and no more"), ("x.parquet", b"PAR1"),
        ("y.shp", b"\x00\x00\x27\x0a"), ("e.csv", b""), ("f.csv", b"a,b\n1,2\n3,4,5,6\n"), ("p.parquet", b"\x80\x04\x95pickle"),
    ],
)  # fmt: skip
def test_broken_and_disguised_files(bring, folder, workspace, name, content):
    (folder / name).write_bytes(content)
    error = error_of(bring, name)
    assert error.kind == "bad_argument"
    assert name in error.message
    assert workspace.list() == []
    assert [p.name for p in workspace.root.iterdir() if p.name != "datasets"] == []


def test_a_raster_cut_short_is_refused(bring, folder):
    with rasterio.open(
        folder / "whole.tif",
        "w",
        driver="GTiff",
        width=200,
        height=200,
        count=1,
        dtype="float64",
        crs="EPSG:4326",
        transform=(1, 0, 0, 0, -1, 0),
    ) as target:
        target.write(np.random.default_rng(1).random((1, 200, 200)))
    (folder / "cut.tif").write_bytes((folder / "whole.tif").read_bytes()[:20_000])
    assert error_of(bring, "cut.tif").kind == "bad_argument"


def test_unknown_kinds_and_missing_files(bring, folder):
    (folder / "x.pkl").write_bytes(b"x")
    assert "unknown kind of file" in error_of(bring, "x.pkl").message
    error = error_of(bring, "nothing.csv")
    assert (error.kind, str(folder) in error.hint) == ("not_found", True)


def test_only_allowed_folders(context, folder, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    (folder / "link.csv").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path)
    ctx = context(import_dirs=[str(folder)])
    for path in (
        str(secret),
        "../secret.csv",
        "link.csv",
        "up/secret.csv",
        f"{folder}/../secret.csv",
        "/etc/passwd",
        "../nothing.csv",
        "../secret.csv#x",
    ):
        with pytest.raises(ToolError) as caught:
            import_file(ctx, path)
        # The same answer whether the file exists or not.
        assert caught.value.kind == "bad_argument"
        assert "outside the folders" in caught.value.message
    for allowed in ({}, {"import_dirs": []}, {"import_dirs": [str(tmp_path / "missing")]}):
        with pytest.raises(ToolError) as caught:
            import_file(context(**allowed), str(secret))
        assert caught.value.kind == "not_available"


@example(path="~nobody-of-that-name/x")
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.lists(
        st.sampled_from(["..", ".", "a", "secret.csv", "/", "~", "link", "#", "\0", "etc", "passwd"]),
        max_size=8,
    ).map("/".join)
    | st.text(max_size=20)
)
def test_no_path_leaves_the_allowed_folders(context, folder, tmp_path, path):
    (tmp_path / "secret.csv").write_text("a\n1\n")
    if not (folder / "link").is_symlink():
        (folder / "link").symlink_to(tmp_path)
    with pytest.raises(ToolError) as caught:
        import_file(context(import_dirs=[str(folder)]), path)
    assert caught.value.kind in ("bad_argument", "not_found")


@given(codes=st.lists(st.from_regex(r"0[0-9]{4}", fullmatch=True), min_size=1, max_size=5))
def test_codes_with_leading_zeros_are_never_numbers(codes):
    kept = tables.typed(pd.Series(codes, name="anything"), [])
    assert list(kept) == codes


@given(values=st.lists(st.integers(-(10**14), 10**14) | st.none(), min_size=1, max_size=10))
def test_whole_numbers_survive(values):
    text = pd.Series(["" if v is None else str(v) for v in values], name="value")
    back = tables.typed(text, [])
    assert [None if pd.isna(v) else int(v) for v in back] == values


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2,3\n4,5,6\n", "more fields"),
        ("a,b\n1,2,3\n4\n", "more fields"),
        ("a,b\n1,2,\n3,4,\n", "more fields"),
        ("a,b\n1,2\n3,4,5\n", "Expected 2 fields"),
    ],
)
def test_lines_longer_than_the_header_are_refused_not_shifted(bring, folder, text, words):
    (folder / "ragged.csv").write_text(text)
    error = error_of(bring, folder / "ragged.csv")
    assert error.kind == "bad_argument" and words in error.message


def test_header_alone_and_empty_cells_are_no_unequal_lines(bring, folder):
    (folder / "header.csv").write_text("a,b\n")
    assert len(bring(folder / "header.csv")[0]) == 0
    (folder / "gaps.csv").write_text("a,b\n1,\n,2\n")
    table, _, _ = bring(folder / "gaps.csv")
    assert table["a"].isna().tolist() == [False, True] and table["b"].isna().tolist() == [True, False]
