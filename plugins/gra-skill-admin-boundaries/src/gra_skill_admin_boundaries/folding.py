"""Names compared without regard to case, accents and punctuation."""

from __future__ import annotations

import re
import unicodedata

# Latin letters that Unicode does not decompose into a plain letter and a mark.
_WHOLE = str.maketrans(
    {"ß": "ss", "ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th"}
)
_DROPPED = str.maketrans("", "", ".'’‘ʻʼ")
_NO_WORD = re.compile(r"[\W_]+")


def fold(text: str | None) -> str:
    """Lower case, no accents, no punctuation, single spaces, St = Saint: ``São Paulo`` and ``sao-paulo`` are the same."""
    text = text or ""
    letters = (text.lower() if text.isascii() else _plain(text)).translate(_DROPPED)
    words = _NO_WORD.sub(" ", letters).split()
    return " ".join("saint" if word == "st" else word for word in words)


def _plain(text: str) -> str:
    """Lower-case letters without marks."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c)).translate(_WHOLE)
