"""Source wof-sqlite on a synthetic gazetteer in the documented schema."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

from gra_core import SourceSettings, ToolError
from gra_geo.names import fold
from gra_geo.protocols import REGION_COLUMNS
from gra_skill_admin_boundaries.plugin import gra_sources
from gra_skill_admin_boundaries.sources.matching import likely
from gra_skill_admin_boundaries.sources.wof import WhosOnFirst


@pytest.fixture
def source(gazetteer) -> WhosOnFirst:
    return WhosOnFirst(SourceSettings(values={"path": str(gazetteer.close())}))


def test_wof_levels_count_current_records_only(source):
    assert source.levels() == {"country": 2, "state": 3, "county": 3, "city": 2, "postcode": 1}


def test_wof_region_ids_are_data_commons_ids_and_keep_zeros(source):
    found = source.find(country="USA", limit=50).set_index("name")["region_id"]
    assert found["Synthetic United States"] == "country/USA"
    assert found["West Synth"] == "geoId/01"
    assert found["Doña Synth"] == "geoId/01007"
    assert found["01234"] == "zip/01234"
    assert found["Pointville"] == "wof/20"
    assert source.find(name="São Sintético")["region_id"].tolist() == ["iso3166-2/BR-SS"]


def test_wof_rows_carry_level_country_and_nearest_ancestor(source):
    (county,) = source.find(name="Doña Synth").to_dict("records")
    assert list(county) == [*REGION_COLUMNS, "match"]
    assert county == {
        "region_id": "geoId/01007", "name": "Doña Synth", "level": "county", "country": "USA", "parent_id": "geoId/01",
        "parent_name": "West Synth", "match": "exact",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dona synth", [("geoId/01007", "exact")]),
        ("sao sintetico", [("iso3166-2/BR-SS", "exact")]),
        ("circle synth", [("geoId/01009", "alias")]),
        ("WS", [("geoId/01", "alias")]),
        ("br-ss", [("iso3166-2/BR-SS", "alias")]),
        ("USA", [("country/USA", "alias")]),
        ("br", [("country/BRA", "alias")]),
        ("01007", [("geoId/01007", "alias")]),
        ("01234", [("zip/01234", "exact")]),
        ("West", [("geoId/01", "prefix")]),
        ("Sintético", [("iso3166-2/BR-SS", "part")]),
        ("Nowhere", []),
    ],
)
def test_wof_find_by_name_code_and_part(source, name, expected):
    found = source.find(name=name)
    assert list(zip(found["region_id"], found.get("match", ()), strict=True)) == expected


def test_wof_find_gives_all_equally_good_candidates(source):
    assert source.find(name="round synth")["region_id"].tolist() == ["geoId/01009", "geoId/31009"]
    assert source.find(name="round synth", parent="geoId/31")["region_id"].tolist() == ["geoId/31009"]
    assert source.find(name="round synth", country="BRA").empty


def test_wof_children_default_to_the_next_level_with_regions(source):
    counties = source.children(parent_id="geoId/01")
    assert counties["region_id"].tolist() == ["geoId/01007", "geoId/01009"]
    assert counties.crs.to_epsg() == 4326
    assert list(counties.columns) == [*REGION_COLUMNS, "geometry"]
    assert source.children(parent_id="country/USA")["region_id"].tolist() == ["geoId/01", "geoId/31"]
    assert source.children(parent_id="country/USA", level="county")["region_id"].tolist() == [
        "geoId/01007",
        "geoId/01009",
        "geoId/31009",
    ]
    assert source.children(parent_id="geoId/01", level="postcode")["region_id"].tolist() == ["zip/01234"]


def test_wof_children_leave_out_points_and_say_so(source):
    cities = source.children(parent_id="geoId/01007")
    assert cities["name"].tolist() == ["Areatown"]
    assert cities.attrs["notes"] == [
        "1 regions of which the gazetteer has only a point are left out: Pointville (wof/20)"
    ]


def test_wof_get_keeps_order_and_repeats_and_skips_alternative_geometries(source):
    found = source.get(region_ids=["geoId/31009", "geoId/01007", "wof/10"])
    assert found["name"].tolist() == ["Round Synth", "Doña Synth", "Doña Synth"]
    assert found["region_id"].tolist() == ["geoId/31009", "geoId/01007", "wof/10"]
    assert found.geometry.iloc[1].equals(shapely.box(-100, 30, -97, 40))


@pytest.mark.parametrize(
    "region_id",
    [
        "geoId/99",
        "geoId/01999",
        "country/XXX",
        "wof/13",
        "wof/14",
        "zip/99999",
        "iso3166-2/BR-XX",
        "nonsense/1",
    ],
)
def test_wof_get_names_what_is_missing(source, region_id):
    with pytest.raises(ToolError, match=region_id) as caught:
        source.get(region_ids=["geoId/01", region_id])
    assert caught.value.kind == "not_found"


def test_wof_get_of_a_point_record_is_an_error(source):
    with pytest.raises(ToolError, match="only a point") as caught:
        source.get(region_ids=["wof/20"])
    assert caught.value.kind == "not_available"


def test_wof_containing_covers_borders_and_skips_old_records(source):
    found = source.containing(points=[[-98.0, 35.0], [-95.0, 35.0], [0.0, 0.0]], levels=["state", "county"])
    assert list(found.columns) == ["point", *REGION_COLUMNS]
    assert list(zip(found["point"], found["region_id"], strict=True)) == [
        (0, "geoId/01"), (0, "geoId/01007"), (1, "geoId/01"), (1, "geoId/31"), (1, "geoId/01009"), (1, "geoId/31009"),
    ]  # fmt: skip


def test_wof_works_without_the_newer_columns(tmp_path, gazetteer):
    path = gazetteer.close()
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM geojson WHERE is_alt = 1")
        for table, column in (
            ("spr", "is_alt"),
            ("spr", "alt_label"),
            ("geojson", "is_alt"),
            ("geojson", "alt_label"),
        ):
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    source = WhosOnFirst(SourceSettings(values={"path": str(path)}))
    assert source.get(region_ids=["geoId/01007"])["name"].tolist() == ["Doña Synth"]


def test_wof_says_what_it_needs():
    (declared,) = [s for s in gra_sources() if s.name == "wof-sqlite"]
    assert "path" in declared.missing()[0]
    assert not declared.missing(declared.settings({"path": "/x.db"}))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.db", None, "no such file"),
        ("wof.db.bz2", b"BZh9", "compressed"),
        ("text.db", b"this is no database, whatever its name says" * 50, "not a database"),
    ],
)
def test_wof_refuses_files_that_are_none(tmp_path: Path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ToolError, match=message) as caught:
        WhosOnFirst(SourceSettings(values={"path": str(tmp_path / name)}))
    assert caught.value.kind == "not_available" and caught.value.hint
    assert str(tmp_path) not in str(caught.value)


def test_wof_names_missing_tables(tmp_path):
    with sqlite3.connect(tmp_path / "empty.db") as db:
        db.execute("CREATE TABLE spr (id INTEGER, name TEXT)")
    with pytest.raises(ToolError, match=r"lacking spr\.country.*geojson"):
        WhosOnFirst(SourceSettings(values={"path": str(tmp_path / "empty.db")}))


NAME = st.text(alphabet="abcxyzABSTst .'-’éßŁøşəḤʻあñ19", min_size=1, max_size=12)


@given(name=NAME, other=NAME)
def test_wof_choosing_by_sql_never_loses_a_name(name, other):
    """What the cheap condition leaves out does not hold the text."""
    wanted = fold(other)
    assume(wanted)
    condition, values = likely("name", wanted)
    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE TABLE names (name TEXT)")
        db.executemany("INSERT INTO names VALUES (?)", [(name,), (name + " " + other,), (other,)])
        chosen = {row[0] for row in db.execute(f"SELECT name FROM names WHERE {condition}", values)}
    held = {n for n in (name, name + " " + other, other) if f" {wanted} " in f" {fold(n)} "}
    assert {n for n in held if not n.startswith("あ")} <= chosen


def test_wof_answers_empty_tables_where_there_is_nothing(source):
    assert len(source.children(parent_id="geoId/31009")) == 0
    assert len(source.containing(points=[[0.0, 80.0]], levels=["state"])) == 0
    assert len(source.find(level="neighbourhood")) == 0
