"""Golden workflows in the forms in which files may hold them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core.converter import dump
from gra_core.records import RecordError
from gra_core.workflow import Workflow, WorkflowStep, read_workflow, read_workflows

FLOW = Workflow(
    datasets=("Rainfall", "Districts"),
    steps=(WorkflowStep(text="Sum by district"), WorkflowStep(text="Draw a map", optional=True)),
    outputs=("Ranking",),
)
TEXT = """**Datasets:**
- Rainfall
- Districts

Steps
1. Sum by district
2. (Optional) Draw a map

## Outputs
Ranking
"""


@pytest.mark.parametrize(
    "written",
    [
        dump(FLOW),
        json.dumps(dump(FLOW)),
        {"Data Sources": "Rainfall\nDistricts", "Analysis steps": ["Sum by district", "Draw a map (optional)"], "Deliverables": ["Ranking"]},
        {"datasets": [{"name": "Rainfall"}, {"name": "Districts"}], "outputs": "- Ranking",
         "steps": {"1": {"description": "Sum by district"}, "2": {"description": "Draw a map", "optional": "yes"}}},
        {"data": ["Rainfall", "Districts"], "workflow": "1. Sum by district\n2. Optional: Draw a map", "output": ["Ranking"]},
        TEXT,
    ],
)  # fmt: skip
def test_one_workflow_in_many_forms(written: Any) -> None:
    if isinstance(written, dict) and isinstance(written.get("workflow"), str):
        written = {**written, "workflow": "Steps:\n" + written["workflow"]}
    assert read_workflow(written) == FLOW


def test_running_text_is_one_step() -> None:
    text = "Take the districts, sum the rainfall and rank them.\nSay what is uncertain."
    assert read_workflow(text) == Workflow(steps=(WorkflowStep(text=text),))


def test_a_list_is_steps() -> None:
    assert read_workflow(["Sum by district", "[optional] Draw a map"]).steps == FLOW.steps


@pytest.mark.parametrize(
    ("text", "kept", "optional"),
    [
        ("Optional: compare", "compare", True),
        ("[Optional step] compare", "compare", True),
        ("Optionally, compare", "Optionally, compare", True),
        ("Optional layers are merged", "Optional layers are merged", False),
        ("Merge the optional layers", "Merge the optional layers", False),
        ("(optional)", "(optional)", False),
        ("3) Compare", "Compare", False),
        ("3.5 km around each town", "3.5 km around each town", False),
    ],
)
def test_optional_steps_are_marked_and_not_guessed(text: str, kept: str, optional: bool) -> None:
    assert read_workflow([text]).steps == (WorkflowStep(text=kept, optional=optional),)


def test_alternatives() -> None:
    other = Workflow(steps=(WorkflowStep(text="Ask the districts"),), title="survey")
    assert read_workflows([dump(FLOW), dump(other)]) == (FLOW, other)
    assert read_workflows({"measured": dump(FLOW), "survey": ["Ask the districts"]}) == (
        Workflow(steps=FLOW.steps, datasets=FLOW.datasets, outputs=FLOW.outputs, title="measured"),
        other,
    )
    assert read_workflows(json.dumps([dump(FLOW)])) == (FLOW,) == read_workflows(dump(FLOW))
    assert [w.steps[0].text for w in read_workflows(["One way.", "Another way."])] == [
        "One way.",
        "Another way.",
    ]
    assert (
        read_workflows([{"text": "Sum by district"}, {"text": "Draw a map", "optional": True}])[0].steps
        == FLOW.steps
    )


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", "an empty workflow"),
        (None, "an empty workflow"),
        ([], "steps of type list"),
        ({"datasets": ["Rainfall"]}, r"a workflow without steps \(has datasets\)"),
        ({"steps": []}, "without steps"),
        ({"steps": [{"tool": "sum"}]}, "a step without text"),
        ({"steps": [" "]}, "a step without text"),
        ({"steps": 3}, "steps of type int"),
    ],
)
def test_what_is_no_workflow(written: Any, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read_workflow(written)


def test_parts_without_steps_are_not_taken_for_alternatives() -> None:
    with pytest.raises(RecordError, match="without steps"):
        read_workflows({"datasets": "Rainfall", "outputs": "Ranking"})
    with pytest.raises(RecordError, match="no workflow"):
        read_workflows({"expert 1": None})


words = st.text("abcdefgh ", min_size=1).map(str.strip).filter(bool)
flows = st.builds(
    Workflow,
    steps=st.lists(st.builds(WorkflowStep, text=words, optional=st.booleans()), min_size=1, max_size=4).map(
        tuple
    ),
    datasets=st.lists(words, max_size=3).map(tuple),
    outputs=st.lists(words, max_size=3).map(tuple),
    title=st.one_of(st.just(""), words),
)


@given(flows)
def test_what_is_stored_is_read_back(flow: Workflow) -> None:
    assert read_workflow(dump(flow)) == read_workflow(json.dumps(dump(flow))) == flow
