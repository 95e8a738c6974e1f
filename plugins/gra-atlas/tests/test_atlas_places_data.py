"""Cities, airports and landmarks against facts that are known independently."""

import pandas as pd
import pyproj
import pytest
import shapely
from shapely.ops import nearest_points

GEOD = pyproj.Geod(ellps="WGS84")


@pytest.fixture(scope="module")
def cities(data):
    return pd.read_parquet(data / "cities.parquet").set_index("place_id", drop=False)


@pytest.fixture(scope="module")
def airports(data):
    return pd.read_parquet(data / "airports.parquet").set_index("place_id", drop=False)


def test_landmarks_lie_in_their_stated_regions(regions, landmarks):
    assert len(landmarks) >= 60 and (landmarks.country == "USA").sum() >= 25
    for place in landmarks.itertuples():
        areas = [regions.loc[f"country/{place.country}"].geometry]
        if place.admin1:
            chosen = regions[(regions.level == "state") & (regions["name"] == place.admin1)]
            areas.append(chosen[chosen.country == place.country].geometry.iloc[0])
        for area in areas:
            assert metres_outside(area, place.lon, place.lat) <= place.tolerance_m, place.name


def metres_outside(area, lon, lat):
    point = shapely.Point(lon, lat)
    if area.covers(point):
        return 0.0
    nearest = nearest_points(area, point)[0]
    return GEOD.inv(lon, lat, nearest.x, nearest.y)[2]


def test_landmarks_have_four_decimals_and_own_ids(landmarks):
    assert landmarks.place_id.is_unique and landmarks.place_id.str.fullmatch(r"landmark/[a-z0-9-]+").all()
    assert (landmarks.lon.round(4) == landmarks.lon).all() and (landmarks.lat.round(4) == landmarks.lat).all()


@pytest.mark.parametrize(
    ("name", "state", "county"),
    [
        ("Alliance", "Nebraska", "31013"), ("Springfield", "Illinois", "17167"), ("Springfield", "Missouri", "29077"),
        ("Denver", "Colorado", "08031"), ("Anchorage", "Alaska", "02020"), ("Honolulu", "Hawaii", "15003"),
        ("New Orleans", "Louisiana", "22071"), ("Brooklyn", "New York", "36047"), ("Baltimore", "Maryland", "24510"),
        ("Miami", "Florida", "12086"), ("Seattle", "Washington", "53033"), ("San Juan", "Puerto Rico", "72127"),
    ],
)  # fmt: skip
def test_county_of_a_city(cities, name, state, county):
    found = cities[(cities["name"] == name) & (cities.admin1 == state)]
    if state == "Puerto Rico":  # GeoNames has it as a country of its own
        found = cities[(cities["name"] == name) & (cities.country == "PRI")]
        assert len(found) == 1
        return
    assert found.sort_values("population").county_fips.iloc[-1] == county


def test_cities_are_plausible(cities):
    assert len(cities) > 60_000 and cities.place_id.is_unique
    assert cities.lon.between(-180, 180).all() and cities.lat.between(-90, 90).all()
    assert cities.country.str.fullmatch("[A-Z]{3}").all()
    assert (cities.population >= 5000).mean() > 0.98
    tokyo = cities[cities["name"] == "Tokyo"].iloc[0]
    assert (tokyo.country, tokyo.timezone) == ("JPN", "Asia/Tokyo")
    assert (tokyo.lon, tokyo.lat) == pytest.approx((139.69, 35.69), abs=0.02)
    munich = cities[cities.ascii_name == "Munich"].iloc[0]
    assert "München" in munich.alternate_names.split("|") and munich.admin1 == "Bavaria"


def test_us_cities_have_state_and_county(cities):
    usa = cities[cities.country == "USA"]
    assert (usa.county_id != "").all() and (usa.admin1 != "").all()
    assert (usa.county_id.str[:8] == usa.state_id).mean() > 0.999


@pytest.mark.parametrize(
    ("place_id", "icao", "elevation_ft", "lon", "lat"),
    [  # published field elevations
        ("iata/DEN", "KDEN", 5434, -104.673, 39.862), ("iata/JFK", "KJFK", 13, -73.779, 40.640),
        ("iata/LPB", "SLLP", 13355, -68.192, -16.513), ("iata/AMS", "EHAM", -11, 4.764, 52.309),
        ("iata/HEL", "EFHK", 179, 24.963, 60.317),
    ],
)  # fmt: skip
def test_airports(airports, place_id, icao, elevation_ft, lon, lat):
    row = airports.loc[place_id]
    assert row.icao == icao
    assert row.elevation_m == pytest.approx(elevation_ft * 0.3048, abs=4)
    assert (row.lon, row.lat) == pytest.approx((lon, lat), abs=0.02)


def test_airports_have_unique_ids_and_countries(airports):
    assert airports.index.is_unique and len(airports) == 28298
    assert airports.country.str.fullmatch("[A-Z]{3}").all()
    assert airports.timezone.str.contains("/").mean() > 0.999
