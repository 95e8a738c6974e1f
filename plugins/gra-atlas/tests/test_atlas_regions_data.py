"""Boundaries: counts, identifiers and names that are published, areas against published ones, and geometry rules."""

import numpy as np
import pyproj
import pytest
import shapely

GEOD = pyproj.Geod(ellps="WGS84")
SQUARE_MILE = 2.589988  # km²

# Counties or equivalents in 2017 (Census Bureau; 254 in Texas, 159 in Georgia and so on).
COUNTIES = {
    "Texas": 254, "Georgia": 159, "Virginia": 133, "Kentucky": 120, "Missouri": 115, "Kansas": 105, "Illinois": 102,
    "North Carolina": 100, "Iowa": 99, "Nebraska": 93, "Puerto Rico": 78, "Florida": 67, "Louisiana": 64,
    "California": 58, "Alaska": 29, "Connecticut": 8, "Hawaii": 5, "Delaware": 3, "District of Columbia": 1,
}  # fmt: skip
# Total area of states without shore in square miles (Census Bureau, State Area Measurements).
STATE_AREAS = {
    "Nebraska": 77348, "Colorado": 104094, "Wyoming": 97813, "Kansas": 82278, "Utah": 84897, "Arizona": 113990,
    "New Mexico": 121590, "Nevada": 110572, "Oklahoma": 69899, "Missouri": 69707, "Iowa": 56273, "Arkansas": 53179,
    "Tennessee": 42144, "West Virginia": 24230, "South Dakota": 77116, "North Dakota": 70698, "Montana": 147040,
}  # fmt: skip
# Area in km² (UN Statistics Division, Demographic Yearbook, surface area).
COUNTRY_AREAS = {
    "CHE": 41291, "AUT": 83871, "MNG": 1564116, "KEN": 591958, "BOL": 1098581, "NPL": 147181, "AUS": 7692060,
    "ETH": 1104300, "LSO": 30355, "ZMB": 752612, "PRY": 406752, "HUN": 93024, "RUS": 17098246, "ISL": 103000,
}  # fmt: skip


def area(geometry):
    return GEOD.geometry_area_perimeter(geometry)[0] / 1e6


def test_counts(regions):
    counties = regions[regions.level == "county"]
    assert len(counties) == 3231
    assert regions.level.value_counts().to_dict() == {"county": 3231, "country": 244, "state": 56 + 49}
    per_state = counties.parent_name.value_counts()
    assert {name: int(per_state[name]) for name in COUNTIES} == COUNTIES


def test_identifiers_keep_their_zeros_and_nest(regions):
    usa = regions[(regions.fips != "")]
    assert usa.fips.str.fullmatch(r"\d{2}(\d{3})?").all()
    assert (usa.region_id == "geoId/" + usa.fips).all()
    counties = regions[regions.level == "county"]
    assert (counties.parent_id == "geoId/" + counties.fips.str[:2]).all()
    assert set(regions.parent_id) - set(regions.region_id) == {"Earth"}
    assert regions.loc["geoId/01001", "name"] == "Autauga County"
    assert regions.region_id.is_unique


@pytest.mark.parametrize(
    ("fips", "name", "short"),
    [
        ("31147", "Richardson County", "Richardson"), ("22071", "Orleans Parish", "Orleans"),
        ("24510", "Baltimore city", "Baltimore"), ("24005", "Baltimore County", "Baltimore"),
        ("02261", "Valdez-Cordova Census Area", "Valdez-Cordova"), ("46102", "Oglala Lakota County", "Oglala Lakota"),
        ("72127", "San Juan Municipio", "San Juan"), ("32510", "Carson City", "Carson City"),
        ("11001", "District of Columbia", "District of Columbia"), ("02158", "Kusilvak Census Area", "Kusilvak"),
    ],
)  # fmt: skip
def test_legal_names_of_counties(regions, fips, name, short):
    row = regions.loc[f"geoId/{fips}"]
    assert (row["name"], row["short_name"]) == (name, short)


@pytest.mark.parametrize(
    ("region_id", "name"),
    [
        ("country/DEU", "Germany"), ("country/COD", "Democratic Republic of the Congo"), ("country/XKX", "Kosovo"),
        ("country/TUV", "Tuvalu"), ("country/NLD", "Netherlands"), ("iso3166-2/BR-SP", "São Paulo"),
        ("iso3166-2/CA-QC", "Québec"), ("iso3166-2/AU-NSW", "New South Wales"), ("iso3166-2/BR-AC", "Acre"),
        ("iso3166-2/CA-NL", "Newfoundland and Labrador"),
    ],
)  # fmt: skip
def test_names_outside_the_us(regions, region_id, name):
    assert regions.loc[region_id, "name"] == name


@pytest.mark.parametrize(("state", "square_miles"), STATE_AREAS.items())
def test_state_areas_are_the_published_ones(regions, state, square_miles):
    row = regions[(regions.level == "state") & (regions["name"] == state)].iloc[0]
    assert area(row.geometry) == pytest.approx(square_miles * SQUARE_MILE, rel=0.003)


@pytest.mark.parametrize(("code", "square_km"), COUNTRY_AREAS.items())
def test_country_areas_are_the_published_ones(regions, code, square_km):
    assert area(regions.loc[f"country/{code}"].geometry) == pytest.approx(square_km, rel=0.025)


def test_counties_fill_their_state_without_overlap(regions):
    total = regions[regions.level == "county"].groupby("parent_id").geometry.agg(lambda g: sum(map(area, g)))
    for state, sum_of_counties in total.items():
        assert sum_of_counties == pytest.approx(area(regions.loc[state].geometry), rel=2e-3), state
    whole = area(regions.loc["country/USA"].geometry)
    states = regions[
        (regions.parent_id == "country/USA") & ~regions.fips.isin(["60", "66", "69", "72", "78"])
    ]
    assert len(states) == 51
    assert sum(map(area, states.geometry)) == pytest.approx(whole, rel=1e-4)


def test_geometries_follow_rfc_7946(regions):
    geometries = regions.geometry
    assert geometries.is_valid.all() and not geometries.is_empty.any()
    assert set(geometries.geom_type) == {"Polygon", "MultiPolygon"}
    polygons = shapely.get_parts(geometries.to_numpy())
    assert shapely.is_ccw(shapely.get_exterior_ring(polygons)).all()
    holes = shapely.get_rings(polygons[shapely.get_num_interior_rings(polygons) > 0], return_index=True)
    first = np.r_[True, np.diff(holes[1]) > 0]
    assert not shapely.is_ccw(holes[0][~first]).any()
    bounds = geometries.total_bounds
    assert bounds[0] >= -180 and bounds[2] <= 180 and bounds[1] >= -90


def test_nothing_runs_across_the_antimeridian(regions):
    """An edge longer than half the globe would be a jump from 180 to -180; only the pole's own edge is."""
    for region_id, geometry in regions.geometry.items():
        for polygon in shapely.get_parts(geometry):
            for ring in (polygon.exterior, *polygon.interiors):
                xy = shapely.get_coordinates(ring)
                jump = np.abs(np.diff(xy[:, 0])) > 180
                assert (region_id == "country/ATA" and (xy[1:][jump, 1] == -90).all()) or not jump.any(), (
                    region_id
                )


@pytest.mark.parametrize(
    ("code", "inside", "outside"),
    [
        ("RUS", [(-175.0, 66.5), (37.6, 55.75), (179.9, 68.0)], [(0.0, 66.5), (-150.0, 65.0)]),
        ("FJI", [(178.0, -17.8), (179.3, -16.6)], [(0.0, -17.0)]),
        ("ATA", [(0.0, -89.99), (100.0, -75.0), (-120.0, -80.0), (130.0, -80.0)], [(0.0, -60.0)]),
        ("USA", [(-98.0, 40.0), (-150.0, 65.0), (-155.5, 19.6)], [(-66.5, 18.2), (-98.0, 50.0)]),
        ("NZL", [(172.6, -43.5)], [(-0.1, -43.5)]),
    ],
)
def test_points_at_date_line_and_pole(regions, code, inside, outside):
    geometry = regions.loc[f"country/{code}"].geometry
    assert all(geometry.contains(shapely.Point(p)) for p in inside)
    assert not any(geometry.contains(shapely.Point(p)) for p in outside)


def test_farthest_nebraska_county_from_carhenge(regions, landmarks):
    """The paper's example, by geodesics of PROJ from the counties' centroids: Richardson County, 639.7 km."""
    carhenge = landmarks.loc["landmark/carhenge"]
    assert (carhenge.lon, carhenge.lat) == (-102.8580, 42.1422)
    counties = regions[regions.parent_id == "geoId/31"]
    distances = {
        name: GEOD.inv(carhenge.lon, carhenge.lat, point.x, point.y)[2] / 1000
        for name, point in zip(counties["name"], shapely.centroid(counties.geometry), strict=True)
    }
    farthest = max(distances, key=distances.get)
    assert farthest == "Richardson County"
    assert distances[farthest] == pytest.approx(639.7, abs=0.05)
    assert sorted(distances.values())[-2] < 620
