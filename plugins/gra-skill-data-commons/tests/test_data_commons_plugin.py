"""The plugin as the core sees it."""

from __future__ import annotations

import json
import subprocess
import sys

from gra_skill_data_commons.plugin import gra_skills, gra_sources

TOOLS = ["resolve_places", "search_variables", "describe_variables", "get_stat_table", "get_stat_series"]
HEAVY = ("geopandas", "pandas", "numpy", "shapely", "requests", "pydantic", "datacommons_client")


def test_skill_and_tools() -> None:
    [skill] = gra_skills()
    assert skill.name == "data-commons" and [t.name for t in skill.tools] == TOOLS
    assert "statistics" in skill.description.lower() and len(skill.guidance.splitlines()) < 120
    for tool in skill.tools:
        assert tool.parameters["type"] == "object" and "statistics" in tool.card.sources
        assert all("description" in p for p in tool.parameters["properties"].values()), tool.name


def test_source_declares_licence_and_key() -> None:
    [source] = gra_sources()
    assert (source.kind, source.name, source.live) == ("statistics", "data-commons", True)
    assert source.licence and source.attribution and source.key_env == ("DC_API_KEY",)


def test_schemas_import_nothing_heavy() -> None:
    code = (
        "import sys, json; import gra_skill_data_commons.plugin as p; "
        "[t.parameters for s in p.gra_skills() for t in s.tools]; p.gra_sources(); "
        f"print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == []
