"""Names compared without regard to case, accents and punctuation."""

from __future__ import annotations

import re
import unicodedata

# Latin letters that Unicode does not decompose into a plain letter and a mark.
_WHOLE = str.maketrans(
    {"ß": "ss", "ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th"}
)


def fold(text: str | None) -> str:
    """Lower case, no accents, no punctuation, single spaces, St = Saint: ``São Paulo`` and ``sao-paulo`` are the same."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text or "").casefold())
    letters = "".join(c for c in plain if not unicodedata.combining(c)).translate(_WHOLE)
    words = re.sub(r"[\W_]+", " ", re.sub(r"[.'’‘ʻʼ]", "", letters)).split()
    return " ".join("saint" if word == "st" else word for word in words)


def match_of(wanted: str, name: str, others: tuple[str, ...] = ()) -> str:
    """How a name answers a text: exact, alias (another name is it), prefix (whole words), else part."""
    wanted, name = fold(wanted), fold(name)
    if wanted == name:
        return "exact"
    if any(wanted == fold(other) for other in others):
        return "alias"
    return "prefix" if name.startswith(wanted + " ") else "part"
