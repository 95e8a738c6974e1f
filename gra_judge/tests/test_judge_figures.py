import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import Query
from gra_judge.figures import score_figures
from gra_judge.label import score_label


def figures(text: str, reference: object) -> float:
    return score_figures(Query(id="q", benchmark="cbgb", text="…", answer=reference), text).value


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("[1234]", 1200), ("[1150]", 1200), ("1,234", 1.2e3), ("[0.0994]", 0.099), ("[0.0996]", 0.1), ("-0.456", -0.46), ("−0.456", "-0.46"),
        ("4.56 × 10^7", 46_000_000), ("The area is 12.4 km2.", 12), ("[0]", 0), ("0.00", 0), ("1.25", 1.2), ("1.25", 1.3), ("[99.6]", 100),
        ("Answer: 47.7%", 48), ('```json\n[47.7]\n```', 47.7), ("5", 5.04), ("1.2 million", 1_234_567), ("(42).", 42),
    ],
)  # fmt: skip
def test_equal_to_two_figures(text: str, reference: object) -> None:
    assert figures(text, reference) == 1.0


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("25", 5), ("5", -5), ("33.14", 3.14), ("1249", 1300), ("0.1", 0.12), ("", 5), ("0.001", 0), ("0", 0.001), ("between 10 and 14", 12),
        ("20% of 100", 100), ("12 or 13", 12), ("[12, 13]", 12), ("true", 1), ("nan", 5), ("120", 12), ("1.26", 1.2),
    ],
)  # fmt: skip
def test_not_equal_to_two_figures(text: str, reference: object) -> None:
    assert figures(text, reference) == 0.0


@given(st.floats(-1e300, 1e300, allow_subnormal=False))
def test_python_rounds_alike(number: float) -> None:
    assert figures(f"{number:.1e}", number) == 1.0


@given(st.floats(1, 1e9))
def test_a_tenth_more_is_not_equal(number: float) -> None:
    assert figures(repr(number * 1.11), number) == 0.0


def label(text: str, reference: object) -> float:
    return score_label(Query(id="q", benchmark="univearth", text="…", answer=reference), text).value


@pytest.mark.parametrize(
    "text", ['["Yes"]', "Yes", '["yes"]', "I looked.\n\nAnswer: **Yes**", '```\n["Yes"]\n```', "Yes."]
)
def test_the_right_label(text: str) -> None:
    assert label(text, "Yes") == 1.0
    assert label(text, ["Yes"]) == 1.0
    assert label(text, "No") == 0.0


@pytest.mark.parametrize(
    "text", ["", "Yes and no", '["Yes", "No"]', '["Maybe"]', "[true]", '["Yesterday"]', "No, yes"]
)
def test_no_label(text: str) -> None:
    assert label(text, "Yes") == 0.0


def test_inconclusive_counts_as_wrong() -> None:
    assert label('["Inconclusive"]', "Yes") == 0.0
    assert label('["Inconclusive"]', "Inconclusive") == 0.0


def test_labels_of_the_query() -> None:
    query = Query(
        id="q", benchmark="b", text="…", answer="rose", extra={"labels": ["rose", "fell", "unclear"]}
    )
    assert score_label(query, '["rose"]').value == 1.0
    assert score_label(query, '["yes"]').extra == {"label": None}
