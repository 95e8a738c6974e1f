"""Levels of administrative regions, and the words that people use for them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gra_core import ToolError

WORDS = {
    "country": ("nation", "admin0", "adm0", "sovereign state"),
    "state": (
        "province",
        "region",
        "first level",
        "admin1",
        "adm1",
        "territory",
        "prefecture",
        "oblast",
        "canton",
        "bundesland",
    ),
    "county": ("parish", "second level", "admin2", "adm2", "district", "municipio", "census area"),
    "tract": ("census tract",),
    "postcode": ("zip", "zip code", "zipcode", "zcta", "postal code", "postalcode"),
    "city": ("locality", "town", "place", "municipality"),
    "borough": (),
    "neighbourhood": ("neighborhood", "suburb"),
}
_CANONICAL = {word: level for level, words in WORDS.items() for word in (level, *words)}


def level_named(word: str, available: Mapping[str, int]) -> str:
    """The level that a word means, one of `available` (level to number of regions); "" for "".

    `ToolError` ``not_available`` lists the levels that there are.
    """
    plain = " ".join(word.lower().replace("_", " ").replace("-", " ").split())
    if not plain:
        return ""
    level = next((_CANONICAL[form] for form in _forms(plain) if form in _CANONICAL), plain)
    if level in available:
        return level
    known = ", ".join(f"{name} ({number})" if number else name for name, number in available.items())
    raise ToolError(
        "not_available", f"there are no regions of level {word!r} here", hint=f"levels: {known or 'none'}"
    )


def _forms(word: str) -> tuple[str, ...]:
    """The word, as one, and the singulars that an English plural may have: counties, parishes, states."""
    return (
        word,
        word.replace(" ", ""),
        re.sub("ies$", "y", word),
        word.removesuffix("es"),
        word.removesuffix("s"),
    )
