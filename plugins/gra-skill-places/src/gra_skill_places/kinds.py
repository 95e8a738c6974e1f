"""Types of places, as people write them and as a source has them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from gra_core import ToolError

WORDS = {
    "city": ("town", "village", "settlement", "municipality", "populated place"),
    "airport": ("airfield", "aerodrome"),
    "landmark": ("attraction", "monument", "sight"),
}
_CANONICAL = {word: kind for kind, words in WORDS.items() for word in words}


def types_known(types: list[str] | None, known: Mapping[str, int]) -> list[str]:
    """The source's names of types. A source with an open vocabulary (`known` is empty) takes them as they are.

    `ToolError` ``not_available`` lists the types that there are.
    """
    wanted = list(dict.fromkeys(t.strip() for t in types or [] if t.strip()))
    if not known:
        return wanted
    return list(dict.fromkeys(_known(word, known) for word in wanted))


def _known(word: str, known: Mapping[str, int]) -> str:
    plain = " ".join(word.lower().replace("_", " ").split())
    for form in (plain, re.sub("ies$", "y", plain), plain.removesuffix("s")):
        for name in (form, form.replace(" ", "_"), _CANONICAL.get(form, form)):
            if name in known:
                return name
    near = difflib.get_close_matches(plain, known, n=1)
    listed = ", ".join(f"{name} ({number})" for name, number in sorted(known.items()))
    raise ToolError(
        "not_available",
        f"there are no places of type {word!r} here" + (f"; did you mean {near[0]!r}?" if near else ""),
        hint=f"types: {listed}; for others choose a live source such as overpass or google-places",
    )
