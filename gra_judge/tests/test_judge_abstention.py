"""Queries that nothing can answer, for every scorer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gra_core import Blank, PluginSelection, Query, Registry, Submission

REGISTRY = Registry.load(PluginSelection(only=("judge",)))
BLANKS = (Blank(label="County", type="entity"), Blank(label="Age", type="number", depends_on=0))
UNSOLVABLE = Query(id="q", benchmark="b", text="The median age of Atlantis?", blanks=BLANKS, solvable=False)
CASES = [
    ("", "abstained", 1.0), ("I had to decline.", "abstained", 1.0), ("[null, null]", "answered", 1.0), ("[]", "answered", 1.0), ("", "answered", 1.0),
    ('["Atlantis", 40]', "answered", 0.0), ("About 40 years.", "answered", 0.0), ("", "limit", 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "status", "value"), CASES)
@pytest.mark.parametrize("name", ["blanks", "label", "two-significant-figures"])
def test_deterministic_scorers(name: str, answer: str, status: str, value: float) -> None:
    assert REGISTRY.scorers[name].score(UNSOLVABLE, answer, status).value == value


@pytest.mark.parametrize(("answer", "status", "value"), CASES)
@pytest.mark.parametrize("name", ["answer-autorater", "workflow-autorater"])
def test_autoraters_do_not_ask(
    rate: Callable[..., Any], name: str, answer: str, status: str, value: float
) -> None:
    given = Submission(query=UNSOLVABLE, answer=answer, status=status)
    score, model = rate(REGISTRY.autoraters[name], given, [])
    assert score.value == value and not model.requests
