"""Region ids of the United States taken apart, and names matched to Census records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import shapely
from attrs import frozen

from gra_geo import names

USA = "country/USA"
DIGITS = {2: "state", 5: "county", 11: "tract"}
Attributes = Mapping[str, Any]
Feature = dict[str, Any]  # a GeoJSON feature of the service


@frozen(kw_only=True)
class Code:
    """A region by level and Census code: "31", "31147", "31147968100", a five-digit ZIP area, or "" for the country."""

    level: str
    code: str

    @classmethod
    def of(cls, region_id: str) -> Code | None:
        """None for ids that no Census region can have."""
        scheme, _, code = region_id.partition("/")
        if region_id == USA:
            return cls(level="country", code="")
        if scheme == "geoId" and code.isdigit() and len(code) in DIGITS:
            return cls(level=DIGITS[len(code)], code=code)
        return cls(level="postcode", code=code) if scheme == "zip" and re.fullmatch(r"\d{5}", code) else None

    @property
    def region_id(self) -> str:
        return f"zip/{self.code}" if self.level == "postcode" else f"geoId/{self.code}"

    @property
    def parent_id(self) -> str:
        parents = {"county": f"geoId/{self.code[:2]}", "tract": f"geoId/{self.code[:5]}"}
        return parents.get(self.level, USA)

    def where(self) -> str:
        """The condition on the fields STATE and COUNTY for what lies inside."""
        if self.level == "country":
            return "1=1"
        inside = f"STATE = '{self.code[:2]}'"
        return inside + (f" AND COUNTY = '{self.code[2:5]}'" if len(self.code) > 2 else "")


Row = tuple[Code, Attributes]


def geoid(feature: Feature) -> str:
    """The Census code of a feature."""
    return str(feature["properties"]["GEOID"])


def code_of(level: str, feature: Feature) -> Code:
    return Code(level=level, code=geoid(feature))


def shape_of(feature: Feature) -> shapely.Geometry:
    return shapely.geometry.shape(feature["geometry"])


def internal_point(feature: Feature) -> shapely.Point:
    """The point that the Census Bureau gives as inside a region."""
    own = feature["properties"]
    return shapely.Point(float(own["INTPTLON"]), float(own["INTPTLAT"]))


def match_of(name: str, code: Code, own: Attributes, state: Attributes) -> str:
    """How a text fits a region (one of `names.MATCHES`, or ""): its name, its code, its short name, a county with its state.

    `own` has NAME and BASENAME; `state` is the record of the region's state (with STUSAB, the postal code) or empty.
    """
    others = [code.code, own.get("BASENAME") or ""]
    if code.level == "state":
        others.append(state.get("STUSAB") or "")
    if code.level == "county":
        others += [f"{own['NAME']} {state.get(key, '')}" for key in ("STUSAB", "NAME")]
    return names.match_of(name, own["NAME"], others)
