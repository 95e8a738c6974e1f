"""When two spellings name the same thing: accents, case, punctuation, legal suffixes, abbreviations, aliases."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from attrs import frozen

# Letters that no decomposition turns into ASCII.
LETTERS = str.maketrans(
    {
        "ø": "o",
        "æ": "ae",
        "œ": "oe",
        "ß": "ss",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ı": "i",
        "ʻ": "",
        "ʼ": "",
    }
)


@frozen(kw_only=True)
class Name:
    """A name taken apart: the bare name, the legal kind behind it, and what it lies in ("…, Nebraska, USA")."""

    bare: str
    suffix: str = ""
    within: tuple[str, ...] = ()


def same_name(value: Any, reference: str, aliases: Iterable[str] = ()) -> bool:
    """Whether a value names what the reference or one of its aliases names.

    A qualifier ("Richardson County, Kansas") counts against a value only where some accepted form is itself qualified.
    """
    if not isinstance(value, str) or not value.strip():
        return False
    accepted = [split_name(form) for form in (reference, *aliases)]
    qualified = [form for form in accepted if form.within]
    for spelling in _spellings(value):
        given = split_name(spelling)
        matching = [form for form in accepted if _agree(given, form)]
        if matching and (
            not given.within or not qualified or any(_lies_in(given, form) for form in qualified)
        ):
            return True
    return False


def same_text(value: Any, reference: str, aliases: Iterable[str] = ()) -> bool:
    """Equality of plain words: accents, case, punctuation and spaces aside."""
    return (
        isinstance(value, str)
        and bool(value.strip())
        and any(fold(value) == fold(form) for form in (reference, *aliases))
    )


def fold(text: str) -> str:
    """Lower-case words without accents and punctuation, known abbreviations spelled out."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(LETTERS))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = re.sub(r"\b(st|ste|mt|ft)\.", r"\1 ", plain)
    plain = re.sub(r"(?<=\w)[.'’‘`]", "", plain)
    words = re.sub(r"[^\w&]+|_", " ", plain.replace("&", " & ")).split()
    words = [_table()["words"].get(word, word) for word in words]
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


@cache
def split_name(text: str) -> Name:
    """Take a name apart."""
    text = text.strip()
    if (known := _equal(text)) is not None:
        return Name(bare=known)
    first, *rest = [part.strip() for part in text.split(",") if part.strip()] or [text]
    within = tuple(_equal(part) or _bare(part) for part in rest)
    if first.endswith(" city"):
        return Name(bare=_bare(first[: -len(" city")]), suffix="city", within=within)
    words = fold(first)
    for suffix in _suffixes():
        if words.endswith(" " + suffix):
            return Name(bare=_bare(words[: -len(suffix)]), suffix=suffix, within=within)
    return Name(bare=_equal(first) or _bare(words), within=within)


def _bare(words: str) -> str:
    # "La Salle" and "LaSalle" are one name.
    return fold(words).replace(" ", "")


def _agree(given: Name, form: Name) -> bool:
    return given.bare == form.bare and (given.suffix == form.suffix or not given.suffix or not form.suffix)


def _lies_in(given: Name, form: Name) -> bool:
    return bool(set(given.within) & set(form.within))


def _spellings(value: str) -> list[str]:
    """A value as written, and without a remark in brackets behind it."""
    value = value.strip().strip("\"'`*_ ")
    without = re.sub(r"\s*[(\[][^()\[\]]*[)\]]\s*$", "", value).strip()
    return [value, without] if without and without != value else [value]


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("gra_judge").joinpath("names.toml").read_text(encoding="utf-8"))


@cache
def _suffixes() -> list[str]:
    """Longest first, so that "city and borough" is not taken for "borough"."""
    return sorted((fold(suffix) for suffix in _table()["suffixes"]), key=lambda s: (-len(s), s))


@cache
def _known() -> dict[str, str]:
    return {
        fold(form): fold(name).replace(" ", "")
        for name, forms in _table()["equal"].items()
        for form in (name, *forms)
    }


def _equal(text: str) -> str | None:
    """The common form of a name that has several."""
    code = text.strip().strip(".")
    if (state := _table()["codes"].get(code)) is not None:
        return fold(state).replace(" ", "")
    return _known().get(fold(text))
