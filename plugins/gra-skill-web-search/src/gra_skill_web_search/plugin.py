"""Plugin: the skill and its live sources."""

from __future__ import annotations

from gra_core import Need, Skill, Source, hookimpl

GEMINI_KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
NEEDS_GEMINI = (
    Need(env=("GEMINI_API_KEY", "GOOGLE_API_KEY"), how="get a key at https://aistudio.google.com/apikey"),
)
GROUNDING_TERMS = "Gemini API terms: grounded results are for the user who asked and may not be stored"


@hookimpl
def gra_skills() -> list[Skill]:
    tools = ["tools:search_web", "tools:read_web_page", "tools:search_maps"]
    return [Skill.from_package("gra_skill_web_search", "web-search", tools)]


@hookimpl
def gra_sources() -> list[Source]:
    return [
        Source(
            kind="web-search",
            name="gemini-search",
            options=("model", "api_version"),
            factory="gra_skill_web_search.sources.gemini:GeminiSearch",
            title="Google Search through Gemini (grounding)",
            needs=NEEDS_GEMINI,
            key_env=GEMINI_KEYS,
            coverage="The public web, as Google Search knows it",
            period="Now",
            licence=GROUNDING_TERMS,
            attribution="Google Search; search suggestions must be shown with the answer",
            url="https://ai.google.dev/gemini-api/docs/google-search",
            storable=False,
            live=True,
            priority=10,
        ),
        Source(
            kind="web-search",
            name="searxng",
            options=("language", "categories"),
            factory="gra_skill_web_search.sources.searxng:SearXNG",
            title="A SearXNG instance, JSON API",
            needs=(
                Need(
                    setting="base_url",
                    how="set GRA_BASE_URL_SEARXNG to an instance that allows format=json "
                    "(https://docs.searxng.org says how to run one)",
                ),
            ),
            coverage="The public web, as the search engines of the instance know it",
            period="Now",
            licence="Set by the engines behind the instance; titles, addresses and short extracts",
            attribution="SearXNG, and the engines named with each result",
            url="https://docs.searxng.org/dev/search_api.html",
            live=True,
        ),
        Source(
            kind="map-search",
            name="gemini-maps",
            options=("model", "api_version"),
            factory="gra_skill_web_search.sources.gemini:GeminiMaps",
            title="Google Maps through Gemini (grounding)",
            needs=NEEDS_GEMINI,
            key_env=GEMINI_KEYS,
            coverage="The world, as Google Maps knows it",
            resolution="Single places",
            period="Now",
            licence=GROUNDING_TERMS,
            attribution="Google Maps; the places' links must be shown with the answer",
            url="https://ai.google.dev/gemini-api/docs/maps-grounding",
            storable=False,
            live=True,
        ),
        Source(
            kind="web-pages",
            name="http-pages",
            options=("most_bytes", "allow_private_hosts"),
            factory="gra_skill_web_search.sources.pages:HttpPages",
            title="Web pages, fetched directly",
            coverage="Public pages that are readable without a script, a login or a PDF reader",
            period="Now",
            licence="Set by each page; unknown to this source",
            attribution="The page's address",
            storable=False,
            live=True,
        ),
    ]
