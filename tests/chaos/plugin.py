"""A benchmark of three small queries, and a tool that hangs."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from gra_core import (
    Benchmark,
    BenchmarkProtocol,
    Query,
    QueryRequest,
    QuerySet,
    Score,
    Scorer,
    Skill,
    ToolContext,
    content_hash,
    hookimpl,
    tool,
)
from gra_core.tool import Tool

# The fault strikes the second: the first is finished by then, the third shows whether the run goes on.
QUERIES = {"before": "1 + 1 = ?", "struck": "2 + 2 = ?", "after": "3 + 1 = ?"}
OVER = threading.Event()


class Sums(BenchmarkProtocol):
    def queries(self, request: QueryRequest, sources: Any) -> QuerySet:
        made = [
            Query(id=name, benchmark="chaos", text=text, split="dev", answer="4")
            for name, text in QUERIES.items()
        ]
        chosen = request.select(made)
        return QuerySet(queries=chosen, dataset_hash=content_hash(chosen))


@tool(timeout_s=0.3)
def hang(ctx: ToolContext) -> str:
    """Never answers."""
    OVER.wait(60)
    return "too late"


@hookimpl
def gra_skills() -> list[Skill]:
    folder = Path(__file__).with_name("chaos-tools")
    return [Skill(folder=folder, tools=(Tool(handler=hang, skill="chaos-tools"),))]


@hookimpl
def gra_benchmarks() -> list[Benchmark]:
    return [
        Benchmark(
            name="chaos", title="Sums", factory="chaos.plugin:Sums", scorers=("equal",), licence="CC0-1.0"
        )
    ]


@hookimpl
def gra_scorers() -> list[Scorer]:
    def equal(query: Query, answer: str) -> Score:
        return Score(value=float(answer.strip() == str(query.answer)))

    return [Scorer(name="equal", function=equal)]
