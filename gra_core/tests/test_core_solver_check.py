"""The solver check catches what it says it catches, on templates over a small synthetic table."""

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given

from gra_core import Blank, IllPosed, Score, Scorer, Skill, Tool, ToolContext, ToolError, hookimpl
from gra_core.plugins import PluginSet
from gra_core.registry import Registry
from gra_core.testing.solvers import ShuffledSources, check_template, draw_parameters, tool_player
from gra_core.testing.strategies import parameters

HEIGHTS = pd.DataFrame({"name": ["Ay", "Bee", "Cee", "Dee"], "height": [3.0, 9.0, 4.0, 9.0]})


class FakeSources:
    def open(self, kind: str, name: str = "") -> Any:
        assert kind == "heights"
        return SimpleNamespace(
            table=lambda **_: HEIGHTS.copy(), levels=lambda **_: ["a"], declaration="heights"
        )


class Highest:
    """The highest above a floor; ties alphabetically."""

    id = "highest"

    def sample(self, data: Any, rng: random.Random) -> dict[str, Any]:
        return {"floor": rng.randint(0, 12)}

    def solve(self, data: Any, parameters: dict[str, Any]) -> list[Any]:
        table = data.open("heights").table()
        table = table[table["height"] > parameters["floor"]].sort_values(
            ["height", "name"], ascending=[False, True]
        )
        if table.empty:
            raise IllPosed("nothing is that high")
        return [table.iloc[0]["name"], float(table.iloc[0]["height"])]

    def blanks_of(self, parameters: dict[str, Any]) -> list[Blank]:
        return [Blank(label="Highest", type="entity"), Blank(label="Height", type="number", depends_on=0)]

    def reference(self, parameters: dict[str, Any]) -> Any:
        reply = yield "highest_above", {"floor": parameters["floor"]}
        return [reply["name"], reply["height"]]


def play(steps: Any) -> Any:
    _, arguments = next(steps)
    assert arguments["floor"] < 9
    with pytest.raises(StopIteration) as end:
        steps.send({"name": "Bee", "height": 9.0})
    return end.value.value


def exact(query: Any, text: str) -> Score:
    return Score(value=float(text == '["Bee", 9.0]'))


@given(parameters(Highest(), FakeSources()))  # type: ignore[arg-type]
def test_a_sound_template_passes(drawn: dict[str, Any]) -> None:
    assert drawn["floor"] < 9
    assert check_template(Highest(), FakeSources(), drawn, play=play) == ["Bee", 9.0]  # type: ignore[arg-type]
    check_template(Highest(), FakeSources(), drawn, play=play, scorer=Scorer(name="exact", function=exact))  # type: ignore[arg-type]


class FirstRow(Highest):
    def solve(self, data: Any, parameters: dict[str, Any]) -> list[Any]:
        return [data.open("heights").table().iloc[0]["name"], 1.0]


class Dice(Highest):
    def solve(self, data: Any, parameters: dict[str, Any]) -> list[Any]:
        return ["Bee", random.random()]


class TooFew(Highest):
    def solve(self, data: Any, parameters: dict[str, Any]) -> list[Any]:
        return ["Bee"]


class NotPlain(Highest):
    def solve(self, data: Any, parameters: dict[str, Any]) -> list[Any]:
        return ["Bee", float("nan")]


class WrongType(Highest):
    def solve(self, data: Any, parameters: dict[str, Any]) -> list[Any]:
        return ["Bee", "nine"]


class OtherAnswer(Highest):
    def reference(self, parameters: dict[str, Any]) -> Any:
        yield "highest_above", {"floor": 0}
        return ["Cee", 4.0]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (FirstRow(), "order of the rows"), (Dice(), "differ"), (TooFew(), "1 values for 2 blanks"), (NotPlain(), "not JSON|Out of range"),
        (WrongType(), "no value of the number blank"), (OtherAnswer(), "the tools find"),
    ],
)  # fmt: skip
def test_an_unsound_template_is_caught(template: Highest, message: str) -> None:
    with pytest.raises((AssertionError, ValueError), match=message):
        check_template(template, FakeSources(), {"floor": 1}, play=play, orders=8)  # type: ignore[arg-type]


def test_an_ill_posed_instance_is_no_failure_of_the_solver_but_of_the_check() -> None:
    with pytest.raises(IllPosed):
        check_template(Highest(), FakeSources(), {"floor": 10})  # type: ignore[arg-type]


def test_parameters_are_a_function_of_the_seed() -> None:
    drawn = [draw_parameters(Highest(), FakeSources(), seed) for seed in range(20)]
    assert drawn == [draw_parameters(Highest(), FakeSources(), seed) for seed in range(20)]
    assert len({d["floor"] for d in drawn}) > 1


def test_a_template_without_well_posed_instances_is_reported() -> None:
    class Never(Highest):
        def sample(self, data: Any, rng: random.Random) -> dict[str, Any]:
            return {"floor": 99}

    with pytest.raises(AssertionError, match="no well-posed instance"):
        draw_parameters(Never(), FakeSources(), 0)


def test_shuffling_keeps_the_rows() -> None:
    handle = ShuffledSources(FakeSources(), 1).open("heights")  # type: ignore[arg-type]
    table = handle.table()
    assert list(table["name"]) != list(HEIGHTS["name"])
    assert sorted(table["name"]) == sorted(HEIGHTS["name"])
    assert handle.levels() == ["a"] and handle.declaration == "heights"


class Plugin:
    """A skill with two synthetic tools."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @hookimpl
    def gra_skills(self) -> list[Skill]:
        return [Skill(folder=self.folder, tools=(Tool(handler=highest_above), Tool(handler=refuse)))]


def highest_above(ctx: ToolContext, floor: int) -> dict[str, Any]:
    """The highest above a floor."""
    return {"name": "Bee", "height": 9.0}


def refuse(ctx: ToolContext) -> None:
    """Never answers."""
    raise ToolError("not_available", "no luck today")


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    folder = tmp_path / "heights"
    folder.mkdir()
    (folder / "SKILL.md").write_text(
        "---\nname: heights\ndescription: Synthetic heights, for tests.\n---\nAsk.\n"
    )
    plugins = PluginSet()
    plugins.add(Plugin(folder), "heights")
    return Registry(plugins)


def test_a_player_hands_each_reply_to_the_next_step(registry: Registry, tmp_path: Path) -> None:
    def steps() -> Any:
        reply = yield "highest_above", {"floor": 2}
        assert reply["status"] == "ok"
        return [reply["content"]["name"], reply["content"]["height"]]

    called: list[str] = []
    assert tool_player(registry, tmp_path, record=called)(steps()) == ["Bee", 9.0]
    assert called == ["highest_above"]


def test_a_player_stops_at_a_tool_that_fails(registry: Registry, tmp_path: Path) -> None:
    def steps() -> Any:
        yield "refuse", {}

    with pytest.raises(AssertionError, match="no luck today"):
        tool_player(registry, tmp_path)(steps())
