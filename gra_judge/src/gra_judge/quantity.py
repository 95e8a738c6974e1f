"""Numbers as people and models write them: signs, separators, exponents, percent and units. Never matched as text."""

from __future__ import annotations

import math
import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from attrs import frozen

SIGN = r"[+\-\u2212\u2013]"
GROUPED = r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d{1,3}(?:[ \u00a0\u2009\u202f'_]\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?"
PLAIN = r"\d+(?:\.\d*)?|\.\d+|\d+,\d+"
EXPONENT = r"[eE][+\-\u2212]?\d+|\s?[x×·*]\s?10(?:\^|\*\*)\(?[+\-\u2212]?\d+\)?"
SCALES = {"thousand": 3, "million": 6, "mn": 6, "billion": 9, "bn": 9, "trillion": 12}
# A digit, letter, sign or point just before would make the number a part of something else.
NUMBER = re.compile(
    rf"(?<![\w.,])(?P<sign>{SIGN}\s?)?[$€£]?(?P<digits>{GROUPED}|{PLAIN})(?P<exponent>{EXPONENT})?"
    rf"(?:\s?(?P<scale>{'|'.join(SCALES)})\b)?(?![.,]?\d)",
    re.IGNORECASE,
)
BEFORE = re.compile(r"(?:approximately|approx\.?|about|around|roughly|circa|ca\.?|~|≈|=)?\s*", re.IGNORECASE)
# What may stand behind a number and still be its unit: words, no second number, no second choice.
UNIT = re.compile(r"(?!.*\b(?:or|and|to|of)\b)(?:[^\W\d_]\d?|[°%/ \-]){0,40}", re.IGNORECASE)
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


@frozen
class Quantity:
    """A finite number and the unit written behind it, empty when there was none."""

    value: float
    unit: str = ""
    text: str = ""

    def to(self, unit: str) -> float | None:
        """The value in another unit; None when the two do not measure the same thing.

        A unit that is not in the table, on either side, is a mere label (people, airports): no conversion.
        A percentage, though, is never a plain count.
        """
        here, there = find_unit(self.unit), find_unit(unit or "1")
        if here is None:
            return self.value
        if there is None or (there.dimension != here.dimension and not unit):
            return None if here.dimension == "ratio" else self.value
        if there.dimension != here.dimension:
            return None
        if here == there:
            return self.value
        return (self.value * here.factor + here.offset - there.offset) / there.factor


@frozen
class Unit:
    """A unit of a dimension; ``value * factor + offset`` is the value in the dimension's first unit."""

    dimension: str
    factor: float
    offset: float


@cache
def _units() -> dict[str, Unit]:
    table = tomllib.loads(files("gra_judge").joinpath("units.toml").read_text(encoding="utf-8"))
    return {
        _unit_key(spelling): Unit(dimension, factor, offset)
        for dimension, units in table.items()
        for symbol, (factor, offset, *others) in units.items()
        for spelling in (symbol, *others)
    }


def _unit_key(text: str) -> str:
    return re.sub(
        r"\s+", " ", text.translate(SUPERSCRIPTS).replace("^", "").replace(".", "").strip().casefold()
    )


def find_unit(text: str) -> Unit | None:
    """The unit of a symbol or name, None when the table has none."""
    return _units().get(_unit_key(text)) if text else None


def read_quantity(value: Any) -> Quantity | None:
    """The number a value is: a JSON number, or a text that is one number with or without a unit, else None.

    ``"(42)."``, ``"42!"``, ``"1,234.5 km²"``, ``"−5"``, ``"1.2 × 10⁶"`` and ``"47.7 % (2019)"`` are numbers;
    ``"3–5"``, ``"20% of 100"`` and ``"District 9"`` are not one.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        try:
            number = float(value)
        except OverflowError:
            return None
        return Quantity(number, text=str(value)) if math.isfinite(number) else None
    if not isinstance(value, str) or len(value) > 200:
        return None
    text = _plain(value).strip("`*_\"' \t\n")
    if (aside := re.search(r"(?<=\S)\s*\(([^()]*)\)\W*$", text)) is not None:
        text = text[: aside.start()] + (f" {aside[1]}" if find_unit(aside[1]) else "")
    text = re.sub(r"^\((.*)\)(\W*)$", r"\1", text).rstrip("!.;, ")
    match = NUMBER.match(text, BEFORE.match(text).end())  # type: ignore[union-attr]
    if match is None:
        return None
    unit = text[match.end() :].strip()
    return _quantity(match, unit) if UNIT.fullmatch(unit.replace("^", "").replace(".", "")) else None


def numbers_in(text: str) -> list[Quantity]:
    """Every number that stands alone in a text, in order, with the word or sign behind it as its unit."""
    text = _plain(text)
    found = []
    for match in NUMBER.finditer(text):
        unit = re.match(
            r"\s?((?:sq\.? |square )?[^\W\d_]+\d?(?:/[^\W\d_]+)?|[°%][^\W\d_]?)", text[match.end() :]
        )
        known = unit[1] if unit and find_unit(unit[1]) else ""
        if (quantity := _quantity(match, known)) is not None:
            found.append(quantity)
    return found


def _plain(text: str) -> str:
    """Superscripts as digits: a power of ten with its ^, the 2 of km² without."""
    return re.sub(r"10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+)", r"10^\1", text).translate(SUPERSCRIPTS)


def _quantity(match: re.Match[str], unit: str) -> Quantity | None:
    digits = re.sub(r"[ \u00a0\u2009\u202f'_]", "", match["digits"])
    if digits.count(".") > 1:
        digits = digits.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d+,\d+", digits) and not re.fullmatch(r"[1-9]\d{0,2},\d{3}", digits):
        digits = digits.replace(",", ".")
    digits = digits.replace(",", "")
    sign = "-" if match["sign"] and match["sign"][0] in "-\u2212\u2013" else ""
    power = re.search(r"[+\-\u2212]?\d+$", (match["exponent"] or "").rstrip(")"))
    exponent = int(power[0].replace("\u2212", "-")) if power else 0
    exponent += SCALES[match["scale"].casefold()] if match["scale"] else 0
    written = f"{sign}{digits}e{exponent}" if exponent else sign + digits
    number = float(written)
    return Quantity(number, unit, written) if math.isfinite(number) else None
