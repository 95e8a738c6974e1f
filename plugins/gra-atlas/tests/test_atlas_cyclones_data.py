"""Tracks against the published records of well-known storms."""

import pandas as pd
import pytest


@pytest.fixture(scope="module")
def tracks(data):
    return pd.read_parquet(data / "cyclones.parquet")


@pytest.mark.parametrize(
    ("storm_id", "name", "season", "wind_kt", "pressure_hpa"),
    [  # peak of the best track: National Hurricane Center and JTWC reports
        ("2005236N23285", "KATRINA", 2005, 150, 902), ("1992230N11325", "ANDREW", 1992, 150, 922),
        ("2017242N16333", "IRMA", 2017, 155, 914), ("2012296N14283", "SANDY", 2012, 100, 940),
        ("2005289N18282", "WILMA", 2005, 160, 882), ("2015293N13266", "", 2015, 185, 872),  # Patricia
        ("2013306N07162", "", 2013, 170, 895),  # Haiyan
    ],
)  # fmt: skip
def test_known_storms(tracks, storm_id, name, season, wind_kt, pressure_hpa):
    storm = tracks[tracks.storm_id == storm_id]
    assert len(storm) > 15
    assert set(storm["name"]) == {name} and set(storm.season) == {season}
    assert storm.wind_kt.max() == wind_kt
    assert storm.pressure_hpa.min() == pytest.approx(pressure_hpa, abs=2)
    assert storm.category.max() == {100: 3}.get(wind_kt, 5)


def test_north_atlantic_is_a_basin_not_a_gap(tracks):
    assert set(tracks.basin) == {"NA", "EP", "WP", "NI", "SI", "SP", "SA"}
    season = tracks[(tracks.basin == "NA") & (tracks.season == 2020)]
    assert season.storm_id.nunique() == 31  # 30 named storms and one depression


def test_order_time_and_ranges(tracks):
    assert not tracks.duplicated(["storm_id", "time"]).any()
    assert tracks.time.min() == pd.Timestamp("1980-01-01") and tracks.time.max() < pd.Timestamp("2025-01-01")
    assert tracks.lon.between(-180, 180).all() and tracks.lat.between(-70, 75).all()
    assert tracks.category.dropna().between(-5, 5).all()
    assert tracks.wind_kt.dropna().between(1, 190).all()
    assert tracks.pressure_hpa.dropna().between(860, 1040).all()


def test_category_follows_the_wind(tracks):
    """Saffir-Simpson thresholds in knots: 64, 83, 96, 113, 137."""
    rated = tracks[tracks.category >= 1]
    expected = pd.cut(rated.wind_kt, [63, 82, 95, 112, 136, 500], labels=[1, 2, 3, 4, 5]).astype(int)
    assert (expected == rated.category.astype(int)).all()


def test_katrina_at_landfall(tracks):
    fix = tracks[(tracks.storm_id == "2005236N23285") & (tracks.time == "2005-08-29 12:00")].iloc[0]
    assert (fix.lon, fix.lat) == pytest.approx((-89.6, 29.5), abs=0.11)
