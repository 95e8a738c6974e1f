"""IBTrACS files in the documented format, and a loopback server for NHC and Weather Lab.

Katrina's positions, winds and pressures are those of IBTrACS; wind radii and every other storm are synthetic.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gra_geo.plugin
import gra_skill_tropical_cyclones.plugin
from gra_core import ToolContext
from gra_core.testing import LoopbackRequest, LoopbackServer, registry_of, tool_context

KATRINA = """\
2005-08-27 18:00:00,24.5,-85.3,100,948,3
2005-08-28 00:00:00,24.8,-85.9,100,941,3
2005-08-28 06:00:00,25.2,-86.7,125,930,4
2005-08-28 12:00:00,25.7,-87.7,145,909,5
2005-08-28 18:00:00,26.3,-88.6,150,902,5
2005-08-29 00:00:00,27.2,-89.2,140,905,5
2005-08-29 06:00:00,28.2,-89.6,125,913,4
2005-08-29 12:00:00,29.5,-89.6,110,923,3
2005-08-29 18:00:00,31.1,-89.6,80,948,1
2005-08-30 00:00:00,32.6,-89.1,50,961,0"""
# sid, name, basin, atcf, track type, fixes (time, lat, lon, wind, pressure, category)
SYNTHETIC = [
    ("2010010S15178", "SYNTHDATE", "SP", "SH072010", "main", "2010-01-10 00:00:00,-15.0,178.0,70,970,1\n2010-01-10 06:00:00,-15.0,-178.0,70,970,1"),
    ("2010010S15178", "SYNTHDATE", "SP", "SH072010", "spur", "2010-01-10 06:00:00,-15.5,-177.0,90,960,2"),
    ("2026200N15300", "SYNTHPROV", "NA", "AL012026", "PROVISIONAL", "2026-07-19 00:00:00,15.0,300.0, , , \n2026-07-19 06:00:00,15.0,299.0,30, ,-1"),
    ("2007100N10050", "NOT_NAMED", "NI", " ", "main", "2007-04-10 00:00:00,10.0,50.0,40,995,0"),
]  # fmt: skip
RADII = [f"USA_R{w}_{q}" for w in (34, 50, 64) for q in ("NE", "SE", "SW", "NW")]
COLUMNS = [
    "SID", "SEASON", "NUMBER", "BASIN", "SUBBASIN", "NAME", "ISO_TIME", "NATURE", "LAT", "LON", "WMO_WIND", "WMO_PRES", "WMO_AGENCY",
    "TRACK_TYPE", "USA_AGENCY", "USA_ATCF_ID", "USA_LAT", "USA_LON", "USA_RECORD", "USA_STATUS", "USA_WIND", "USA_PRES", "USA_SSHS", *RADII, "USA_RMW",
]  # fmt: skip
UNITS = {
    "SEASON": "Year",
    "LAT": "degrees_north",
    "LON": "degrees_east",
    "WMO_WIND": "kts",
    "USA_WIND": "kts",
    "USA_PRES": "mb",
    "USA_SSHS": "1",
}


def line(
    sid: str, name: str, basin: str, atcf: str, kind: str, fix: str, radii: dict[str, float] | None = None
) -> str:
    when, lat, lon, wind, pressure, category = fix.split(",")
    values = {
        "SID": sid, "SEASON": when[:4], "NUMBER": "1", "BASIN": basin, "SUBBASIN": "MM", "NAME": name, "ISO_TIME": when, "NATURE": "TS",
        "LAT": lat, "LON": lon, "WMO_WIND": "30", "WMO_PRES": "999", "WMO_AGENCY": "hurdat_atl", "TRACK_TYPE": kind, "USA_AGENCY": "hurdat_atl",
        "USA_ATCF_ID": atcf, "USA_LAT": lat, "USA_LON": lon, "USA_STATUS": "HU", "USA_WIND": wind, "USA_PRES": pressure, "USA_SSHS": category,
    } | {k: f"{v:g}" for k, v in (radii or {}).items()}  # fmt: skip
    return ",".join(str(values.get(c, " ")) for c in COLUMNS)


def ibtracs_text() -> str:
    rows = [",".join(COLUMNS), ",".join(UNITS.get(c, "nmile" if c in RADII else " ") for c in COLUMNS)]
    for index, fix in enumerate(KATRINA.splitlines()):
        # Synthetic radii of 100 nautical miles; none at all at the fourth fix, no 64 kt wind at the last.
        radii = {} if index == 3 else {c: 100.0 for c in RADII if index < 9 or "64" not in c}
        rows.append(line("2005236N23285", "KATRINA", "NA", "AL122005", "main", fix, radii))
    rows += [line(*storm, fix) for *storm, fixes in SYNTHETIC for fix in fixes.splitlines()]
    return "\n".join(rows) + "\n"


@pytest.fixture(scope="session")
def ibtracs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ibtracs") / "ibtracs.synthetic.list.v04r01.csv"
    path.write_text(ibtracs_text(), encoding="utf-8")
    return path


class Loopback(LoopbackServer):
    """Files by path; `asked` are the paths that were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, str] = {}

    @property
    def asked(self) -> list[str]:
        return [request.path for request in self.received]

    def storms(self, storms: list[dict[str, Any]]) -> None:
        self.files["/CurrentStorms.json"] = json.dumps({"activeStorms": storms})

    def answer(self, request: LoopbackRequest) -> tuple[int, dict[str, str], str]:
        found = self.files.get(request.path)
        return (404, {}, "not found") if found is None else (200, {}, found)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    with Loopback() as loop:
        monkeypatch.setenv("GRA_BASE_URL_NHC", loop.url)
        monkeypatch.setenv("GRA_BASE_URL_WEATHER_LAB", loop.url)
        yield loop


@pytest.fixture
def context(tmp_path: Path) -> Callable[..., ToolContext]:
    """Makes a tool context over chosen plugins; `settings` are ``[sources.NAME]`` tables."""

    def make(
        settings: dict[str, dict[str, Any]] | None = None, plugins: tuple[Any, ...] = (), **chosen: str
    ) -> ToolContext:
        registry = registry_of(gra_geo.plugin, gra_skill_tropical_cyclones.plugin, *plugins)
        quick = {name: {"backoff_s": 0.01, "timeout_s": 5} for name in ("nhc", "weather-lab")}
        return tool_context(registry, tmp_path / "work", chosen=chosen, sources=quick | (settings or {}))

    return make


@pytest.fixture
def ctx(context: Any, ibtracs: Path) -> ToolContext:
    return context({"ibtracs-csv": {"path": str(ibtracs)}})
