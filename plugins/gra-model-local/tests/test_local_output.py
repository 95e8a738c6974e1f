"""Constrained output is read strictly."""

from __future__ import annotations

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import ToolDeclaration
from gra_model_local.output import BadOutput, Output, open_answer, output_schema, read_output, well_begun

OPEN = {"type": "object"}
TOOLS = (
    ToolDeclaration(name="a", description="", parameters=OPEN),
    ToolDeclaration(name="b", description="", parameters=OPEN),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
nearly = st.dictionaries(
    st.sampled_from(["answer", "tool", "arguments", "other"]),
    st.sampled_from(["a", "b", "c"]) | st.dictionaries(st.text(), json_values, max_size=2) | json_values,
)


@given(value=nearly | json_values, answer=st.booleans())
def test_it_takes_what_the_schema_takes_and_nothing_else(value, answer):
    valid = jsonschema.Draft202012Validator(output_schema(TOOLS, answer=answer)).is_valid(value)
    try:
        read_output(json.dumps(value), TOOLS, answer=answer)
    except BadOutput:
        assert not valid
    else:
        assert valid


@given(arguments=st.dictionaries(st.text(), json_values), text=st.text())
def test_what_was_said_is_what_is_read(arguments, text):
    call = json.dumps({"tool": "b", "arguments": arguments}, indent=1)
    assert read_output(call, TOOLS, answer=True) == Output(tool="b", arguments=arguments)
    assert read_output(json.dumps({"answer": text}), TOOLS, answer=True) == Output(answer=text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nebraska",
        '{"answer": "x"',
        '{"answer": "x"} {"answer": "y"}',
        '{"tool": "a", "arguments": {"x": NaN}}',
        "[" * 100_000,
        '{"answer": "\\ud83d"}',
    ],
)
def test_what_is_no_json_is_bad_output(text):
    with pytest.raises(BadOutput, match="not valid JSON"):
        read_output(text, TOOLS, answer=True)


def test_a_call_that_had_to_be_made_is_no_answer():
    with pytest.raises(BadOutput, match="answer"):
        read_output('{"answer": "x"}', TOOLS, answer=False)


def test_the_schema_of_one_tool_names_it_and_holds_its_parameters():
    schema = output_schema(
        (
            ToolDeclaration(
                name="a",
                description="",
                parameters={"type": "object", "properties": {"n": {"type": "integer"}}},
            ),
        ),
        answer=False,
    )
    valid = jsonschema.Draft202012Validator(schema).is_valid
    assert valid({"tool": "a", "arguments": {"n": 1}})
    assert not valid({"tool": "a", "arguments": {"n": "1"}}) and not valid({"tool": "c", "arguments": {}})
    loose = jsonschema.Draft202012Validator(output_schema(TOOLS, answer=True, loose=True)).is_valid
    assert (
        loose({"tool": "b", "arguments": {"n": "1"}})
        and loose({"answer": ""})
        and not loose({"tool": "c", "arguments": {}})
    )


@given(text=st.text(), cut=st.integers(min_value=0, max_value=40))
def test_an_answer_that_was_cut_off_keeps_what_was_said(text, cut):
    whole = json.dumps({"answer": text})[: -len('"}')]
    part = open_answer(whole[: max(len('{"answer": "'), len(whole) - cut)])
    assert text.startswith(part)
    part.encode()
    if cut == 0:
        assert part == text


def test_a_call_that_was_cut_off_says_nothing():
    assert open_answer('{"tool": "a", "argu') == "" and open_answer("") == ""


@pytest.mark.parametrize(
    ("text", "begun"),
    [
        ("", True),
        ('{"to', True),
        ('{\n "tool": "a", ', True),
        ('{"answer": "x', True),
        ("Once", False),
        ('{"an_"', False),
    ],
)
def test_cut_off_output_is_told_from_prose(text, begun):
    assert well_begun(text) is begun
