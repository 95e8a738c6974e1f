"""Reading IBTrACS CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gra_core import SourceSettings, ToolError
from gra_geo.protocols import FIX_COLUMNS
from gra_skill_tropical_cyclones.sources.ibtracs import EXTRA_COLUMNS, IbtracsCsv


@pytest.fixture
def source(ibtracs: Path) -> IbtracsCsv:
    return open_source(ibtracs)


def open_source(path: Path) -> IbtracsCsv:
    return IbtracsCsv(SourceSettings(values={"path": str(path)}))


def test_units_row_blanks_and_basin_na(source: IbtracsCsv) -> None:
    frame = source.fixes(storm_ids=["2005236N23285"])
    assert list(frame.columns) == [*FIX_COLUMNS, *EXTRA_COLUMNS]
    assert set(frame["basin"]) == {"NA"} and len(frame) == 10
    peak = frame.loc[frame["wind_kt"].idxmax()]
    assert (peak["wind_kt"], peak["pressure_hpa"], peak["category"], str(peak["time"])) == (
        150,
        902,
        5,
        "2005-08-28 18:00:00",
    )
    assert frame["r34_ne_km"].isna().sum() == 1 and frame["r34_ne_km"].max() == pytest.approx(185.2)


def test_spurs_are_left_out_and_provisional_ones_marked(source: IbtracsCsv) -> None:
    assert source.fixes(name="synthdate")["wind_kt"].tolist() == [70, 70]
    provisional = source.fixes(storm_ids=["al012026"])
    assert provisional["provisional"].all() and provisional["lon"].tolist() == [-60.0, -61.0]
    assert provisional["wind_kt"].isna().tolist() == [True, False] and provisional["category"].tolist() == [
        -5,
        -1,
    ]


def test_filters(source: IbtracsCsv) -> None:
    assert set(source.fixes(seasons=[2005, 2007])["storm_id"]) == {"2005236N23285", "2007100N10050"}
    assert set(source.fixes(basin="na")["name"]) == {"KATRINA", "SYNTHPROV"}
    assert set(source.fixes(bbox=[179.0, -20.0, -175.0, -10.0])["name"]) == {"SYNTHDATE"}
    assert len(source.fixes(bbox=[-90.0, 29.0, -89.0, 30.0])) == 10, "whole storms"
    assert source.fixes(name="nobody").empty and source.fixes(name="SYNTHDATE", seasons=[2005]).empty


def test_unnamed_storm(source: IbtracsCsv) -> None:
    [row] = source.fixes(storm_ids=["2007100N10050"]).to_dict("records")
    assert row["name"] == "" and row["atcf_id"] == ""


def test_coverage(source: IbtracsCsv) -> None:
    coverage = source.coverage()
    assert (
        coverage["first_season"],
        coverage["last_season"],
        coverage["storms"],
        coverage["wind_averaging_min"],
    ) == (
        2005,
        2026,
        4,
        1,
    )
    assert coverage["basins"] == ["NA", "NI", "SP"] and coverage["radii"] is True


def test_folder_of_files_gives_each_fix_once(ibtracs: Path, tmp_path: Path) -> None:
    for name in ("ibtracs.NA.csv", "ibtracs.ALL.csv"):
        (tmp_path / name).write_text(ibtracs.read_text())
    assert len(open_source(tmp_path).fixes()) == len(open_source(ibtracs).fixes())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no IBTrACS file at"),
        ("", "not readable"),
        ("a,b\n1,2\n3,4\n", "no column BASIN"),
        ("\x00\xff\x00", "IBTrACS"),
    ],
)
def test_files_that_are_none(tmp_path: Path, text: Any, message: str) -> None:
    file = tmp_path / "ibtracs.bad.csv"
    if text is not None:
        file.write_text(text, encoding="latin-1")
    with pytest.raises(ToolError, match=message) as error:
        open_source(file).coverage()
    assert error.value.kind == "not_available"
