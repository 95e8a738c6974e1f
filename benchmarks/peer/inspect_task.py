"""The same trivial trials as a task of inspect_ai; run in inspect_ai's own environment by `benchmarks/bench_peer.py`."""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import exact

# The same in gra_peer/plugin.py.
QUESTION = "Sample {n}: which city is the capital of France?"
ANSWER = "Paris"


def reply(*_request: object) -> ModelOutput:
    """The answer, with usage: without, inspect_ai would count tokens with a vocabulary that it downloads."""
    output = ModelOutput.from_content(model="mockllm", content=ANSWER)
    output.usage = ModelUsage(input_tokens=12, output_tokens=3, total_tokens=15)
    return output


@task
def trivial(samples: int = 100, canned: bool = True) -> Task:
    """`samples` questions that differ in a number only; without `canned` the model is the command line's."""
    data = [Sample(id=n, input=QUESTION.format(n=n), target=ANSWER) for n in range(1, samples + 1)]
    model = get_model("mockllm/model", custom_outputs=reply) if canned else None
    return Task(dataset=MemoryDataset(data, name="trivial"), scorer=exact(), model=model)
