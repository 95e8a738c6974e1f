"""The solver check: a template's answer is deterministic, independent of the order of its input, well-posed, and
what the tools find.

    @given(parameters(template, sources, data=Data))
    def test_my_template(drawn):
        check_template(template, sources, drawn, data=Data, play=play, scorer=scorer)
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from gra_core.benchmark import Blank, IllPosed, Query, ReferenceTrajectory, Scorer
from gra_core.registry import Registry
from gra_core.sources import SourceHandle, Sources
from gra_core.testing.conformance import call_tool

TYPES: dict[str, tuple[type, ...]] = {
    "entity": (str,), "text": (str,), "date": (str,), "boolean": (bool,), "number": (int, float),
}  # fmt: skip


class SolvedTemplate(Protocol):
    """What the check needs of a template. `data` is whatever the benchmark makes of the sources."""

    id: str

    def sample(self, data: Any, rng: random.Random) -> dict[str, Any]:
        """Parameters of one instance; may raise `IllPosed`."""
        ...

    def solve(self, data: Any, parameters: dict[str, Any]) -> list[Any]:
        """The reference answer, one value a blank; `IllPosed` when there is no single clear one."""
        ...

    def blanks_of(self, parameters: dict[str, Any]) -> Sequence[Blank]:
        """The blanks of an instance."""
        ...

    def reference(self, parameters: dict[str, Any]) -> ReferenceTrajectory | None:
        """The tool calls that answer an instance."""
        ...


def check_template(
    template: SolvedTemplate,
    sources: Sources,
    parameters: dict[str, Any],
    *,
    data: Callable[[Any], Any] = lambda sources: sources,
    play: Callable[[ReferenceTrajectory], Any] | None = None,
    scorer: Scorer | None = None,
    orders: int = 2,
) -> list[Any]:
    """Assert everything that holds for an instance of any template, and return its answer.

    `data` makes of sources what the template's functions take. `play` carries out a reference trajectory (see
    `tool_player`); without it the tool path is not tried. `scorer` decides whether the tool path's answer is the
    solver's; without it the two must be equal. `orders` is how many random orders of the sources' rows are tried.
    """
    answer = template.solve(data(sources), parameters)
    check_answer(template, parameters, answer)
    assert template.solve(data(sources), parameters) == answer, (
        f"{template.id}: two runs of the solver differ"
    )
    for seed in range(orders):
        shuffled = template.solve(data(ShuffledSources(sources, seed)), parameters)
        assert shuffled == answer, (
            f"{template.id}: the answer depends on the order of the rows: {answer} or {shuffled}"
        )
    if play is not None:
        check_tool_path(template, parameters, answer, play, scorer)
    return answer


def check_answer(template: SolvedTemplate, parameters: dict[str, Any], answer: list[Any]) -> None:
    """Assert that an answer has a value of the right type for every blank and survives JSON."""
    blanks = template.blanks_of(parameters)
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer, (
        f"{template.id}: {answer!r} is not plain JSON"
    )
    assert len(answer) == len(blanks), f"{template.id}: {len(answer)} values for {len(blanks)} blanks"
    for blank, value in zip(blanks, answer, strict=True):
        right = isinstance(value, TYPES[blank.type]) and isinstance(value, bool) == (blank.type == "boolean")
        assert right, f"{template.id}: {value!r} is no value of the {blank.type} blank {blank.label!r}"
        assert blank.depends_on is None or 0 <= blank.depends_on < len(blanks), (
            f"{template.id}: {blank.label!r} depends on nothing"
        )


def check_tool_path(
    template: SolvedTemplate,
    parameters: dict[str, Any],
    answer: list[Any],
    play: Callable[[ReferenceTrajectory], Any],
    scorer: Scorer | None = None,
) -> None:
    """Assert that the reference trajectory finds the solver's answer."""
    steps = template.reference(parameters)
    assert steps is not None, f"{template.id}: no reference trajectory"
    found = play(steps)
    if scorer is None:
        assert found == answer, f"{template.id}: the tools find {found}, the solver {answer}"
        return
    query = Query(
        id=template.id, benchmark="test", text="", answer=answer, blanks=tuple(template.blanks_of(parameters))
    )
    score = scorer.score(query, json.dumps(found))
    assert score.value == 1.0, (
        f"{template.id}: the tools find {found}, the solver {answer}: {score.explanation}"
    )


def tool_player(
    registry: Registry, folder: Path, *, record: list[str] | None = None
) -> Callable[[ReferenceTrajectory], Any]:
    """A player of reference trajectories on the installed tools, with a workspace in `folder`. The names of the
    tools called are added to `record`. A tool that answers an error is an `AssertionError`."""

    def play(steps: ReferenceTrajectory) -> Any:
        reply: Any = None
        while True:
            try:
                name, arguments = steps.send(reply)
            except StopIteration as end:
                return end.value
            if record is not None:
                record.append(name)
            result = call_tool(registry.tools[name], arguments, registry, folder)
            assert result.error is None, f"{name}({arguments}): {result.error}"
            reply = json.loads(json.dumps(result.for_model(), allow_nan=False))

    return play


class ShuffledSources:
    """Sources whose tables come in another order of rows: a solver must not notice."""

    def __init__(self, sources: Sources, seed: int) -> None:
        self._sources, self._seed = sources, seed

    def open(self, kind: str, name: str = "", **options: Any) -> ShuffledHandle:
        return ShuffledHandle(self._sources.open(kind, name, **options), self._seed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sources, name)


class ShuffledHandle:
    """A source handle that shuffles tables (anything with pandas' `sample` and `iloc`) and passes the rest on."""

    def __init__(self, handle: SourceHandle, seed: int) -> None:
        self._handle, self._seed = handle, seed

    def __getattr__(self, operation: str) -> Any:
        value = getattr(self._handle, operation)
        if not callable(value):
            return value

        def call(**arguments: Any) -> Any:
            table = value(**arguments)
            is_table = hasattr(table, "sample") and hasattr(table, "iloc")
            return table.sample(frac=1, random_state=self._seed).reset_index(drop=True) if is_table else table

        return call


def draw_parameters(template: SolvedTemplate, data: Any, seed: int, tries: int = 200) -> dict[str, Any]:
    """Parameters of a well-posed instance, from a seed; `AssertionError` when none is found in `tries` samples."""
    rng = random.Random(seed)
    for _ in range(tries):
        try:
            parameters = template.sample(data, rng)
            template.solve(data, parameters)
        except IllPosed:
            continue
        return parameters
    raise AssertionError(f"{template.id}: no well-posed instance in {tries} samples of seed {seed}")
