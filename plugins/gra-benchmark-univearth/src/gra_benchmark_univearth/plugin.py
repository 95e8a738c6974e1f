"""Plugin: the benchmark UnivEARTH."""

from __future__ import annotations

from gra_core import Benchmark, hookimpl

ANSWER = (
    'End with your verdict as a JSON list that holds one word: ["Yes"], ["No"] or ["Inconclusive"]. Write it on the last line. '
    "Choose Inconclusive only if the evidence settles neither."
)


@hookimpl
def gra_benchmarks() -> list[Benchmark]:
    return [
        Benchmark(
            name="univearth",
            title="UnivEARTH: yes/no questions about what Earth observation data show (dev: a sample of ours)",
            factory="gra_benchmark_univearth.benchmark:UnivEarth",
            scorers=("label",),
            licence="MIT (published questions, not included); Apache-2.0 (sample)",
            attribution="Kao et al., Towards LLM Agents for Earth Observation, Findings of ACL 2026; questions after NASA Earth Observatory articles",
            url="https://huggingface.co/datasets/AaronKao/UnivEARTH",
            answer_instruction=ANSWER,
        )
    ]
