"""Types of places as OpenStreetMap tags."""

from __future__ import annotations

import re

from gra_core import ToolError

Tag = tuple[str, tuple[str, ...]]  # a key and the values that it may have
TAGS: dict[str, tuple[Tag, ...]] = {
    "airport": (("aeroway", ("aerodrome",)),),
    "bus stop": (("highway", ("bus_stop",)),),
    "church": (("building", ("church",)),),
    "city": (("place", ("city", "town")),),
    "dam": (("waterway", ("dam",)),),
    "gas station": (("amenity", ("fuel",)),),
    "grocery": (("shop", ("supermarket", "grocery", "convenience")),),
    "landmark": (("tourism", ("attraction", "artwork")), ("historic", ("monument", "memorial"))),
    "petrol station": (("amenity", ("fuel",)),),
    "power plant": (("power", ("plant",)),),
    "train station": (("railway", ("station",)),),
}
# A type that is not in the table is a value of one of these keys: amenity=hospital, tourism=zoo, natural=peak …
KEYS = (
    "amenity",
    "shop",
    "tourism",
    "leisure",
    "historic",
    "natural",
    "man_made",
    "healthcare",
    "office",
    "place",
    "railway",
    "aeroway",
)
_WORD = re.compile(r"^[a-z0-9_:]+$")


def tags_of(name: str) -> tuple[Tag, ...]:
    """The tags that a type means; ``key=value`` is taken as it stands. `ToolError` for text that is no type."""
    key, equals, value = name.strip().partition("=")
    if equals and _WORD.match(key) and value and not set(value) & set('"\\'):
        return ((key, (value,)),)
    plain = " ".join(name.lower().replace("_", " ").split())
    forms = tuple(
        dict.fromkeys((plain, plain.removesuffix("s"), plain.removesuffix("es"), re.sub("ies$", "y", plain)))
    )
    if known := next((TAGS[form] for form in forms if form in TAGS), None):
        return known
    words = tuple(form.replace(" ", "_") for form in forms)
    if equals or not all(_WORD.match(word) for word in words):
        raise ToolError(
            "bad_argument",
            f"{name!r} is no type of place",
            hint="give a type such as hospital, or an OpenStreetMap tag such as amenity=cafe",
        )
    return tuple((key, words) for key in KEYS)


def type_of(tags: dict[str, str], wanted: list[str]) -> str:
    """Which of the wanted types an element has, else the value of its first known key."""
    for name in wanted:
        if any(tags.get(key) in values for key, values in tags_of(name)):
            return name
    return next((tags[key] for key in KEYS if key in tags), "")
