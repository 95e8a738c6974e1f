import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import UnknownName
from gra_judge.domain import FALSE_ALARM, domain, domains
from gra_judge.quantity import find_unit

names = st.sampled_from(sorted(domains()))
values = st.floats(-1e7, 1e7)


def test_every_domain_degrades() -> None:
    for name, rule in domains().items():
        pairs = list(zip(rule.accept, rule.zero, strict=True))
        assert all(a <= z for a, z in pairs) and any(a < z for a, z in pairs), name
        assert not rule.unit or find_unit(rule.unit), name


def test_an_unknown_domain_is_named() -> None:
    with pytest.raises(UnknownName, match="distance_km"):
        domain("distance")


@given(names, values)
def test_the_reference_scores_one(name: str, reference: float) -> None:
    assert domain(name).closeness(reference, reference) == 1.0


@given(names, values, values)
def test_scores_lie_between_0_and_1(name: str, reference: float, value: float) -> None:
    assert 0.0 <= domain(name).closeness(reference, value) <= 1.0


@given(names, st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_larger_error_never_scores_more(name: str, reference: float, a: float, b: float) -> None:
    small, large = sorted((a, b))
    rule = domain(name)
    if rule.period is None:
        assert rule.closeness(reference, reference + large) <= rule.closeness(reference, reference + small)
        assert rule.closeness(reference, reference - large) <= rule.closeness(reference, reference - small)


@given(names, st.floats(1, 1e6), st.floats(1e-3, 1e6))
def test_a_wrong_sign_is_worth_nothing(name: str, reference: float, size: float) -> None:
    rule = domain(name)
    if rule.period is None and size + reference > max(rule.accept[0], rule.accept[1] * reference):
        assert rule.closeness(reference, -size) == 0.0


@given(st.sampled_from(["count", "events", "precipitation_mm"]), st.floats(0.6, 1e6))
def test_a_false_alarm_scores_at_most_a_tenth(name: str, value: float) -> None:
    assert domain(name).closeness(0.0, value) <= FALSE_ALARM


def test_zero_predicted_for_something_is_wrong() -> None:
    assert domain("count").closeness(5, 0) == 0.0


def test_longitudes_wrap_at_the_date_line() -> None:
    assert domain("longitude").closeness(179.999, -179.999) == 1.0
    assert domain("bearing_deg").closeness(359.5, 0.2) == 1.0


@pytest.mark.parametrize(
    ("name", "reference", "value", "score"),
    [
        # error 10 km of 100 km: (10 - 0.5) / (50 - 0.5) of the way from 1 to 0
        ("distance_km", 100.0, 110.0, 1 - 9.5 / 49.5), ("distance_km", 639.7, 640.0, 1.0), ("count", 10, 11, 0.8), ("count", 5, 25, 0.0),
        ("percent", 47.7, 47.75, 1.0), ("year", 2004, 2005, 2 / 3), ("population", 1000, 100_000, 0.0), ("number", 3.14, 33.14, 0.0),
    ],
)  # fmt: skip
def test_scores_worked_by_hand(name: str, reference: float, value: float, score: float) -> None:
    assert domain(name).closeness(reference, value) == pytest.approx(score)
