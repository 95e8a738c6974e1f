"""Replies of Overpass: an element as a row of the protocol's table, the reason of an error."""

from __future__ import annotations

import math
import re
from typing import Any

from gra_geo.rest import Reply
from gra_skill_places.sources.tags import KEYS, type_of


def row_of(element: dict[str, Any], wanted: list[str], country: str = "") -> dict[str, Any]:
    """One element as a row of the protocol's table; `country` is known when the query asked for it."""
    tags = element.get("tags", {})
    lon, lat = position_of(element) or (math.nan, math.nan)
    others = [tags[key] for key in ("name:en", "alt_name", "official_name", "short_name") if tags.get(key)]
    return {
        "place_id": f"osm/{element['type']}/{element['id']}",
        "name": tags.get("name", ""),
        "type": type_of(tags, wanted),
        "lon": lon,
        "lat": lat,
        "country": country,
        "admin1": tags.get("addr:state", ""),
        "population": _whole_number(tags.get("population", "")),
        "other_names": "|".join(dict.fromkeys(n.strip() for other in others for n in other.split(";"))),
        "elevation_m": _number(tags.get("ele", "")),
        "tags": "; ".join(
            f"{k}={v}"
            for k, v in sorted(tags.items())
            if k in KEYS or k in ("operator", "website", "wikidata")
        ),
    }


def position_of(element: dict[str, Any]) -> tuple[float, float] | None:
    at = element if element.get("type") == "node" else element.get("center", {})
    return (float(at["lon"]), float(at["lat"])) if "lon" in at and "lat" in at else None


def _whole_number(text: str) -> int | None:
    digits = text.replace(",", "").replace(" ", "").replace("\u202f", "")
    return int(digits) if digits.isdigit() else None


def _number(text: str) -> float | None:
    try:
        return float(text.removesuffix("m").strip())
    except ValueError:
        return None


def explain(reply: Reply) -> str:
    """The error lines of the HTML or XML page that Overpass answers instead of JSON."""
    errors = re.findall(r"(?:Error</strong>:|<remark>)\s*(.*?)\s*</", reply.text, re.S)
    return "; ".join(re.sub(r"<[^>]+>|&\w+;", " ", e).strip() for e in errors)
