"""Replies of the Places API (New): a place as a row of the protocol's table."""

from __future__ import annotations

from typing import Any

from gra_skill_places.sources.countries import ALPHA3


def row_of(place: dict[str, Any]) -> dict[str, Any]:
    """One place of the service as a row of the protocol's table."""
    parts = {kind: part for part in place.get("addressComponents", []) for kind in part.get("types", [])}
    country = parts.get("country", {}).get("shortText", "")
    hours = place.get("regularOpeningHours", {}).get("weekdayDescriptions", [])
    row = {
        "place_id": f"google/{place['id']}",
        "name": place.get("displayName", {}).get("text", ""),
        "type": place.get("primaryType") or next(iter(place.get("types", [])), ""),
        "lon": place["location"].get("longitude", 0.0),
        "lat": place["location"].get("latitude", 0.0),
        "country": ALPHA3.get(country, country),
        "admin1": parts.get("administrative_area_level_1", {}).get("longText", ""),
        "population": None,
        "address": place.get("formattedAddress", ""),
        "types": "|".join(place.get("types", [])),
        "status": place.get("businessStatus", ""),
        "rating": place.get("rating"),
        "ratings": place.get("userRatingCount"),
    }
    details = {
        "website": place.get("websiteUri"), "phone": place.get("internationalPhoneNumber"), "opening_hours": "; ".join(hours) or None,
        "url": place.get("googleMapsUri"),
    }  # fmt: skip
    return row | {name: value for name, value in details.items() if value}
