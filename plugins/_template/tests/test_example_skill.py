"""The conformance suite, and this skill's own behaviour."""

import math

import shapely

from gra_core.testing import PluginConformance
from gra_skill_example_skill.compactness import compactness


class TestConformance(PluginConformance):
    plugin = "gra_skill_example_skill.plugin"
    examples = {"measure_compactness": [{"regions": ["geoId/31", "geoId/08"]}]}


def test_a_circle_is_compact_and_a_strip_is_not() -> None:
    circle = shapely.Point(0, 0).buffer(0.1, quad_segs=64)
    strip = shapely.box(0, 0, 1, 0.01)
    assert math.isclose(compactness(circle), 1, rel_tol=0.01)
    assert compactness(strip) < 0.05


def test_ring_direction_does_not_matter() -> None:
    square = shapely.box(10, 10, 11, 11)
    assert math.isclose(compactness(square), compactness(square.reverse()))


def test_the_tool_ranks_regions(gra_call) -> None:
    result = gra_call("measure_compactness", regions=["geoId/08", "geoId/24"])
    assert result.status == "ok", result.error
    # Colorado is nearly a rectangle; Maryland has one of the most ragged outlines of the states.
    assert [row["region_id"] for row in result.content["rows"]] == ["geoId/08", "geoId/24"]
