"""The best-track tools over an IBTrACS file."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Geod

from gra_core import ToolError
from gra_skill_tropical_cyclones import tools
from gra_skill_tropical_cyclones.swath import make_swath, quadrants

GEOD = Geod(ellps="WGS84")
NEW_ORLEANS = [-90.07, 29.95]
NMI = 1852.0


def test_katrina_passed_new_orleans(ctx: Any) -> None:
    result = tools.find_historical_storms(
        ctx, region=NEW_ORLEANS, years=[2005], min_category=1, within_km=100
    )
    assert result.content["count"] == 1 and result.content["by_category"] == {"category 3": 1}
    [storm] = result.content["storms"]
    assert (storm["storm_id"], storm["name"], storm["max_wind_kt"], storm["max_category"]) == (
        "2005236N23285",
        "KATRINA",
        150,
        5,
    )
    # The track runs north along 89.6°W past the city.
    expected = GEOD.inv(*NEW_ORLEANS, -89.6, 29.95)[2] / 1000
    assert storm["distance_km"] == pytest.approx(expected, abs=0.3) and storm["time"].startswith(
        "2005-08-29T13:4"
    )
    assert 80 < storm["wind_kt"] < 110 and storm["wind_near_kt"] == 110 and storm["category_near"] == 3
    frame = ctx.load(result.datasets[0].ref)
    assert frame.crs.to_epsg() == 4326 and frame.geometry.iloc[0].geom_type == "LineString"
    assert ctx.dataset(result.datasets[0].ref).manifest.columns["distance_km"].unit == "km"


def test_strength_near_or_in_life(ctx: Any) -> None:
    assert (
        tools.find_historical_storms(
            ctx, region=NEW_ORLEANS, years=[2005], min_category=5, within_km=100
        ).status
        == "empty"
    )
    found = tools.find_historical_storms(
        ctx, region=NEW_ORLEANS, years=[2005], min_category=5, within_km=100, strength="lifetime"
    )
    assert found.content["count"] == 1


def test_region_across_the_date_line(ctx: Any) -> None:
    ring = [[179, -16], [-179, -16], [-179, -14], [179, -14], [179, -16]]
    result = tools.find_historical_storms(
        ctx, region={"type": "Polygon", "coordinates": [ring]}, years=[2010]
    )
    [storm] = result.content["storms"]
    assert storm["name"] == "SYNTHDATE" and storm["distance_km"] == 0 and storm["wind_near_kt"] == 70
    assert ctx.load(result.datasets[0].ref).geometry.iloc[0].geom_type == "MultiLineString"


def test_basin_and_years_outside(ctx: Any) -> None:
    assert (
        tools.find_historical_storms(ctx, region=NEW_ORLEANS, years=[2005], within_km=100, basin="EP").status
        == "empty"
    )
    result = tools.find_historical_storms(ctx, region=NEW_ORLEANS, years=[1990, 2010], within_km=100)
    assert any("seasons 2005 to 2026 only" in n for n in result.notes)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"years": [2010, 2005]}, "first is after"), ({"years": [1700]}, "from 1842 on"), ({"years": [2005], "min_category": 7}, "expected -5 to 5"),
        ({"years": [2005], "region": [200.0, 29.0]}, "longitude 200"), ({"years": [2005], "region": {"type": "Polygon", "coordinates": []}}, "GeoJSON"),
    ],
)  # fmt: skip
def test_bad_arguments(ctx: Any, arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ToolError, match=text) as error:
        tools.find_historical_storms(ctx, **({"region": NEW_ORLEANS} | arguments))
    assert error.value.kind == "bad_argument"


def test_no_source_says_what_to_set(context: Any) -> None:
    with pytest.raises(ToolError, match="setting 'path' is not set") as error:
        tools.find_historical_storms(context(), region=NEW_ORLEANS, years=[2005])
    assert error.value.kind == "not_available" and "ncei.noaa.gov" in str(error.value)


def test_swath_of_katrina(ctx: Any) -> None:
    result = tools.get_wind_swath(ctx, storm_id="Katrina 2005", wind_kt=64)
    assert result.content["storm_id"] == "2005236N23285" and result.content["fixes_with_radii"] == 8
    assert any("1 fixes with 64 kt or more have no recorded radii" in n for n in result.notes)
    geometry = ctx.load(result.datasets[0].ref).geometry.iloc[0]
    # 99 nautical miles beside a fix is inside, 101 is not; the fourth fix has no radii, so the swath has two parts or a notch.
    for metres, inside in ((99 * NMI, True), (101 * NMI, False)):
        assert geometry.contains(shapely.Point(GEOD.fwd(-88.6, 26.3, 225, metres)[:2])) is inside
    exact = abs(GEOD.geometry_area_perimeter(shapely.orient_polygons(geometry))[0]) / 1e6
    assert result.content["area_km2"] == pytest.approx(exact, rel=1e-9)


def test_swath_thresholds_and_names(ctx: Any) -> None:
    assert tools.get_wind_swath(ctx, storm_id="AL122005").content["wind_kt"] == 34
    with pytest.raises(ToolError, match="no storm 'Nobody 2005'"):
        tools.get_wind_swath(ctx, storm_id="Nobody 2005")
    with pytest.raises(ToolError, match="no 34 kt wind radii") as error:
        tools.get_wind_swath(ctx, storm_id="2010010S15178")
    assert error.value.kind == "not_available" and "ibtracs-csv" in error.value.hint
    assert tools.get_wind_swath(ctx, storm_id="2007100N10050", wind_kt=64).status == "empty"


def track(points: list[tuple[float, float]], radii_km: list[list[float]], wind: float = 80.0) -> pd.DataFrame:
    frame = pd.DataFrame({"lon": [p[0] for p in points], "lat": [p[1] for p in points], "wind_kt": wind})
    frame["time"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(len(points)) * 6, unit="h")
    return frame.assign(
        **{f"r34_{q}_km": [r[i] for r in radii_km] for i, q in enumerate(("ne", "se", "sw", "nw"))}
    )


def test_area_of_a_single_fix_is_that_of_its_quarters() -> None:
    radii = [100.0, 80.0, 60.0, 40.0]
    swath = make_swath(track([(150.0, 10.0)], [radii]), 34)
    assert swath is not None
    assert swath.area_km2 == pytest.approx(sum(math.pi * r**2 / 4 for r in radii), rel=0.002)


def test_straight_track_is_a_capsule() -> None:
    swath = make_swath(track([(0.0, 0.0), (1.0, 0.0)], [[50.0] * 4] * 2), 34)
    length = GEOD.inv(0, 0, 1, 0)[2] / 1000
    assert swath is not None and swath.area_km2 == pytest.approx(math.pi * 50**2 + 100 * length, rel=0.005)


def test_quadrants_lie_where_they_say() -> None:
    shape = quadrants(0.0, 50.0, np.array([100e3, 0.0, 0.0, 0.0]))
    assert shape.contains(shapely.Point(GEOD.fwd(0, 50, 45, 95e3)[:2]))
    assert not any(
        shape.contains(shapely.Point(GEOD.fwd(0, 50, azimuth, 20e3)[:2])) for azimuth in (135, 225, 315)
    )


def test_swath_across_the_date_line() -> None:
    swath = make_swath(track([(179.5, -15.0), (-179.5, -15.0)], [[100.0] * 4] * 2), 34)
    assert (
        swath is not None
        and swath.geometry.geom_type == "MultiPolygon"
        and swath.geometry.bounds[0] >= -180
        and swath.geometry.bounds[2] <= 180
    )
    length = GEOD.inv(179.5, -15, -179.5, -15)[2] / 1000
    assert swath.area_km2 == pytest.approx(math.pi * 100**2 + 200 * length, rel=0.01)


def test_unknown_radii_are_not_bridged_and_weak_fixes_are_zero() -> None:
    nothing = [math.nan] * 4
    gap = make_swath(track([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], [[50.0] * 4, nothing, [50.0] * 4]), 34)
    assert (
        gap is not None
        and gap.fixes_without == 1
        and gap.area_km2 == pytest.approx(2 * math.pi * 50**2, rel=0.005)
    )
    weak = make_swath(track([(0.0, 0.0), (1.0, 0.0)], [[50.0] * 4, nothing]).assign(wind_kt=[40.0, 30.0]), 34)
    assert weak is not None and weak.fixes_without == 0 and weak.area_km2 > math.pi * 50**2
    assert make_swath(track([(0.0, 0.0)], [nothing], wind=20.0), 34) is None


@settings(max_examples=25, deadline=None)
@given(
    st.floats(-180, 180), st.floats(-50, 50),
    st.lists(st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.lists(st.floats(5, 300), min_size=4, max_size=4)), min_size=1, max_size=3),
)  # fmt: skip
def test_swath_holds_every_fix_and_does_not_depend_on_where_it_is(
    lon: float, lat: float, steps: list[Any]
) -> None:
    points, radii = [], []
    x, y = 0.0, lat
    for dx, dy, r in steps:
        x, y = x + dx, y + dy
        points.append((x, y))
        radii.append(r)
    here = make_swath(track(points, radii), 34)
    moved = make_swath(track([((p[0] + lon + 180) % 360 - 180, p[1]) for p in points], radii), 34)
    assert here is not None and moved is not None
    assert here.geometry.is_valid and moved.area_km2 == pytest.approx(here.area_km2, rel=1e-4)
    assert all(here.geometry.buffer(1e-6).contains(shapely.Point(p)) for p in points)


def test_active_on_a_past_instant_and_day(ctx: Any) -> None:
    at = tools.list_active_cyclones(ctx, as_of="2005-08-28T19:00")
    [storm] = at.content["storms"]
    assert (
        storm["name"] == "KATRINA"
        and storm["time"] == "2005-08-28T18:00:00"
        and storm["class"] == "category 5"
    )
    day = tools.list_active_cyclones(ctx, as_of="2005-08-29", basin="NA")
    assert day.content["storms"][0]["wind_kt"] == 140
    assert tools.list_active_cyclones(ctx, as_of="2005-08-28T19:00+00:00", basin="WP").status == "empty"
    assert tools.list_active_cyclones(ctx, as_of="2005-07-01").status == "empty"


@pytest.mark.parametrize(
    ("as_of", "kind"),
    [("last week", "bad_argument"), ("2100-01-01", "bad_argument"), ("1990-08-28", "not_available")],
)
def test_active_at_times_that_cannot_be(ctx: Any, as_of: str, kind: str) -> None:
    with pytest.raises(ToolError) as error:
        tools.list_active_cyclones(ctx, as_of=as_of)
    assert error.value.kind == kind
