"""Folding of names, so that a search ignores case, accents and punctuation."""

from __future__ import annotations

import re
import unicodedata

# Latin letters that Unicode does not decompose.
_LETTERS = str.maketrans({
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ß": "ss",
    "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ı": "i", "ħ": "h", "Ħ": "H", "ŋ": "n", "Ŋ": "N", "ə": "a", "Ə": "A",
    "ʻ": "'", "ʼ": "'", "’": "'", "‘": "'",
})  # fmt: skip
_SAINT = re.compile(r"\bst\b")
_SPACE = re.compile(r"[\W_]+")


def to_ascii(text: str) -> str:
    """Latin text without accents; letters of other scripts stay as they are."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def fold(text: str) -> str:
    """The form in which names are compared: no case, accents or punctuation, one space between words, St = Saint."""
    plain = to_ascii(text).casefold().replace("'", "").replace(".", "")
    return _SAINT.sub("saint", _SPACE.sub(" ", plain).strip())
