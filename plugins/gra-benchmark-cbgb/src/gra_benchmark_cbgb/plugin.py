"""Plugin: the benchmark CBGB."""

from __future__ import annotations

from gra_core import Benchmark, hookimpl

ANSWER = (
    "End with the number you found as a JSON list of one element on the last line, such as [0.273]: in the unit that is asked "
    "for, with three or more significant figures, no separators for thousands and nothing else in the list."
)


@hookimpl
def gra_benchmarks() -> list[Benchmark]:
    return [
        Benchmark(
            name="cbgb",
            title="CBGB: questions of Earth observation with one number as their answer (dev: a sample of ours)",
            factory="gra_benchmark_cbgb.benchmark:Cbgb",
            scorers=("two-significant-figures",),
            autoraters=("answer-autorater",),
            licence="CC BY 4.0 (published questions, not included); Apache-2.0 (sample, editions)",
            attribution="Cardille et al., The Cloud-Based Geospatial Benchmark: Challenges and LLM Evaluation, TerraBytes workshop, ICML 2025",
            url="https://github.com/google/earthengine-community/tree/master/experimental/cbgb_benchmark",
            answer_instruction=ANSWER,
        )
    ]
