"""A synthetic benchmark for test_cluster_run.py, which the workers load as a plugin: each query names the tools to call."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from gra_core import (
    Benchmark,
    BenchmarkProtocol,
    Configuration,
    PluginSelection,
    Query,
    QueryRequest,
    QuerySet,
    Score,
    Scorer,
    Skill,
    ToolContext,
    ToolResult,
    content_hash,
    hookimpl,
    tool,
)
from gra_core.tool import Tool

STEPS = {
    "plain": ("where", "where"),
    "long": ("sign",) * 4,
    "deadly": ("fall_over",),
    "hanging": ("hang",),
    "saving": ("save",),
    "zones": ("zones",),
    "trivial": (),
}
EACH = {"plain": 8, "long": 6, "saving": 3, "trivial": 300}


class Errands(BenchmarkProtocol):
    def queries(self, request: QueryRequest, sources: Any) -> QuerySet:
        made = [
            Query(
                id=f"{kind}-{n}", benchmark="errands", text=f"Errand {kind}-{n}.", split="dev", answer="done"
            )
            for kind in STEPS
            for n in range(EACH.get(kind, 1))
        ]
        chosen = request.select(made)
        return QuerySet(queries=chosen, dataset_hash=content_hash(chosen))

    def skills(self, query: Query) -> tuple[str, ...]:
        return ("errands",)

    def reference(self, query: Query) -> Iterator[Any]:
        for step in steps_of(query.id):
            yield step, {}
        return "done"


def steps_of(query: str) -> tuple[str, ...]:
    return STEPS[query.partition("-")[0]]


@tool()
def where(ctx: ToolContext) -> int:
    """The process that this runs in."""
    return os.getpid()


@tool()
def sign(ctx: ToolContext) -> str:
    """The same as `where`, but it tells the test and not the model: a later attempt may run elsewhere, and still asks the
    model the same."""
    with (Path(os.environ["ERRANDS_FOLDER"]) / "signed").open("a") as file:
        file.write(f"{os.getpid()}\n")
    return "signed"


@tool()
def fall_over(ctx: ToolContext) -> str:
    """Ends the process that this runs in."""
    os._exit(3)


@tool()
def hang(ctx: ToolContext) -> str:
    """Never answers, as far as a test is concerned."""
    time.sleep(60)
    return "too late"


@tool()
def save(ctx: ToolContext) -> ToolResult:
    """A dataset of three rows."""
    import pandas as pd

    saved = ctx.save(pd.DataFrame({"n": [1, 2, 3]}), name="rows")
    return ToolResult.ok({"pid": os.getpid()}, datasets=[saved])


@tool()
def zones(ctx: ToolContext) -> dict[str, Any]:
    """Zonal statistics in parts (however little work they are) of what the test has put into its folder."""
    sys.path.insert(0, str(Path(__file__).parent.parent))
    import cluster_parts
    import geopandas as gpd

    folder = Path(os.environ["ERRANDS_FOLDER"])
    table = cluster_parts.statistics(
        str(folder / "synthetic.tif"), gpd.read_file(folder / "zones.gpkg"), ["mean", "sum"]
    )
    return {"rows": table.to_dict("list"), "pid": os.getpid(), "pids": cluster_parts.pids(6)}


@hookimpl
def gra_skills() -> list[Skill]:
    made = (where, sign, fall_over, hang, save, zones)
    tools = tuple(Tool(handler=one, skill="errands") for one in made)
    return [Skill(folder=Path(__file__).with_name("errands"), tools=tools)]


@hookimpl
def gra_benchmarks() -> list[Benchmark]:
    factory = f"{__name__}:Errands"
    return [Benchmark(name="errands", title="Errands", factory=factory, scorers=("done",), licence="CC0-1.0")]


@hookimpl
def gra_scorers() -> list[Scorer]:
    def done(query: Query, answer: str) -> Score:
        return Score(value=float(answer.strip('" ') == query.answer))

    return [Scorer(name="done", function=done)]


@hookimpl
def gra_configurations() -> list[Configuration]:
    plain = Configuration(
        plugins=PluginSelection(only=("errands", "geo", "model-openai", "model-scripted", "orchestration")),
        name="errands",
        executor="reactive",
        tools=("where", "sign", "fall_over", "hang", "save", "zones"),
    )
    limits = attrs.evolve(plain.limits, model_calls=2, wall_clock_s=3.0)
    return [plain, attrs.evolve(plain, name="errands-limited", limits=limits)]
