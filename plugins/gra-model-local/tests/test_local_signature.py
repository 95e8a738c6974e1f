"""Tools made small: signatures for the prompt, schemas for the grammar."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import ToolDeclaration
from gra_model_local.grammar import bare, plain_pattern, portable
from gra_model_local.signature import describe, first_sentence, type_text

BUFFER = ToolDeclaration(
    name="buffer",
    description="Buffer features by a distance.\n\nThe ring is geodesic. Use it for coverage questions.",
    parameters={
        "type": "object",
        "properties": {
            "features": {"type": "string", "description": "A ds:// reference."},
            "distance_m": {"type": "number", "minimum": 0},
            "cap": {"type": "string", "enum": ["round", "flat"]},
        },
        "required": ["features", "distance_m"],
        "additionalProperties": False,
    },
)


def test_the_whole_description_when_there_is_room():
    assert describe([BUFFER], most_tokens=1000) == (
        'buffer(features: string, distance_m: number, cap?: "round"|"flat"): Buffer features by a distance. The ring is '
        "geodesic. Use it for coverage questions.\n  features: A ds:// reference."
    )


def test_the_first_sentence_when_there_is_none():
    text = describe([BUFFER], most_tokens=5)
    assert (
        text
        == 'buffer(features: string, distance_m: number, cap?: "round"|"flat"): Buffer features by a distance.'
    )


def test_a_long_first_sentence_is_cut():
    assert len(first_sentence("word " * 100)) == 160


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "array", "items": {"type": "number"}}, "[number]"),
        ({"type": "array"}, "[any]"),
        ({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}, "string|[string]"),
        ({"type": "object", "properties": {"x": {"type": "integer"}}}, "{x: integer}"),
        ({"type": "object"}, "object"),
        ({"type": ["string", "null"]}, "string|null"),
        ({"type": "integer", "enum": [1, 2]}, "1|2"),
        ({}, "any"),
    ],
)
def test_types(schema, text):
    assert type_text(schema) == text


SCHEMA = {
    "type": "object",
    "description": "d",
    "properties": {
        "description": {"type": "string", "description": "d", "default": "x"},
        "pattern": {
            "type": "array",
            "items": {"type": "string", "title": "t", "pattern": r"^\d{4}$"},
            "maxItems": 9,
        },
        "default": {"enum": ["title", "default"]},
    },
    "required": ["description"],
}


def test_a_bare_schema_loses_annotations_but_no_property_of_such_a_name():
    assert bare(SCHEMA) == {
        "type": "object",
        "properties": {
            "description": {"type": "string"},
            "pattern": {"type": "array", "items": {"type": "string", "pattern": r"^\d{4}$"}, "maxItems": 9},
            "default": {"enum": ["title", "default"]},
        },
        "required": ["description"],
    }


def test_a_portable_schema_keeps_annotations_and_what_the_converter_can_take():
    properties = portable(SCHEMA)["properties"]
    assert properties["description"] == SCHEMA["properties"]["description"]
    assert properties["pattern"] == {
        "type": "array",
        "items": {"type": "string", "title": "t", "pattern": "^[0-9]{4}$"},
        "maxItems": 9,
    }
    assert portable({"type": "array", "minItems": 5, "maxItems": 100_000}) == {"type": "array", "minItems": 5}
    assert portable({"type": "array", "minItems": 5, "maxItems": 2}) == {"type": "array"}
    assert portable({"type": "string", "minLength": 5, "maxLength": 2}) == {"type": "string"}


@pytest.mark.parametrize(
    "pattern",
    [r"(?=a)b", r"abc", r"^a\bc$", r"^[\d-]+$", r"^a+?$", r"^(?:a)$", r"^a{1,5000}$", None, r"^\s$"],
)
def test_patterns_beyond_a_grammar_are_dropped(pattern):
    assert plain_pattern(pattern) == ""


@pytest.mark.parametrize(
    "pattern", [r"^\d{4}-\d{2}$", r"^\w+/\d+$", r"^[a-z]+$", r"^ds://[\w]*x$", r"^geoId/\d{2}(\d{3})?$"]
)
@given(
    text=st.from_regex(r"\A[a-zA-Z0-9_/:-]{0,12}\Z")
    | st.from_regex(r"\A[0-9]{4}-[0-9]{2}\Z")
    | st.from_regex(r"\AgeoId/[0-9]{2,5}\Z")
)
def test_a_plain_pattern_means_the_same(pattern, text):
    plain = plain_pattern(pattern)
    if plain:
        assert bool(re.search(plain, text)) == bool(re.search(pattern, text, re.ASCII))
