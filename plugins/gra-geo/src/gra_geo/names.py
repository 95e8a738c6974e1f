"""Names of regions and places: compared without regard to spelling, and taken apart. Nothing heavy is imported."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from attrs import frozen

# How a name answers a text, best first: it is the name; another name or a code; the name begins with it; it is in the name.
MATCHES = ("exact", "alias", "prefix", "part")
WHOLE = MATCHES[:2]
RANK = {match: rank for rank, match in enumerate(MATCHES)}
# Latin letters that Unicode does not decompose into a plain letter and a mark.
_LETTERS = str.maketrans({
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ß": "ss",
    "ẞ": "SS", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ı": "i", "ħ": "h", "Ħ": "H", "ŋ": "n", "Ŋ": "N", "ə": "a",
    "Ə": "A",
})  # fmt: skip
_DROPPED = str.maketrans("", "", ".'’‘ʻʼ")
_NO_WORD = re.compile(r"[\W_]+")
_ID = re.compile(r"Earth|[A-Za-z][\w.-]*/\S+")
_BRACKET = re.compile(r"(.*\S)\s*\(([^()]+)\)\s*")
_CODE_AT_END = re.compile(r"(.*\S)\s+([A-Z]{2,3})\s*")
# Words behind a name that say what kind of region is meant: "Georgia (country)", "Washington, state".
LEVEL_WORDS = {
    "country": "country", "nation": "country", "state": "state", "us state": "state", "province": "state", "region": "state",
    "county": "county", "district": "county", "city": "city", "town": "city", "tract": "tract", "postcode": "postcode",
    "zip": "postcode",
}  # fmt: skip


def to_ascii(text: str) -> str:
    """Latin text without accents, its case kept; letters of other scripts stay as they are."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).translate(_LETTERS)


def fold(text: str | None) -> str:
    """The form in which names are compared: no case, accents or punctuation, single spaces, St = Saint.

    ``São Paulo`` and ``sao-paulo`` are the same; a folded text folds to itself.
    """
    text = text or ""
    if text.isascii():
        plain = text.lower()
    else:
        plain = to_ascii(unicodedata.normalize("NFKD", text.translate(_DROPPED)).casefold())
    if plain.isascii() and plain.isalpha() and plain != "st":
        return plain
    words = _NO_WORD.sub(" ", plain.translate(_DROPPED)).split()
    return " ".join("saint" if word == "st" else word for word in words)


def match_of(wanted: str, name: str, others: Iterable[str] = ()) -> str:
    """How a name answers a text: one of `MATCHES`, or "" when it does not. `others` are its other names and codes.

    Beginnings and parts are whole words: "york" is part of New York, not of Yorkshire.
    """
    wanted = fold(wanted)
    return match_folded(wanted, fold(name), alias=wanted in map(fold, others))


def match_folded(wanted: str, name: str, *, alias: bool = False) -> str:
    """`match_of` for texts that are folded; `alias` says that another name is the wanted one."""
    if not wanted:
        return ""
    if wanted == name:
        return "exact"
    if alias:
        return "alias"
    if name.startswith(wanted + " "):
        return "prefix"
    return "part" if f" {wanted} " in f" {name} " else ""


def is_id(text: str) -> bool:
    """Whether a text has the form of an id of a region or place: ``country/USA``, ``osm/node/1``, ``Earth``."""
    return bool(_ID.fullmatch(text))


def split_qualifier(name: str) -> tuple[str, str]:
    """A name and the last thing that narrows it ("" when nothing does): "Newcastle, UK", "Springfield (Illinois)",
    "Portland OR". A comma counts before the others."""
    head, comma, qualifier = name.rpartition(",")
    if not comma:
        found = _BRACKET.fullmatch(name) or _CODE_AT_END.fullmatch(name)
        head, qualifier = (found[1], found[2]) if found else ("", "")
    head, qualifier = head.strip(), qualifier.strip()
    return (head, qualifier) if head and qualifier else (name.strip(), "")


@frozen(kw_only=True)
class PlaceName:
    """A name taken apart: what it is called, the regions said to contain it (innermost first), and its level."""

    name: str
    inside: tuple[str, ...] = ()
    level: str = ""

    @classmethod
    def parse(cls, text: str) -> PlaceName:
        """Split at commas and a final bracket; a qualifier that is a level word sets the level."""
        bracket = _BRACKET.fullmatch(text.strip())
        parts = [*bracket[1].split(","), *bracket[2].split(",")] if bracket else text.split(",")
        parts = [p.strip() for p in parts if p.strip()]
        levels = [LEVEL_WORDS[p.casefold()] for p in parts[1:] if p.casefold() in LEVEL_WORDS]
        inside = tuple(p for p in parts[1:] if p.casefold() not in LEVEL_WORDS)
        return cls(name=parts[0] if parts else text.strip(), inside=inside, level=levels[0] if levels else "")
