import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_judge.quantity import Quantity, find_unit, numbers_in, read_quantity


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(42).", 42), ("42!", 42), ("**42**", 42), ("5", 5), ("-5", -5), ("−5", -5), ("+5", 5), ("33.14", 33.14),
        ("1,234", 1234), ("1,234,567.8", 1234567.8), ("1 234 567", 1234567), ("1.234.567", 1234567), ("12,5", 12.5),
        ("1'234", 1234), ("1e3", 1000), ("1.5E-3", 0.0015), ("1.2 × 10⁶", 1.2e6), ("1.2*10^6", 1.2e6),
        ("−1.2 x 10^-3", -0.0012), ("2.5 million people", 2.5e6), ("~639.7 km", 639.7), ("about 640 km", 640),
        ("20%", 20), ("47.7 % (2019)", 47.7), ("12 °C", 12), ("5 km²", 5), (".5", 0.5), (7, 7), (0, 0),
    ],
)  # fmt: skip
def test_numbers(text: object, value: float) -> None:
    quantity = read_quantity(text)
    assert quantity is not None and quantity.value == value


@pytest.mark.parametrize(
    "text",
    ["3–5", "3-5", "20% of 100", "5 or 6", "5 or six", "District 9", "2017-09-10", "1.2.3", "NaN", "inf", "", "km", True, None,
     float("nan"), float("inf"), 10**400, "1e999", [5], {"a": 5}, "5 km, 6 km", "x" * 500],
)  # fmt: skip
def test_not_one_number(text: object) -> None:
    assert read_quantity(text) is None


# Right values from the definitions: 1 mi = 1609.344 m, 1 nmi = 1852 m, 1 ft = 0.3048 m, 1 acre = 4046.8564224 m².
@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("100 miles", "km", 160.9344), ("1,000 m", "km", 1.0), ("10 nautical miles", "km", 18.52), ("29032 ft", "m", 8848.9536),
        ("100 acres", "km2", 0.40468564224), ("1 sq mi", "km²", 2.589988110336), ("250 ha", "km2", 2.5),
        ("36 km/h", "m/s", 10.0), ("100 kt", "km/h", 185.2), ("77 °F", "C", 25.0), ("300 K", "C", 26.85), ("90 minutes", "h", 1.5),
        ("50%", "", 0.5), ("0.5", "%", 0.5), ("12", "km", 12.0), ("12 airports", "airports", 12.0), ("400 (miles)", "km", 643.7376),
    ],
)  # fmt: skip
def test_known_units_are_converted(text: str, unit: str, value: float) -> None:
    quantity = read_quantity(text)
    assert quantity is not None and quantity.to(unit) == pytest.approx(value, rel=1e-12)


def test_units_of_another_dimension_are_no_answer() -> None:
    assert read_quantity("5 km²").to("km") is None
    assert read_quantity("20%").to("airports") is None
    assert read_quantity("20%").to("km") is None


def test_every_spelling_is_one_unit() -> None:
    assert find_unit("Sq. km") == find_unit("km²") == find_unit("km^2") == find_unit("square kilometers")
    assert find_unit("furlong") is None


def test_numbers_of_a_text_stand_alone() -> None:
    text = "District9 covers 1,234.5 km² (CO2 aside), −5 °C, 20% and v2."
    assert [q.value for q in numbers_in(text)] == [1234.5, -5.0, 20.0]
    assert [q.unit for q in numbers_in(text)] == ["km2", "°C", "%"]


@given(st.integers(-(10**15), 10**15))
def test_thousands_separators_change_nothing(number: int) -> None:
    assert read_quantity(f"{number:,}").value == number
    assert read_quantity(f"{number:_}".replace("_", " ")).value == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_read_as_python_writes_it(number: float) -> None:
    for text in (repr(number), f"{number:e}"):
        assert read_quantity(text).value == float(text)


@given(
    st.floats(-1e6, 1e6), st.sampled_from(["km", "mi", "ft", "nmi", "cm"]), st.sampled_from(["m", "km", "mi"])
)
def test_conversion_there_and_back(number: float, here: str, there: str) -> None:
    assert math.isclose(
        Quantity(Quantity(number, here).to(there), there).to(here), number, rel_tol=1e-9, abs_tol=1e-9
    )


@given(st.text(max_size=200))
def test_any_text_is_a_number_or_none(text: str) -> None:
    quantity = read_quantity(text)
    assert quantity is None or math.isfinite(quantity.value)
    assert all(math.isfinite(q.value) for q in numbers_in(text))
