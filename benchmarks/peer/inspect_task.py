"""The same trivial trials as a task of inspect_ai; run in inspect_ai's own environment by `benchmarks/bench_peer.py`."""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import exact
from inspect_ai.solver import Solver, generate, user_message

# The same in gra_peer/plugin.py.
QUESTION = "Sample {n}: which city is the capital of France?"
ANSWER = "Paris"
AGAIN = "Are you sure?"


def reply(*_request: object) -> ModelOutput:
    """The answer, with usage: without, inspect_ai would count tokens with a vocabulary that it downloads."""
    output = ModelOutput.from_content(model="mockllm", content=ANSWER)
    output.usage = ModelUsage(input_tokens=12, output_tokens=3, total_tokens=15)
    return output


@task
def trivial(samples: int = 100, canned: bool = True, turns: int = 1) -> Task:
    """`samples` questions that differ in a number only, each asked `turns` times; without `canned` the model is the command
    line's."""
    data = [Sample(id=n, input=QUESTION.format(n=n), target=ANSWER) for n in range(1, samples + 1)]
    model = get_model("mockllm/model", custom_outputs=reply) if canned else None
    solvers: list[Solver] = [generate()]
    for _ in range(turns - 1):
        solvers += [user_message(AGAIN), generate()]
    return Task(dataset=MemoryDataset(data, name="trivial"), solver=solvers, scorer=exact(), model=model)
