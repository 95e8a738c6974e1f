import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import Blank, Query
from gra_judge.blanks import score_blanks

COUNTY = Blank(label="Farthest county", type="entity")
AGE = Blank(label="Median age", type="number", unit="years", tolerance="age_years", depends_on=0)


def query(answer: list[object], *blanks: Blank) -> Query:
    return Query(id="q", benchmark="b", text="…", answer=answer, blanks=blanks)


def score(given_text: str, answer: list[object], *blanks: Blank) -> float:
    return score_blanks(query(answer, *blanks), given_text).value


def number(unit: str = "", tolerance: str = "number") -> Blank:
    return Blank(label="Value", type="number", unit=unit, tolerance=tolerance)


def test_the_example_of_the_paper() -> None:
    truth = query(["Richardson County", 47.7], COUNTY, AGE)
    assert score_blanks(truth, '["Richardson County", 47.7]').parts == (1.0, 1.0)
    assert score_blanks(truth, "").value == 0.0
    assert score_blanks(truth, '["richardson", "47.7 years"]').value == 1.0
    assert score_blanks(truth, '["Richardson County"]').parts == (1.0, 0.0)
    # off by 5 of the 10 years over which the score falls, 0.1 of them being rounding
    assert score_blanks(truth, '["Richardson County", 52.7]').parts == (1.0, pytest.approx(1 - 4.9 / 9.9))


def test_a_wrong_entity_voids_what_depends_on_it() -> None:
    result = score_blanks(query(["Richardson County", 47.7], COUNTY, AGE), '["Nemaha County", 47.7]')
    assert result.parts == (0.0, 0.0)
    assert result.extra["remarks"][1] == "depends on a wrong entity"


def test_dependence_goes_through_a_chain() -> None:
    third = Blank(label="Rank", type="number", depends_on=1, tolerance="count")
    result = score_blanks(
        query(["Richardson County", 47.7, 3], COUNTY, AGE, third), '["Nemaha County", 47.7, 3]'
    )
    assert result.parts == (0.0, 0.0, 0.0)


def test_independent_blanks_keep_their_score() -> None:
    other = Blank(label="Counties", type="number", tolerance="count")
    assert score(
        '["Nemaha County", 47.7, 93]', ["Richardson County", 47.7, 93], COUNTY, AGE, other
    ) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("given_text", "reference", "right"),
    [
        ("[25]", 5, False), ("[5]", -5, False), ("[33.14]", 3.14, False), ('["25"]', 5, False), ("(42).", 42, True), ("42!", 42, True),
        ("[42]", 42, True), ('["20%"]', 100, False), ("20% of 100", 100, False), ('["1,234"]', 1234, True), ('["−5"]', -5, True),
        ('["1.2e3"]', 1200, True), ("[true]", 1, False), ('["District 5"]', 5, False),
    ],
)  # fmt: skip
def test_numbers_never_match_as_text(given_text: str, reference: float, right: bool) -> None:
    assert score(given_text, [reference], number()) == float(right)


def test_units_of_the_answer_are_converted_to_the_blanks() -> None:
    assert score('["397.5 miles"]', [639.7], number("km", "distance_km")) == 1.0
    assert score('["639.7 kg"]', [639.7], number("km", "distance_km")) == 1.0
    assert score('["639.7 km²"]', [639.7], number("km", "distance_km")) == 0.0


def test_thresholds_hold_in_the_domains_unit() -> None:
    # 50 m are within the 0.1 km that a distance may be off, 5 km of 10 km are not.
    assert score("[50]", [0], number("m", "distance_km")) == 1.0
    assert score("[15000]", [10_000], number("m", "distance_km")) == 0.0


def test_a_share_may_be_written_as_percent() -> None:
    assert score('["12.5%"]', [0.125], number("", "probability")) == 1.0
    assert score('["12.5%"]', [12.5], number("%", "percent")) == 1.0
    assert score("[0.125]", [12.5], number("%", "percent")) == 0.0


def test_events_where_there_were_none() -> None:
    assert score("[1]", [0], number("", "count")) <= 0.1
    assert score("[0]", [0], number("", "count")) == 1.0


DAY = Blank(label="Landfall", type="date", tolerance="date")
HOUR = Blank(label="Peak", type="date", tolerance="datetime")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("2017-09-10", 1.0), ("10 September 2017", 1.0), ("September 10th, 2017", 1.0), ("Sun, Sep 10 2017", 1.0), ("2017/9/10", 1.0),
        ("2017-09-10T12:00:00Z", 1.0), ("2017-09-11", 1 - 1 / 7), ("2017-08-10", 0.0), ("September 2017", 0.0), ("10/09/2017", 0.0),
    ],
)  # fmt: skip
def test_dates(text: str, right: float) -> None:
    assert score(json.dumps([text]), ["2017-09-10"], DAY) == pytest.approx(right)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("2017-09-10T12:00:00Z", 1.0), ("2017-09-10 12:00", 1.0), ("10 September 2017, 12:00 UTC", 1.0), ("2017-09-10 08:00-04:00", 1.0),
        ("Sep 10, 2017 at 12:00 pm", 1.0), ("2017-09-10 18:00 UTC", 1 - 5.5 / 23.5), ("2017-09-10", 1 - 11.5 / 23.5), ("2017-09-12 12:00", 0.0),
    ],
)  # fmt: skip
def test_times(text: str, right: float) -> None:
    assert score(json.dumps([text]), ["2017-09-10T12:00:00+00:00"], HOUR) == pytest.approx(right)


def test_truth_values_and_words() -> None:
    yes = Blank(label="Yes or no", type="boolean")
    assert score('["Yes."]', [True], yes) == score("[true]", [True], yes) == 1.0
    assert score('["No"]', [True], yes) == score("[1]", [True], yes) == 0.0
    trend = Blank(label="Trend", type="text", aliases=("rising",))
    assert score('["Increasing"]', ["increasing"], trend) == score('["rising"]', ["increasing"], trend) == 1.0
    assert score('["decreasing"]', ["increasing"], trend) == 0.0


def test_hedging_is_no_answer() -> None:
    assert (
        score('[["Richardson County", "Nemaha County"], 47.7]', ["Richardson County", 47.7], COUNTY, AGE)
        == 0.0
    )
    assert (
        score('["Richardson County or Nemaha County", 47.7]', ["Richardson County", 47.7], COUNTY, AGE) == 0.0
    )


def test_surplus_values_are_left_out_and_said() -> None:
    result = score_blanks(query(["Richardson County", 47.7], COUNTY, AGE), '["Richardson County", 47.7, 12]')
    assert result.value == 1.0 and "surplus" in result.explanation


def test_a_query_without_as_many_values_as_blanks_is_a_fault() -> None:
    with pytest.raises(ValueError, match="2 blanks for 1"):
        score_blanks(query(["Richardson County"], COUNTY, AGE), "[1]")


references = st.tuples(
    st.text(min_size=1, max_size=20).filter(lambda t: t.strip() != ""), st.floats(-1e9, 1e9)
)


@given(references)
def test_the_reference_itself_scores_one(reference: tuple[str, float]) -> None:
    truth = query(list(reference), COUNTY, Blank(label="Value", type="number", depends_on=0))
    assert score_blanks(truth, json.dumps(reference)).value == 1.0


@given(st.text(max_size=200))
def test_any_answer_gets_a_score(text: str) -> None:
    result = score_blanks(query(["Richardson County", 47.7], COUNTY, AGE), text)
    assert 0.0 <= result.value <= 1.0
    assert result.value == pytest.approx(sum(result.parts) / 2)
