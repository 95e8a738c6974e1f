import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_judge.answer import read_answer

TWO = ["Farthest county", "Median age"]


@pytest.mark.parametrize(
    "text",
    [
        '["Richardson County", 47.7]',
        'The farthest one is Richardson.\n```json\n["Richardson County", 47.7]\n```\n',
        "Final answer: ['Richardson County', 47.7]",
        'First I had ["Cheyenne County", 40.1], but the right one is ["Richardson County", 47.7].',
        'See [1] and [2]. ["Richardson County", 47.7] [3]',
        '{"Farthest county": "Richardson County", "Median age": 47.7}',
        '{"median age": 47.7, "farthest county": "Richardson County"}',
        '{"a": "Richardson County", "b": 47.7}',
        '{"answer": ["Richardson County", 47.7]}',
        '[["Richardson County", 47.7]]',
        '[{"Farthest county": "Richardson County"}, {"Median age": 47.7}]',
        '**Answer:** ["Richardson County", 47.7]',
    ],
)
def test_forms_of_a_list(text: str) -> None:
    assert read_answer(text, TWO) == ["Richardson County", 47.7]


def test_values_that_are_not_json_stay_text() -> None:
    assert read_answer("[Richardson County, 47.7 years]", TWO) == ["Richardson County", "47.7 years"]
    assert read_answer('["Cook County", 5,194,675 people]', ["a", "b"]) == ["Cook County", "5,194,675 people"]


@pytest.mark.parametrize("text", [None, "", "  \n ", "[]", "I could not find it."])
def test_nothing_for_two_blanks(text: str | None) -> None:
    assert read_answer(text, TWO) == []


def test_a_single_value_needs_no_list() -> None:
    assert read_answer("It took a while.\n\n**Final answer:** 42 km", ["Distance"]) == ["42 km"]
    assert read_answer("42", ["Distance"]) == ["42"]


def test_a_null_is_a_value_that_says_nothing() -> None:
    assert read_answer('["Richardson County", null]', TWO) == ["Richardson County", None]
    assert read_answer('["Richardson County", NaN]', TWO) == ["Richardson County", None]


@pytest.mark.parametrize(
    "text", ["[" * 60_000, "{" * 60_000, '["' + "a" * 100_000, "[" + "1," * 30_000, "[" + "9" * 10_000 + "]"]
)
def test_hostile_texts_end(text: str) -> None:
    assert isinstance(read_answer(text, TWO), list)


def test_an_answer_after_hostile_text_is_found() -> None:
    assert read_answer("[" * 20_000 + ' ["Richardson County", 47.7]', TWO) == ["Richardson County", 47.7]


scalars = st.one_of(
    st.integers(-(10**12), 10**12), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=30)
)


@given(
    st.lists(scalars, min_size=1, max_size=7),
    st.sampled_from(["{}", "x {} y", "```json\n{}\n```", "[1, [2]] {}"]),
)
def test_what_was_written_is_read(values: list[object], form: str) -> None:
    assert (
        read_answer(form.replace("{}", json.dumps(values)), [f"blank {i}" for i in range(len(values))])
        == values
    )


@given(st.text(max_size=300))
def test_any_text_gives_a_list(text: str) -> None:
    assert isinstance(read_answer(text, TWO), list)
