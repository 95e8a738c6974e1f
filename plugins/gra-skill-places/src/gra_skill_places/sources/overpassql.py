"""Queries in Overpass QL."""

from __future__ import annotations

import re

from gra_geo.antimeridian import Box
from gra_geo.names import fold
from gra_skill_places.sources.tags import tags_of

# Letters that names carry with marks. Alternatives, since a bracket of multi-byte letters is not safe in every build.
_MARKED = {
    "a": "áàâäãåāăə", "c": "çćč", "d": "đď", "e": "éèêëēěę", "g": "ğ", "h": "ħ", "i": "íìîïīı", "l": "ł", "n": "ñńňŋ", "o": "óòôöõøō",
    "r": "ř", "s": "śšş", "t": "ťţ", "u": "úùûüūů", "y": "ýÿ", "z": "źžż",
}  # fmt: skip
_JOINED = {"ae": "æ", "oe": "œ", "ss": "ß", "th": "þ"}
_PAIRS = re.compile("|".join((*_JOINED, ".")))
NAMES = ("name", "name:en", "alt_name", "official_name")


def query(*, text: str, types: list[str], box: Box | None, country: str, timeout_s: int, most: int) -> str:
    """Nodes, ways and relations of the types with the text in a name, in a box (west, south, east, north) or a country.

    Without an area only whole names are looked up: that is an index look-up, any other search of the planet is not.
    At most `most` elements come back, ways and relations with their centre.
    """
    place, head = "", ""
    if box:
        place = f"({box[1]:.7f},{box[0]:.7f},{box[3]:.7f},{box[2]:.7f})"
    elif country:
        head, place = f'area["ISO3166-1:alpha3"={quoted(country)}]["admin_level"="2"]->.c;\n', "(area.c)"
    tags = [_tagged(key, values) for name in types for key, values in tags_of(name)] or [""]
    named = _named(text, anywhere=not place) if text else [""]
    lines = "\n".join(f"  nwr{tag}{name}{place};" for tag in tags for name in named)
    return f"[out:json][timeout:{timeout_s}];\n{head}(\n{lines}\n);\nout center {most};"


def by_ids(ids: dict[str, list[int]], timeout_s: int) -> str:
    """Elements by type (node, way, relation) and number."""
    lines = "\n".join(
        f"  {kind}(id:{','.join(map(str, numbers))});" for kind, numbers in ids.items() if numbers
    )
    return f"[out:json][timeout:{timeout_s}];\n(\n{lines}\n);\nout center;"


def quoted(text: str) -> str:
    """A string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def _tagged(key: str, values: tuple[str, ...]) -> str:
    if len(values) == 1:
        return f"[{quoted(key)}={quoted(values[0])}]"
    return f"[{quoted(key)}~{quoted('^(' + '|'.join(values) + ')$')}]"


def _named(text: str, *, anywhere: bool) -> list[str]:
    if anywhere:
        forms = dict.fromkeys((text.strip(), text.strip().title()))
        return [f"[{quoted(key)}={quoted(form)}]" for key in NAMES for form in forms]
    return [f"[{quoted(key)}~{quoted(pattern(text))},i]" for key in NAMES]


def pattern(text: str) -> str:
    """A regular expression for a text without regard to marks on its letters and to what stands between its words; case
    is the query's own flag."""
    words = fold(re.sub(r"[.'’]", " ", text)).split()
    return "[^[:alnum:]]*".join(
        "(saint|st)" if w == "saint" else "".join(map(_letters, _PAIRS.findall(w))) for w in words
    )


def _letters(plain: str) -> str:
    single = "".join(
        f"({letter}|{'|'.join(_MARKED[letter])})" if letter in _MARKED else letter for letter in plain
    )
    return f"({single}|{_JOINED[plain]})" if plain in _JOINED else single
