"""Plugin: the skill and two live sources of places."""

from __future__ import annotations

from gra_core import Need, Skill, Source, hookimpl

TOOLS = ("search_places", "count_places", "get_place_details", "get_place_center")


@hookimpl
def gra_skills() -> list[Skill]:
    return [Skill.from_package("gra_skill_places", "places", [f"tools:{name}" for name in TOOLS])]


@hookimpl
def gra_sources() -> list[Source]:
    return [
        Source(
            kind="places",
            name="google-places",
            options=("max_requests", "ratings"),
            factory="gra_skill_places.sources.google:GooglePlaces",
            title="Google Maps Platform, Places API (New)",
            needs=(
                Need(
                    env=("GOOGLE_MAPS_API_KEY",),
                    how="key of a Google Cloud project with Places API (New): console.cloud.google.com/google/maps-apis",
                ),
            ),
            key_env=("GOOGLE_MAPS_API_KEY",),
            base_url="https://places.googleapis.com",
            coverage="World: businesses and points of interest of every type, with ratings; no populations",
            resolution="Single places",
            period="Now",
            licence="Google Maps Platform terms: place ids may be kept, other content may not",
            attribution="Google Maps",
            url="https://developers.google.com/maps/documentation/places/web-service",
            storable=False,
            live=True,
            priority=-10,
        ),
        Source(
            kind="places",
            name="overpass",
            options=("max_requests",),
            factory="gra_skill_places.sources.overpass:Overpass",
            title="OpenStreetMap through the Overpass API",
            base_url="https://overpass-api.de",
            coverage="World: everything that OpenStreetMap maps, by type or tag; completeness differs by country",
            resolution="Single places; areas by their centre",
            period="Now, minutes behind the map",
            licence="ODbL 1.0",
            attribution="© OpenStreetMap contributors",
            url="https://wiki.openstreetmap.org/wiki/Overpass_API",
            live=True,
            priority=-20,
        ),
    ]
