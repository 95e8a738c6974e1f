"""Queries that nothing can answer: that the thing really does not exist, and that the tools show it."""

import json
from pathlib import Path

import pytest

from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.drawing import draw
from gra_benchmark_geoktools.infeasible import abstaining, no_county, no_region, no_values, no_variable
from gra_benchmark_geoktools.template import Template, all_templates
from gra_benchmark_geoktools.templates.nonexistent import FICTIONAL, MEASURES
from gra_benchmark_geoktools.tooltypes import types_of
from gra_core import IllPosed, Scorer, Sources
from gra_core.testing.conformance import call_tool
from gra_core.testing.solvers import ShuffledSources

TEMPLATES = [template for template in all_templates().values() if not template.solvable]
each = pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)


@each
def test_form(template: Template, data: Data) -> None:
    query = draw(template, data, seed=5, count=1)[0]
    assert template.split == "test" and not query.solvable and query.answer == [] and query.blanks
    assert "{" not in query.text and "Answer with a JSON list: [" in query.text
    assert not any(name.endswith("_id") for name in template.slots)
    assert query.public()["solvable"] is False


@each
def test_the_tools_find_nothing_and_the_trajectory_abstains(
    template: Template, sources: Sources, data: Data, tmp_path: Path
) -> None:
    query = draw(template, data, seed=11, count=1)[0]
    steps, called = template.reference(query.parameters), []
    name, arguments = next(steps)
    while name != "abstain":
        called.append(name)
        result = call_tool(sources.registry.tools[name], arguments, sources.registry, tmp_path)
        assert result.error is None, result.error
        name, arguments = steps.send(json.loads(json.dumps(result.for_model())))
    assert called and len(arguments["reason"]) > 20
    with pytest.raises(StopIteration) as end:
        steps.send({"status": "empty"})
    assert end.value.value == []
    assert types_of(called) <= set(template.tool_types)
    assert {sources.registry.tools[tool].skill for tool in called} <= set(template.skills)


@each
def test_the_order_of_rows_does_not_matter(template: Template, sources: Sources, data: Data) -> None:
    shuffled = Data(ShuffledSources(sources, 3))  # type: ignore[arg-type]
    assert draw(template, shuffled, seed=2, count=2) == draw(template, data, seed=2, count=2)


@each
def test_abstaining_is_right_and_any_answer_wrong(template: Template, data: Data, scorer: Scorer) -> None:
    query = draw(template, data, seed=0, count=1)[0]
    wrong = json.dumps([1.0] * len(query.blanks))
    assert scorer.score(query, "", status="abstained").value == scorer.score(query, "[]").value == 1.0
    assert scorer.score(query, wrong).value == 0.0 and scorer.score(query, "", status="failed").value == 0.0


def test_nothing_of_the_lists_exists(data: Data) -> None:
    for name in FICTIONAL:
        no_region(data, name)
    for measure, keyword in MEASURES.items():
        no_variable(data, measure, keyword)


def test_what_exists_is_refused(data: Data) -> None:
    for refused in (
        lambda: no_region(data, "Norway"),
        lambda: no_region(data, "Burma"),
        lambda: no_county(data, "Lancaster County", "geoId/31"),
        lambda: no_county(data, "De Kalb County", "geoId/17"),
        lambda: no_values(data, "LifeExpectancy_Person", "country/NOR", 1640, 1990),
        lambda: no_variable(data, "unemployment rate", "unemployment"),
    ):
        with pytest.raises(IllPosed):
            refused()


def test_a_trajectory_that_finds_the_thing_does_not_abstain() -> None:
    with pytest.raises(ValueError, match="there is no Norway"):
        abstaining(False, "there is no Norway")


def test_a_judge_rates_it_too(sources: Sources) -> None:
    benchmark = sources.registry.benchmarks["geoktools"]
    assert benchmark.autoraters == ("answer-autorater",) and set(benchmark.autoraters) <= set(
        sources.registry.autoraters
    )
