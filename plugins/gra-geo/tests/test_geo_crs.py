"""UTM zones and names of reference systems."""

from __future__ import annotations

import pyproj
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import ToolError
from gra_geo.crs import is_wgs84, local_crs, name_of, parse_crs, transform, utm_crs


@pytest.mark.parametrize(
    ("lon", "lat", "code"),
    [
        (-96.7, 40.8, 32614), (151.2, -33.9, 32756), (0.0, 0.0, 32631), (5.3, 60.4, 32632), (3.0, 55.9, 32631),
        (20.0, 78.0, 32633), (8.9, 72.0, 32631), (41.9, 83.9, 32637), (180.0, 10.0, 32601), (-180.0, 10.0, 32601),
        (179.9, -17.0, 32760), (10.0, 85.0, 32661), (10.0, -81.0, 32761),
    ],
)  # fmt: skip
def test_zones(lon: float, lat: float, code: int) -> None:
    assert utm_crs(lon, lat).to_epsg() == code


@given(st.floats(-180, 180).map(lambda v: round(v, 6)), st.floats(-79.9, 83.9))
def test_a_zone_holds_its_place(lon: float, lat: float) -> None:
    area = utm_crs(lon, lat).area_of_use
    inside = area.west <= lon <= area.east or abs(lon) == 180
    # The zones of south-west Norway and Svalbard are wider and narrower than their registered areas.
    assert inside or (56 <= lat < 64 and 3 <= lon < 12) or (lat >= 72 and 0 <= lon < 42)


def test_names_and_wgs84() -> None:
    assert name_of("EPSG:4326") == "EPSG:4326" and name_of(None) is None
    assert name_of(local_crs(10, 50)) not in (None, "EPSG:4326")
    assert (
        is_wgs84("OGC:CRS84")
        and is_wgs84("EPSG:4326")
        and not is_wgs84("EPSG:4269")
        and not is_wgs84("EPSG:3857")
    )
    with pytest.raises(ToolError, match="is not a coordinate reference system"):
        parse_crs("EPSG:nonsense")


def test_a_local_projection_keeps_distances_from_its_middle() -> None:
    x, y = transform([12.0], [52.0], "EPSG:4326", local_crs(10.0, 50.0))
    assert (x[0] ** 2 + y[0] ** 2) ** 0.5 == pytest.approx(pyproj.Geod(ellps="WGS84").inv(10, 50, 12, 52)[2])
