"""Plugin: the benchmark GeoKTools."""

from __future__ import annotations

from gra_core import Benchmark, hookimpl

ANSWER = (
    "Finish with that JSON list on a line of its own and nothing after it: names in double quotes, numbers bare and in "
    "the unit given. Where two candidates are exactly equal, take the one whose name comes first in the alphabet."
)


@hookimpl
def gra_benchmarks() -> list[Benchmark]:
    return [
        Benchmark(
            name="geoktools",
            title="GeoKTools: templated geospatial queries over K types of tools, with reference solvers",
            factory="gra_benchmark_geoktools.benchmark:GeoKTools",
            scorers=("blanks",),
            autoraters=("answer-autorater",),
            licence="Apache-2.0 (templates); answers under the licences of the sources they are computed from",
            attribution="After the GeoKTools design of the Geospatial Reasoning Agent paper; templates written for this project",
            answer_instruction=ANSWER,
        )
    ]
