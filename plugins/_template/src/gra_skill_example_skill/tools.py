"""The tools of the skill: signature and docstring are what the model reads. Heavy imports happen inside."""

from __future__ import annotations

from gra_core import Column, ToolContext, ToolResult, tool
from gra_geo.arguments import Regions

MAX_ROWS = 20


@tool(
    sources=("boundaries?",),
    coverage="any polygons on Earth",
    limits="the outline's detail changes the value: compare only regions of one source",
)
def measure_compactness(ctx: ToolContext, regions: Regions) -> ToolResult:
    """Measure how compact regions are: 1 for a circle, near 0 for a long or ragged outline (Polsby-Popper score).

    Returns the most compact regions first; all of them are in the dataset.

    Args:
        regions: Regions to measure: a dataset reference, region ids such as geoId/31, or GeoJSON.
    """
    from gra_geo.frames import rows_of
    from gra_geo.inputs import read_regions
    from gra_skill_example_skill.compactness import compactness

    read = read_regions(ctx, regions)
    table = read.frame.assign(compactness=[compactness(shape) for shape in read.frame.geometry])
    table = table.sort_values("compactness", ascending=False)
    saved = ctx.save(
        table, name="compactness", columns={"compactness": Column(unit="1", quantity="intensive")}
    )
    shown = table.drop(columns="geometry")
    return ToolResult.ok(
        {"rows": rows_of(shown, MAX_ROWS), "regions": len(table)}, datasets=[saved], notes=read.notes
    )
