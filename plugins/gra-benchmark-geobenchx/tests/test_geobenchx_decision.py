"""The scorer of the decision, and the sample played through the real agent loop, where abstaining is a tool call."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gra_benchmark_geobenchx.benchmark import GeoBenchX
from gra_benchmark_geobenchx.decision import score_decision
from gra_benchmark_geobenchx.references import REFERENCES
from gra_core import Query, QueryRequest, Sources
from gra_core.model import TrialBrief
from gra_core.registry import Registry
from gra_core.trial import Outcome, TrialSetup, run_trial

NO_SOURCES: Any = SimpleNamespace()
QUERIES = {q.id: q for q in GeoBenchX().queries(QueryRequest(split="dev"), NO_SOURCES).queries}


@pytest.mark.parametrize(
    ("decision", "answered", "abstained", "empty"),
    [("solve", 1, 0, 0), ("abstain", 0, 1, 0), ("either", 1, 1, 0), ("answer", 1, 0, 0)],
)
def test_the_decision(decision: str, answered: int, abstained: int, empty: int) -> None:
    query = Query(
        id="t", benchmark="geobenchx", text="?", solvable=decision != "abstain", extra={"decision": decision}
    )
    assert score_decision(query, "An answer.").value == answered
    assert score_decision(query, "", "abstained").value == abstained
    assert score_decision(query, "I cannot do that.", "abstained").value == abstained
    assert score_decision(query, " \n").value == empty


def play(query: Query, registry: Registry, folder: Path, *, best_effort: bool = False) -> Outcome:
    configuration = registry.configurations["gra"]
    brief = TrialBrief(
        query=query, skills=GeoBenchX().skills(query), reference=lambda: GeoBenchX().reference(query)
    )
    setup = TrialSetup(
        registry=registry, configuration=configuration, model=registry.model("oracle"), sources=Sources(registry),
        workspace=folder, text=query.text, brief=brief, best_effort=best_effort,
    )  # fmt: skip
    return run_trial(setup).outcome


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_the_sample_is_decided_rightly(query: Query, gra_registry: Registry, tmp_path: Path) -> None:
    outcome = play(query, gra_registry, tmp_path)
    assert outcome.status == ("answered" if query.solvable else "abstained"), outcome.message
    assert outcome.tool_errors == 0 and "reference trajectory" not in outcome.answer
    assert gra_registry.scorers["abstention-decision"].score(query, outcome.answer, outcome.status).value == 1
    if query.extra["decision"] == "solve":
        assert set(outcome.tools) - {"load_skills", "submit_plan"}, "a task with a solution uses tools"


def test_with_best_effort_nobody_can_abstain(gra_registry: Registry, tmp_path: Path) -> None:
    outcome = play(QUERIES["sample-atlantis-coast"], gra_registry, tmp_path, best_effort=True)
    assert outcome.status == "answered"
    assert (
        gra_registry.scorers["abstention-decision"]
        .score(QUERIES["sample-atlantis-coast"], outcome.answer, outcome.status)
        .value
        == 0
    )


def test_known_answers(gra_registry: Registry, tmp_path: Path) -> None:
    """Richardson County and 639.7 km stand in the paper; the urban shares are the World Bank's of 2017 (86, 49 and 35 %)."""
    far = play(QUERIES["sample-farthest-from-carhenge"], gra_registry, tmp_path / "a").answer
    assert "Richardson County" in far and "639.7 km" in far
    urban = play(QUERIES["sample-urban-share"], gra_registry, tmp_path / "b").answer
    assert "Brazil 86." in urban and "Nigeria 49." in urban and "Vietnam 35." in urban


def test_the_sample_has_tasks_of_every_kind() -> None:
    assert {q.extra["decision"] for q in QUERIES.values()} == {"solve", "abstain", "either", "answer"}
    assert set(REFERENCES) == set(QUERIES)
    published = Query(id="TASK_1", benchmark="geobenchx", text="?")
    assert GeoBenchX().reference(published) is None and GeoBenchX().skills(published) == ()
