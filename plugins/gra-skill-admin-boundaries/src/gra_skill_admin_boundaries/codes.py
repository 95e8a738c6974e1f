"""Regions by code, where a source does not count codes among the names: FIPS, ZIP, ISO 3166-2, and ids themselves."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from gra_core import ToolError

ISO = re.compile(r"^([A-Za-z]{2})-([A-Za-z0-9]{1,3})$")


def by_code(source: Any, text: str) -> pd.DataFrame:
    """The regions that a code means, with match ``alias``; an empty table when it is none."""
    text = text.strip()
    found = [_fetched(source, rid) for rid in _ids(text)]
    if (match := ISO.match(text)) and not any(len(f) for f in found):
        found.append(_first_level(source, match[1], match[2]))
    found = [frame for frame in found if len(frame)]
    return pd.concat(found, ignore_index=True).assign(match="alias") if found else pd.DataFrame()


def _ids(text: str) -> list[str]:
    """Region ids that a text may stand for. Codes keep their zeros: "6" is no FIPS code."""
    if text.isdigit():
        return {2: [f"geoId/{text}"], 5: [f"geoId/{text}", f"zip/{text}"], 11: [f"geoId/{text}"]}.get(
            len(text), []
        )
    if ISO.match(text):
        return [f"iso3166-2/{text.upper()}"]
    return [text] if "/" in text else []


def _fetched(source: Any, region_id: str) -> pd.DataFrame:
    try:
        return pd.DataFrame(source.get(region_ids=[region_id]).drop(columns="geometry"))
    except ToolError as error:
        if error.kind not in ("not_found", "not_available", "bad_argument"):
            raise
        return pd.DataFrame()


def _first_level(source: Any, country: str, code: str) -> pd.DataFrame:
    """US-NE: the first-level region that has NE as another name, in the country that has US."""
    countries = source.find(name=country, level="country", limit=10)
    countries = countries[countries["match"] == "alias"] if "match" in countries else countries.iloc[:0]
    if len(countries) != 1:
        return pd.DataFrame()
    found = source.find(name=code, level="state", country=str(countries["country"].iloc[0]), limit=10)
    return found[found["match"] == "alias"] if "match" in found else found.iloc[:0]
