"""Levels of this project and place types of Data Commons."""

from __future__ import annotations

_TYPES = {
    "country": "Country", "tract": "CensusTract", "postcode": "CensusZipCodeTabulationArea", "city": "City",
    "town": "City", "blockgroup": "CensusBlockGroup", "continent": "Continent",
}  # fmt: skip
_US = {"state": "State", "county": "County"}
_ELSEWHERE = {
    "state": "AdministrativeArea1",
    "county": "AdministrativeArea2",
    "province": "AdministrativeArea1",
    "district": "AdministrativeArea2",
}
_LEVELS = {
    "Country": "country", "State": "state", "AdministrativeArea1": "state", "County": "county", "AdministrativeArea2": "county",
    "CensusTract": "tract", "CensusZipCodeTabulationArea": "postcode", "City": "city", "Town": "city", "Village": "city",
}  # fmt: skip
_BELOW = {
    "Earth": "Country",
    "Continent": "Country",
    "Country": "state",
    "State": "County",
    "AdministrativeArea1": "AdministrativeArea2",
}


def place_type(level: str, parent: str = "") -> str:
    """The Data Commons type of a level; a word with a capital (``EurostatNUTS2``) is taken as a type itself.

    Outside the US, states are ``AdministrativeArea1`` and counties ``AdministrativeArea2``.
    """
    if not level or level[0].isupper():
        return level
    if level in _TYPES:
        return _TYPES[level]
    american = parent in ("", "country/USA") or parent.startswith("geoId/")
    return (_US if american else _ELSEWHERE).get(level) or _ELSEWHERE.get(level, level)


def level_of(type_name: str) -> str:
    """The level of a type, or the type itself where there is none."""
    return _LEVELS.get(type_name, type_name)


def type_below(type_name: str, parent: str) -> str:
    """The type of the next level inside a place of a type; empty when that is not known."""
    return place_type(_BELOW.get(type_name, ""), parent)
