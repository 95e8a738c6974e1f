"""The table of faulty sources: each fault of a live source, and the error that its tool gives. The agent goes on."""

from __future__ import annotations

from typing import Any

from attrs import evolve, field, frozen

from chaos.cases import KEY
from chaos.sent import HTML, PAGE, Sent

# Two attempts; little patience only where the server is slow on purpose.
PATIENCE = {"retries": 1, "backoff_s": 0.01, "timeout_s": 20.0}
IMPATIENCE = PATIENCE | {"timeout_s": 0.2}
TRUNCATED = b'{"results": [{"title": "Cou'
DRIP = {"body": b" " * 100, "drip_s": 0.02}


@frozen(kw_only=True)
class Broken:
    """A fault of a source, by name and in words. `kind` is the tool's error (empty: none), `requests` how often the source is asked."""

    name: str
    words: str
    sent: Sent
    kind: str
    requests: int


FAULTS = (
    Broken(name="429", words="429", sent=Sent(status=429, body={"error": "slow down"}), kind="quota", requests=2),
    Broken(name="429-long", words="429 that asks for a pause of ten minutes", sent=Sent(status=429, headers={"Retry-After": "600"}),
           kind="quota", requests=1),
    Broken(name="500", words="500", sent=Sent(status=500, body={"error": f"Internal error near {KEY}"}), kind="upstream", requests=2),
    Broken(name="403", words="refused key (403)", sent=Sent(status=403, body={"error": f"The key {KEY} is not known"}),
           kind="not_available", requests=1),
    Broken(name="cut", words="body shorter than announced", sent=Sent(body=TRUNCATED * 9, cut=20), kind="upstream", requests=2),
    Broken(name="truncated", words="JSON that ends too early", sent=Sent(body=TRUNCATED), kind="upstream", requests=1),
    Broken(name="html", words="web page with status 200", sent=Sent(body=PAGE, headers=HTML), kind="upstream", requests=1),
    Broken(name="drip", words="reply that trickles in", sent=Sent(**DRIP), kind="timeout", requests=2),
    Broken(name="drip-head", words="header that trickles in", sent=Sent(**DRIP, dripping="head"), kind="timeout", requests=2),
)  # fmt: skip


@frozen(kw_only=True)
class Asked:
    """A source and the tool call that asks it. `address` and `key` are the environment variables for both; `other` replaces
    kind and number of requests of a fault, where the source does not read the reply as the others do; `beside` are settings
    of the sources that are asked instead."""

    name: str
    kind: str
    tool: str
    arguments: dict[str, Any]
    address: str = ""
    key: str = ""
    settings: dict[str, Any] = field(factory=dict)
    other: dict[str, tuple[str, int]] = field(factory=dict)
    more: tuple[Broken, ...] = ()
    beside: dict[str, dict[str, Any]] = field(factory=dict)

    def faults(self) -> list[Broken]:
        """What is tried with this source."""
        changed = {
            name: {"kind": kind, "requests": requests} for name, (kind, requests) in self.other.items()
        }
        return [evolve(fault, **changed.get(fault.name, {})) for fault in (*FAULTS, *self.more)]


# The SDK of Gemini gives up a slow reply at once: to ask again would take as long.
SLOW_ONCE = {"drip": ("timeout", 1), "drip-head": ("timeout", 1)}
AGAIN = {"truncated": ("upstream", 2), "html": ("upstream", 2)}
ODD_TEXT = Broken(name="surrogates", words="lone surrogates and NUL in the text", kind="", requests=1,
                  sent=Sent(body={"results": [{"url": "https://example.org/", "title": "cut \ud83c \0", "content": KEY}]}))  # fmt: skip
SOURCES = (
    Asked(name="searxng", kind="web-search", tool="search_web", arguments={"query": "counties of Nebraska"},
          address="GRA_BASE_URL_SEARXNG", more=(ODD_TEXT,)),
    Asked(name="gemini-search", kind="web-search", tool="search_web", arguments={"query": "counties of Nebraska"},
          address="GRA_BASE_URL_GEMINI_SEARCH", key="GEMINI_API_KEY", other=AGAIN | SLOW_ONCE),
    Asked(name="gemini-maps", kind="map-search", tool="search_maps", arguments={"query": "parks of Lincoln"},
          address="GRA_BASE_URL_GEMINI_MAPS", key="GEMINI_API_KEY", other=AGAIN | SLOW_ONCE),
    # Text of any kind is a page. `timeout_s` is for the whole download.
    Asked(name="http-pages", kind="web-pages", tool="read_web_page", arguments={"url": "{url}/page"}, settings={"allow_private_hosts": True},
          other={"truncated": ("", 1), "html": ("", 1)} | SLOW_ONCE),
    Asked(name="data-commons", kind="statistics", tool="get_stat_series", arguments={"variable": "Count_Person", "places": ["geoId/31"]},
          address="GRA_BASE_URL_DATA_COMMONS", key="DC_API_KEY"),
    Asked(name="google-places", kind="places", tool="search_places", arguments={"text": "Carhenge"},
          address="GRA_BASE_URL_GOOGLE_PLACES", key="GOOGLE_MAPS_API_KEY"),
    Asked(name="overpass", kind="places", tool="search_places", arguments={"text": "Carhenge"}, address="GRA_BASE_URL_OVERPASS"),
    Asked(name="tiger-web", kind="boundaries", tool="find_regions", arguments={"name": "Nebraska"}, address="GRA_BASE_URL_TIGER_WEB"),
    Asked(name="nhc", kind="cyclone-advisories", tool="list_active_cyclones", arguments={"basin": "NA"}, address="GRA_BASE_URL_NHC",
          beside={"weather-lab": {"base_url": "http://127.0.0.1:9", "retries": 0}}),
    Asked(name="weather-lab", kind="cyclone-forecasts", tool="get_cyclone_forecast",
          arguments={"storm_id": "AL092026", "init_time": "2026-08-01T00:00"}, address="GRA_BASE_URL_WEATHER_LAB"),
)  # fmt: skip
