"""NHC and Weather Lab clients against a loopback server, and the tools over them. All storms are synthetic."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
import shapely

from gra_core import SourceSettings, ToolError
from gra_skill_tropical_cyclones import outlook, tools
from gra_skill_tropical_cyclones.runs import basin_of
from gra_skill_tropical_cyclones.sources.nhc import CurrentStorms
from gra_skill_tropical_cyclones.sources.weatherlab import read_tracks

STORM = {
    "id": "ep062026", "binNumber": "EP1", "name": "Synthetic", "classification": "HU", "intensity": "90", "pressure": "967",
    "latitude": "18.7N", "longitude": "132.7W", "latitudeNumeric": 18.7, "longitudeNumeric": -132.7, "movementDir": 275, "movementSpeed": 15,
    "lastUpdate": "2026-07-24T21:00:00.000Z", "windWatchesWarnings": None, "stormSurgeWatchWarningGIS": None,
    "publicAdvisory": {"advNum": "024", "issuance": "2026-07-24T21:00:00.000Z", "url": "https://www.nhc.noaa.gov/text/x.shtml"},
}  # fmt: skip
RADII = [f"radius_{w}_knot_winds_{q}_km" for w in (34, 50, 64) for q in ("ne", "se", "sw", "nw")]
HEADER = [
    "init_time",
    "track_id",
    "sample",
    "valid_time",
    "lead_time",
    "lat",
    "lon",
    "minimum_sea_level_pressure_hpa",
    "maximum_sustained_wind_speed_knots",
    "radius_of_maximum_winds_km",
    *RADII,
]
INIT = dt.datetime(2025, 10, 25, 6)


def run_csv(
    init: dt.datetime,
    members: list[int],
    storm: str = "AL132025",
    lon: float = 280.0,
    drift: float = 0.5,
    radius: float = 100.0,
) -> str:
    """Members start at one point (longitude 0 to 360), move 2° north in 6 hours and `drift` × number degrees east."""
    rows = ["# Licence line one", "# Licence line two", ",".join(HEADER)]
    for sample in members:
        for step in range(5):
            valid = init + dt.timedelta(hours=6 * step)
            lead = f"{step * 6 // 24} days {step * 6 % 24:02d}:00:00"
            values = [
                init,
                storm,
                sample,
                valid,
                lead,
                15.0 + 2 * step,
                lon + drift * max(sample, 0) * step,
                960.0,
                80.0,
                30.0,
            ]
            rows.append(",".join(map(str, [*values, *[radius] * 12])))
    return "\n".join(rows) + "\n"


def path(init: dt.datetime, product: str) -> str:
    return f"/FNV3/{product}/paired/csv/FNV3_{init:%Y_%m_%dT%H_00}_paired.csv"


def this_cycle() -> dt.datetime:
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None, minute=0, second=0, microsecond=0)
    return now.replace(hour=now.hour // 6 * 6)


def test_nhc_advisory(server: Any, context: Any) -> None:
    server.storms([STORM])
    result = tools.list_active_cyclones(context(), basin="EP")
    [storm] = result.content["storms"]
    assert (
        storm["storm_id"] == "EP062026"
        and storm["basin"] == "EP"
        and storm["class"] == "category 2"
        and storm["pressure_hpa"] == 967
    )
    assert (storm["lon"], storm["lat"], storm["wind_kt"], storm["advisory"]) == (-132.7, 18.7, 90, "024")
    assert (
        storm["speed_kt"] == 13.0
        and storm["time"] == "2026-07-24T21:00:00"
        and server.asked == ["/CurrentStorms.json"]
    )


def test_nhc_out_of_season_and_text_coordinates(server: Any, context: Any) -> None:
    server.storms([])
    assert tools.list_active_cyclones(context(), basin="NA").status == "empty"
    server.storms(
        [
            {k: v for k, v in STORM.items() if not k.endswith("Numeric")}
            | {"id": "al012026", "intensity": None, "publicAdvisory": None}
        ]
    )
    [storm] = tools.list_active_cyclones(context(), basin="NA").content["storms"]
    assert (storm["lon"], storm["lat"], storm["wind_kt"], storm["category"]) == (-132.7, 18.7, None, -5)


def test_now_elsewhere_comes_from_the_newest_run(server: Any, context: Any) -> None:
    older = this_cycle() - dt.timedelta(hours=12)
    server.files[path(older, "ensemble_mean")] = run_csv(older, [-1], storm="WP252026", lon=140.0)
    server.storms([STORM])
    both = tools.list_active_cyclones(context())
    assert {s["storm_id"] for s in both.content["storms"]} == {"EP062026", "WP252026"}
    [storm] = tools.list_active_cyclones(context(), basin="WP").content["storms"]
    assert (storm["lon"], storm["lat"], storm["basin"]) == (140.0, 15.0, "WP")
    assert sum("ensemble_mean" in p for p in server.asked) == 6, (
        "two cycles without a run, then the one with it, twice"
    )


def test_one_source_failing_is_told(server: Any, context: Any) -> None:
    server.storms([STORM])
    result = tools.list_active_cyclones(context())
    assert len(result.content["storms"]) == 1 and any("not asked" in n for n in result.notes)


def test_forecast_track(server: Any, context: Any) -> None:
    server.files[path(INIT, "ensemble_mean")] = run_csv(INIT, [-1])
    ctx = context()
    result = outlook.get_cyclone_forecast(ctx, storm_id="al132025", init_time="2025-10-25T06:00")
    track = result.content["track"]
    assert (
        [r["lead_hours"] for r in track] == [0, 6, 12, 18, 24]
        and track[0]["lon"] == -80.0
        and track[4]["lat"] == 23.0
    )
    assert (
        track[0]["class"] == "category 1" and "spread_km" not in track[0] and result.content["members"] == 1
    )
    assert len(ctx.load(result.datasets[0].ref)) == 5


def test_forecast_ensemble_spread(server: Any, context: Any) -> None:
    server.files[path(INIT, "ensemble")] = run_csv(INIT, [0, 1, 2])
    track = outlook.get_cyclone_forecast(
        context(), storm_id="AL132025", init_time="2025-10-25T06:00", product="ensemble"
    ).content["track"]
    assert track[0]["spread_km"] == 0 and track[4]["members"] == 3
    assert track[4]["lon"] == pytest.approx(-78.0, abs=1e-3)
    # Two of three members are 2° of longitude from the mean at 23°N, 205.05 km each on WGS84 (the mean lies 1 km north).
    assert track[4]["spread_km"] == pytest.approx(2 / 3 * 205.05, abs=0.5)


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"storm_id": "AL992025"}, "not_found"), ({"storm_id": "AL132025", "init_time": "2025-10-25T03:00"}, "bad_argument"),
        ({"storm_id": "AL132025", "init_time": "yesterday"}, "bad_argument"), ({"storm_id": "AL132025", "init_time": "2020-01-01T00:00"}, "not_found"),
    ],
)  # fmt: skip
def test_forecast_errors(server: Any, context: Any, arguments: dict[str, Any], kind: str) -> None:
    server.files[path(INIT, "ensemble_mean")] = run_csv(INIT, [-1])
    with pytest.raises(ToolError) as error:
        outlook.get_cyclone_forecast(context(), **({"init_time": "2025-10-25T06:00"} | arguments))
    assert error.value.kind == kind


def region(west: float, south: float, east: float, north: float, name: str) -> dict[str, Any]:
    return {
        "type": "Feature",
        "properties": {"region_id": name, "name": name},
        "geometry": shapely.box(west, south, east, north).__geo_interface__,
    }


def test_strike_probability(server: Any, context: Any) -> None:
    """Members end at 80, 79, 78 and 77°W and 23°N (drift 0.25 a step); radius 100 km is 0.98° of longitude there."""
    server.files[path(INIT, "ensemble")] = run_csv(INIT, [0, 1, 2, 3], drift=0.25)
    boxes = [
        region(-80.1, 22.9, -79.9, 23.1, "west"),
        region(-78.6, 22.9, -78.4, 23.1, "middle"),
        region(-60, 22, -59, 23, "far"),
        region(-80.5, 14.5, -79.5, 15.5, "start"),
    ]
    result = outlook.get_strike_probability(
        context(),
        regions={"type": "FeatureCollection", "features": boxes},
        storm_id="AL132025",
        init_time="2025-10-25T06:00",
    )
    found = {r["region_id"]: r for r in result.content["regions"]}
    assert {k: v["probability"] for k, v in found.items()} == {
        "start": 1.0,
        "west": 0.5,
        "middle": 0.5,
        "far": 0.0,
    }
    assert found["start"]["first_arrival"] == "2025-10-25T06:00:00" and found["far"]["first_arrival"] is None
    assert found["west"]["first_arrival"] == "2025-10-26T06:00:00" and result.content["members"] == 4


def test_members_without_radii_are_told(server: Any, context: Any) -> None:
    text = run_csv(INIT, [0, 1])
    lines = text.splitlines()
    lines[3:8] = [",".join(line.split(",")[:10] + [""] * 12) for line in lines[3:8]]
    server.files[path(INIT, "ensemble")] = "\n".join(lines)
    box = {"type": "FeatureCollection", "features": [region(-80.5, 14.5, -79.5, 15.5, "start")]}
    result = outlook.get_strike_probability(context(), regions=box, init_time="2025-10-25T06:00")
    assert result.content["regions"][0]["probability"] == 0.5 and any(
        "5 member positions" in n for n in result.notes
    )


def test_newer_header_with_lead_hours_is_read() -> None:
    header = "init_time,track_id,sample,valid_time,lead_time,lead_time_hours,lat,lon,minimum_sea_level_pressure_hpa,maximum_sustained_wind_speed_knots"
    frame = read_tracks(
        f"# x\n{header}\n2025-10-25 06:00:00,12,0,2025-10-30 12:00:00,5 days 06:00:00,126,1.5,359.0,1000,40\n",
        INIT,
    )  # type: ignore[arg-type]
    [row] = frame.to_dict("records")
    assert (row["storm_id"], row["lead_hours"], row["lon"], row["wind_kt"]) == ("12", 126.0, -1.0, 40)


def test_faults_and_retries(server: Any) -> None:
    def source(**changes: Any) -> CurrentStorms:
        return CurrentStorms(
            SourceSettings(
                **(
                    {"base_url": server.url, "timeout_s": 5.0, "retries": 1, "values": {"backoff_s": 0.01}}
                    | changes
                )
            )
        )

    server.storms([STORM])
    server.faults = [(503, {})]
    assert len(source().active()) == 1 and len(server.asked) == 2
    for status, kind in ((500, "upstream"), (429, "quota"), (403, "not_available")):
        server.faults = [(status, {})] * 2
        with pytest.raises(ToolError) as error:
            source().active()
        assert error.value.kind == kind
        server.faults = []
    server.files["/CurrentStorms.json"] = "<html>maintenance</html>"
    with pytest.raises(ToolError, match="another form"):
        source().active()
    server.delay_s = 1.0
    with pytest.raises(ToolError) as error:
        source(timeout_s=0.1, retries=0).active()
    assert error.value.kind == "timeout"
    with pytest.raises(ToolError) as error:
        source(base_url="http://127.0.0.1:9", retries=0).active()
    assert error.value.kind == "upstream"


@pytest.mark.parametrize(
    ("storm", "lon", "basin"),
    [("AL132025", -60, "NA"), ("CP012025", -160, "EP"), ("WP252025", 140, "WP"), ("IO032025", 80, "NI"), ("SH102025", 60, "SI"), ("SH102025", 160, "SP"), ("SH102025", -150, "SP"), ("12", 0, "")],
)  # fmt: skip
def test_basin_of_atcf_ids(storm: str, lon: float, basin: str) -> None:
    assert basin_of(storm, lon) == basin
