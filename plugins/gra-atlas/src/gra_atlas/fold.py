"""Folding of names, so that a search ignores case, accents and punctuation."""

from __future__ import annotations

import re
import unicodedata

# Latin letters that Unicode does not decompose.
_LETTERS = str.maketrans({
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ß": "ss",
    "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ı": "i", "ħ": "h", "Ħ": "H", "ŋ": "n", "Ŋ": "N", "ə": "a", "Ə": "A",
})  # fmt: skip
_DROPPED = re.compile(r"[.'’‘ʻʼ]")
_SPACE = re.compile(r"[\W_]+")
_SAINT = re.compile(r"\bst\b")


def to_ascii(text: str) -> str:
    """Latin text without accents; letters of other scripts stay as they are."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def fold(text: str) -> str:
    """The form in which names are compared: no case, accents or punctuation, single spaces, St = Saint."""
    plain = to_ascii(text).casefold()
    if plain.isalpha():
        return "saint" if plain == "st" else plain
    spaced = _SPACE.sub(" ", _DROPPED.sub("", plain)).strip()
    return _SAINT.sub("saint", spaced) if "st" in spaced else spaced
