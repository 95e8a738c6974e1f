"""The published example: of Nebraska's counties, Richardson is farthest from Carhenge, by every path there is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gra_core import QueryRequest, Registry, Sources


def gra_bench(*arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "gra_bench.cli", *arguments, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_through_the_tools(tmp_path: Path) -> None:
    def tool(name: str, /, **arguments: Any) -> Any:
        return gra_bench("tool", name, "--args", json.dumps(arguments), "--workspace", str(tmp_path))

    center = tool("get_place_center", name="Carhenge")["content"]
    state = tool("find_regions", name="Nebraska", level="state")["content"]
    counties = tool("list_subregions", parent_id="geoId/31", level="county")
    assert "geoId/31" in json.dumps(state)
    place = json.dumps(center)
    assert "Carhenge" in place
    counties_ref = counties["datasets"][0]["ref"]
    found = tool(
        "compute_distances", a=["landmark/carhenge"], b=counties_ref, k=1, anchor="centroid", order="farthest"
    )
    text = json.dumps(found["content"])
    assert "Richardson" in text and "geoId/31147" in text


def carhenge_query() -> Any:
    registry = Registry.load()
    benchmark = registry.benchmarks["geoktools"].load()
    queries = benchmark.queries(QueryRequest(split="dev"), Sources(registry)).queries
    return next(q for q in queries if "Carhenge" in q.text)


def test_through_the_solver() -> None:
    assert carhenge_query().answer[0] == "Richardson County"


@pytest.mark.parametrize("configuration", ["llm-tools", "gra"])
def test_through_a_run(configuration: str, tmp_path: Path) -> None:
    document = gra_bench(
        "run", "-c", configuration, "--query", carhenge_query().id, "--run-dir", str(tmp_path / "run")
    )
    assert document["results"][0]["mean"] == 1.0
    result = json.loads((tmp_path / "run" / "results.jsonl").read_text())
    assert "Richardson County" in result["outcome"]["answer"]


def test_the_distance_is_the_published_one() -> None:
    """639.7 km from the county's centroid, by an independent geodesic calculation on the atlas's outline."""
    import pyproj

    registry = Registry.load()
    county = Sources(registry).open("boundaries", "atlas").get(region_ids=["geoId/31147"]).geometry.iloc[0]
    _, _, metres = pyproj.Geod(ellps="WGS84").inv(-102.8580, 42.1422, county.centroid.x, county.centroid.y)
    assert metres / 1000 == pytest.approx(639.7, abs=0.5)
