"""The plugin as the core sees it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from gra_core import SourceSettings
from gra_skill_tropical_cyclones.plugin import gra_skills, gra_sources

TOOLS = [
    "find_historical_storms",
    "get_wind_swath",
    "list_active_cyclones",
    "get_cyclone_forecast",
    "get_strike_probability",
]
HEAVY = ("geopandas", "pandas", "numpy", "shapely", "pyproj", "scipy", "httpx")


def test_skill_and_tools() -> None:
    [skill] = gra_skills()
    assert skill.name == "tropical-cyclones" and [t.name for t in skill.tools] == TOOLS
    assert len(skill.guidance.splitlines()) < 120
    for tool in skill.tools:
        assert tool.parameters["type"] == "object" and tool.card.sources and tool.card.coverage
        assert all("description" in p for p in tool.parameters["properties"].values()), tool.name


def test_sources() -> None:
    found = {s.name: s for s in gra_sources()}
    assert {(s.kind, s.name) for s in found.values()} == {
        ("cyclones", "ibtracs-csv"),
        ("cyclone-advisories", "nhc"),
        ("cyclone-forecasts", "weather-lab"),
    }
    assert all(s.licence and s.attribution and s.coverage for s in found.values())
    assert (
        "path" in found["ibtracs-csv"].missing()[0] and "ncei.noaa.gov" in found["ibtracs-csv"].missing()[0]
    )
    assert found["ibtracs-csv"].missing(SourceSettings(values={"path": str(Path.home())})) == []


def test_schemas_import_nothing_heavy() -> None:
    code = (
        "import sys, json; import gra_skill_tropical_cyclones.plugin as p; "
        "[t.parameters for s in p.gra_skills() for t in s.tools]; p.gra_sources(); "
        f"print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == []
