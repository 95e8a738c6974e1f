"""Plugin: the benchmark of open-ended queries."""

from __future__ import annotations

from gra_core import Benchmark, hookimpl

ANSWER = (
    "Carry the analysis out with the tools you have; describing it is not enough. End with the answer in a few sentences: the "
    "findings with their figures, the data they rest on, substitutes that you used, and what remains uncertain."
)


@hookimpl
def gra_benchmarks() -> list[Benchmark]:
    return [
        Benchmark(
            name="geoexpert",
            title="GeoExpertQueries: open-ended queries rated against golden workflows (24 of our own, or the published ones)",
            factory="gra_benchmark_geoexpert.benchmark:GeoExpert",
            autoraters=("workflow-autorater",),
            licence="CC BY 4.0 (our queries and golden workflows; the published development split, not included)",
            attribution="Our queries: written for this project. Published split: Google Research, GeoExpertQueries (arXiv:2610.15750)",
            url="https://github.com/google-research/geospatial-reasoning-benchmarks",
            answer_instruction=ANSWER,
        )
    ]
