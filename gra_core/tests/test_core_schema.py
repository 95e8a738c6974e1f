"""Schemas from annotations, and arguments checked against them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import Param, PluginError, Tool, ToolError
from gra_core.schema import argument_docs, parameters_of, schema_of


class Stage(TypedDict):
    goal: str
    note: NotRequired[str]


def example(
    ctx: Any,
    regions: str | list[str] | dict[str, Any],
    distance_m: Annotated[float, Param(minimum=0)],
    count: int = 1,
    how: Literal["inner", "outer"] = "inner",
    names: list[str] | None = None,
    stages: list[Stage] | None = None,
    exact: bool = False,
) -> None:
    """Do an example.

    More about it.

    Args:
        regions: Where.
        distance_m: How far, in metres;
            more than nothing.
        count: How many.
        how: Which way.
        names: Which names.
        stages: Which stages.
        exact: Whether exactly.
    """


TOOL = Tool(handler=example)
GOOD: dict[str, Any] = {"regions": "ds://a-1", "distance_m": 5.0}


def test_a_schema_says_what_the_signature_says() -> None:
    schema = parameters_of(example)
    assert schema["required"] == ["regions", "distance_m"]
    assert schema["properties"]["regions"]["anyOf"] == [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "object"},
    ]
    assert schema["properties"]["distance_m"] == {
        "type": "number",
        "minimum": 0,
        "description": "How far, in metres; more than nothing.",
    }
    assert schema["properties"]["how"]["enum"] == ["inner", "outer"]
    assert schema["properties"]["stages"]["items"]["required"] == ["goal"]
    assert TOOL.description == "Do an example.\n\nMore about it."


@pytest.mark.parametrize("annotation", [bytes, set[str], tuple[int, int], complex, Literal["a", 1]])
def test_types_that_no_provider_takes_are_refused(annotation: Any) -> None:
    with pytest.raises(TypeError):
        schema_of(annotation)


def test_a_parameter_without_annotation_is_the_plugins_fault() -> None:
    def bad(ctx, place):  # type: ignore[no-untyped-def]
        """Bad."""

    with pytest.raises(PluginError, match="place"):
        parameters_of(bad)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"regions": None}, ["regions"]),
        ({"distance_m": "far"}, ["distance_m", "number", "'far'"]),
        ({"distance_m": -1}, ["distance_m", "at least 0"]),
        ({"distance_m": float("nan")}, ["distance_m", "finite"]),
        ({"regions": {"coordinates": [float("inf"), 0]}}, ["regions", "finite"]),
        ({"count": 1.5}, ["count", "integer"]),
        ({"count": True}, ["count", "integer"]),
        ({"how": "left"}, ["how", "inner"]),
        ({"names": ["a", 3]}, ["names[1]", "string"]),
        ({"stages": [{"note": "x"}]}, ["stages[0]", "goal"]),
        ({"distance": 3}, ["unknown parameter 'distance'", "distance_m"]),
        ({"regions": 7}, ["regions", "string or array or object"]),
    ],
)
def test_a_wrong_argument_is_named(change: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ToolError) as caught:
        TOOL.check(GOOD | change)
    assert caught.value.kind == "bad_argument"
    for word in words:
        assert word in caught.value.message, caught.value.message


def test_missing_and_surplus_are_told_together() -> None:
    with pytest.raises(ToolError) as caught:
        TOOL.check({"distance_m": 1.0, "wrong": 1})
    assert "'regions'" in caught.value.message and "'wrong'" in caught.value.message


@pytest.mark.parametrize("arguments", [None, [], "x", 3])
def test_arguments_must_be_an_object(arguments: Any) -> None:
    with pytest.raises(ToolError, match="JSON object"):
        TOOL.check(arguments)


def test_whole_floats_become_integers_and_nulls_of_optionals_go() -> None:
    checked = TOOL.check(GOOD | {"count": 5.0, "names": None, "distance_m": 3})
    assert checked["count"] == 5 and isinstance(checked["count"], int)
    assert isinstance(checked["distance_m"], float)
    assert "names" not in checked


@given(
    st.fixed_dictionaries(
        {
            "regions": st.text() | st.lists(st.text()),
            "distance_m": st.floats(0, 1e9),
            "count": st.integers(),
            "how": st.sampled_from(["inner", "outer"]),
            "exact": st.booleans(),
        }
    )
)
def test_good_arguments_pass_unchanged(arguments: dict[str, Any]) -> None:
    assert TOOL.check(arguments) == arguments


@given(st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.text(max_size=3), max_size=4))
def test_any_object_is_either_taken_or_refused_in_words(arguments: dict[str, Any]) -> None:
    try:
        TOOL.check(arguments)
    except ToolError as error:
        assert error.kind == "bad_argument" and error.hint


def test_argument_docs_stop_at_the_next_section() -> None:
    doc = "Sum.\n\nArgs:\n    a: One.\n    b: Two\n        lines.\n\nReturns:\n    c: not one."
    assert argument_docs(doc) == {"a": "One.", "b": "Two lines."}
