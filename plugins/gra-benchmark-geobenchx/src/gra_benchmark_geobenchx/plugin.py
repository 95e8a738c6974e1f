"""Plugin: the benchmark GeoBenchX and the scorer of its decision."""

from __future__ import annotations

from gra_core import Benchmark, Scorer, hookimpl

ANSWER = (
    "If the task depends on data or tools that you do not have, decline it rather than guess. Otherwise carry it out and end with "
    "what you found, in a few sentences; a map may be described by its layers, variable and classes."
)


@hookimpl
def gra_benchmarks() -> list[Benchmark]:
    return [
        Benchmark(
            name="geobenchx",
            title="GeoBenchX: tasks with and without a solution, as a check of abstention and tool use (dev: a sample of ours)",
            factory="gra_benchmark_geobenchx.benchmark:GeoBenchX",
            scorers=("abstention-decision",),
            autoraters=("workflow-autorater",),
            licence="MIT (published tasks, not included); Apache-2.0 (sample)",
            attribution="Krechetova and Kochedykov, GeoBenchX: Benchmarking LLMs in Agent Solving Multistep Geospatial Tasks, GeoGenAgent 2025",
            url="https://github.com/Solirinai/GeoBenchX",
            answer_instruction=ANSWER,
        )
    ]


@hookimpl
def gra_scorers() -> list[Scorer]:
    return [
        Scorer(
            name="abstention-decision", function="gra_benchmark_geobenchx.decision:score_decision",
            title="1 when a task is answered that has a solution, or declined that has none",
        )
    ]  # fmt: skip
