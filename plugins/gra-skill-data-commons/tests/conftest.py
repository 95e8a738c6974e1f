"""A loopback Data Commons that speaks the v2 wire format over a small graph.

Values are published ones: the API documentation's example responses (Canada; USA and California 2015) and the 2020
census of Rhode Island's counties. What is made up for a test is called synthetic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gra_geo.plugin
import gra_skill_data_commons.plugin
from gra_core import ToolContext
from gra_core.testing import LoopbackRequest, LoopbackServer, registry_of, tool_context

KEY = "loopback-key-0123456789"

# dcid: name, types, containedInPlace
PLACES: dict[str, tuple[str, list[str], list[str]]] = {
    "Earth": ("World", ["Place"], []),
    "country/USA": ("United States of America", ["Country"], ["Earth"]),
    "country/GBR": ("United Kingdom", ["Country"], ["Earth"]),
    "country/AUS": ("Australia", ["Country"], ["Earth"]),
    "country/CAN": ("Canada", ["Country"], ["Earth"]),
    "country/GEO": ("Georgia", ["Country"], ["Earth"]),
    "geoId/13": ("Georgia", ["AdministrativeArea1", "State"], ["country/USA"]),
    "geoId/06": ("California", ["AdministrativeArea1", "State"], ["country/USA"]),
    "geoId/44": ("Rhode Island", ["AdministrativeArea1", "State"], ["country/USA"]),
    "geoId/50": ("Vermont", ["AdministrativeArea1", "State"], ["country/USA"]),
    "geoId/5027700": ("Georgia", ["City"], ["geoId/50", "country/USA"]),
    "geoId/44001": ("Bristol County", ["AdministrativeArea2", "County"], ["geoId/44"]),
    "geoId/44003": ("Kent County", ["AdministrativeArea2", "County"], ["geoId/44"]),
    "geoId/44005": ("Newport County", ["AdministrativeArea2", "County"], ["geoId/44"]),
    "geoId/44007": ("Providence County", ["AdministrativeArea2", "County"], ["geoId/44"]),
    "geoId/44009": ("Washington County", ["AdministrativeArea2", "County"], ["geoId/44"]),
    "wikidataId/Q1425428": ("Newcastle upon Tyne", ["City"], ["country/GBR"]),
    "wikidataId/Q40345": ("Newcastle", ["City"], ["country/AUS"]),
}
ALIASES = {"UK": ["country/GBR"], "Newcastle": ["wikidataId/Q40345", "wikidataId/Q1425428"]}
VARIABLES: dict[str, dict[str, str]] = {
    "Count_Person": {"name": "Total population", "statType": "measuredValue", "measuredProperty": "count"},
    "UnemploymentRate_Person": {
        "name": "Unemployment rate", "statType": "measuredValue", "measuredProperty": "unemploymentRate", "measurementDenominator": "Count_Person_InLaborForce",
    },
    "Median_Income_Household": {"name": "Median household income", "statType": "medianValue", "measuredProperty": "income"},
}  # fmt: skip
FACETS: dict[str, dict[str, Any]] = {
    "3981252704": {
        "importName": "WorldDevelopmentIndicators", "provenanceUrl": "https://datacatalog.worldbank.org/dataset/world-development-indicators/", "observationPeriod": "P1Y",
    },
    "1216205004": {"importName": "CanadaStatistics", "provenanceUrl": "https://www150.statcan.gc.ca/n1/en/type/data?MM=1"},
    "2176550201": {
        "importName": "USCensusPEP_Annual_Population", "provenanceUrl": "https://www2.census.gov/programs-surveys/popest/tables", "measurementMethod": "CensusPEPSurvey", "observationPeriod": "P1Y",
    },
    "2645850372": {"importName": "CensusACS5YearSurvey_AggCountry", "provenanceUrl": "https://www.census.gov/", "isDcAggregate": True},
    "1145703171": {"importName": "CensusACS5YearSurvey", "provenanceUrl": "https://www.census.gov/programs-surveys/acs/data/data-via-ftp.html"},
    "1541763368": {"importName": "USDecennialCensus_RedistrictingRelease", "provenanceUrl": "https://www.census.gov/programs-surveys/decennial-census/about/rdo/summary-files.html"},
    "synthetic": {"importName": "Synthetic", "provenanceUrl": "https://synthetic.invalid/", "unit": "Percent", "scalingFactor": "100"},
    "income": {"importName": "SyntheticIncome", "provenanceUrl": "https://synthetic.invalid/income", "unit": "USDollar"},
}  # fmt: skip
# (variable, entity): facets in order of preference, each with its observations
OBSERVATIONS: dict[tuple[str, str], list[tuple[str, dict[str, float]]]] = {
    ("Count_Person", "country/CAN"): [("3981252704", {"2023": 40097761}), ("1216205004", {"2021": 36991981})],
    ("Count_Person", "country/USA"): [
        ("2176550201", {"2015": 320738994}),
        ("2645850372", {"2015": 320098094}),
    ],
    ("Count_Person", "geoId/06"): [("2176550201", {"2015": 38904296}), ("1145703171", {"2015": 38421464})],
    ("Count_Person", "geoId/44001"): [("1541763368", {"2020": 50793})],
    ("Count_Person", "geoId/44003"): [("1541763368", {"2020": 170363})],
    ("Count_Person", "geoId/44005"): [("1541763368", {"2020": 85643})],
    ("Count_Person", "geoId/44007"): [("1541763368", {"2020": 660741})],
    ("Count_Person", "geoId/44009"): [("1541763368", {"2020": 129839})],
    # Synthetic: four counties, one of them in another facet only, and dates that differ.
    ("UnemploymentRate_Person", "geoId/44001"): [("synthetic", {"2022": 3.5, "2023": 3.0})],
    ("UnemploymentRate_Person", "geoId/44003"): [("synthetic", {"2022": 4.0}), ("other", {"2024": 9.0})],
    ("UnemploymentRate_Person", "geoId/44005"): [("synthetic", {"2022": 4.5, "2023": 3.0})],
    ("UnemploymentRate_Person", "geoId/44007"): [("other", {"2023": 8.0})],
    ("Median_Income_Household", "geoId/44"): [
        ("income", {str(y): 50000.0 + 1000 * (y - 2000) for y in range(2000, 2021)})
    ],
}


class Loopback(LoopbackServer):
    """Speaks the v2 format; `requests` is what was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.page_size = 2
        self.url, self.key = f"{self.url}/v2", KEY

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [{"path": r.path, "body": r.json(), "headers": r.headers} for r in self.received]

    def answer(self, request: LoopbackRequest) -> tuple[int, dict[str, str], Any]:
        if request.headers["X-API-Key"] != KEY:
            return 401, {}, {"code": 16, "message": "API key not valid", "details": []}
        answer = {
            "/v2/observation": self.observation, "/v2/resolve": self.resolve, "/v2/node": self.node,
        }.get(request.path)  # fmt: skip
        if answer is None:
            return 404, {}, {"code": 5, "message": "Method does not exist.", "details": []}
        return 200, {}, answer(request.json())

    def observation(self, body: dict[str, Any]) -> dict[str, Any]:
        if "dcids" in body["entity"]:
            entities = body["entity"]["dcids"]
        else:
            match = re.fullmatch(r"(\S+)<-containedInPlace\+\{typeOf:(\w+)\}", body["entity"]["expression"])
            assert match
            entities = inside(match[1], match[2])
        wanted = body.get("variable", {}).get("dcids") or sorted({v for v, _ in OBSERVATIONS})
        used: set[str] = set()
        by_variable: dict[str, Any] = {}
        for variable in wanted:
            by_entity: dict[str, Any] = {}
            for entity in entities:
                if (variable, entity) in OBSERVATIONS and (ordered := self._ordered(variable, entity, body)):
                    by_entity[entity] = (
                        {"orderedFacets": ordered}
                        if "facet" in body["select"] or "value" in body["select"]
                        else {}
                    )
                    used |= {f["facetId"] for f in ordered}
            if by_entity:
                by_variable[variable] = {"byEntity": by_entity}
        if not by_variable:
            return {}
        return {
            "byVariable": by_variable,
            "facets": {f: FACETS.get(f, {"importName": f}) for f in sorted(used)},
        }

    def _ordered(self, variable: str, entity: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        ordered = []
        for facet, values in OBSERVATIONS[variable, entity]:
            dates = sorted(values)
            if body["date"] == "LATEST":
                dates = dates[-1:]
            elif body["date"]:
                dates = [d for d in dates if d == body["date"]]
            if dates:
                entry: dict[str, Any] = {
                    "facetId": facet,
                    "earliestDate": dates[0],
                    "latestDate": dates[-1],
                    "obsCount": len(dates),
                }
                if "value" in body["select"]:
                    entry["observations"] = [{"date": d, "value": values[d]} for d in dates]
                ordered.append(entry)
        return ordered

    def resolve(self, body: dict[str, Any]) -> dict[str, Any]:
        if body.get("resolver") == "indicator":
            return {"entities": [{"node": n, "candidates": indicators(n)} for n in body["nodes"]]}
        match = re.fullmatch(r"<-description(?:\{typeOf:(\w+)\})?->dcid", body["property"])
        assert match
        entities = [
            {"node": n, "candidates": [{"dcid": d} for d in described(n, match[1])]} for n in body["nodes"]
        ]
        return {"entities": entities} if any(e["candidates"] for e in entities) else {}

    def node(self, body: dict[str, Any]) -> dict[str, Any]:
        if match := re.fullmatch(r"<-containedInPlace\+\{typeOf:(\w+)\}", body["property"]):
            parent = body["nodes"][0]
            found = inside(parent, match[1])
            start = int(body.get("nextToken") or 0)
            page = found[start : start + self.page_size]
            nodes = [{"dcid": d, "name": PLACES[d][0], "types": PLACES[d][1]} for d in page]
            more = {"nextToken": str(start + self.page_size)} if start + self.page_size < len(found) else {}
            return {"data": {parent: {"arcs": {"containedInPlace+": {"nodes": nodes}}}}, **more}
        match = re.fullmatch(r"->\[(.*)\]", body["property"])
        assert match
        data = {n: {"arcs": arcs} for n in body["nodes"] if (arcs := arcs_of(n, match[1].split(", ")))}
        return {"data": data} if data else {}


def inside(parent: str, type_name: str) -> list[str]:
    def above(dcid: str) -> set[str]:
        return {p for parent in PLACES[dcid][2] for p in {parent, *above(parent)}}

    return sorted(d for d, (_, types, _) in PLACES.items() if type_name in types and parent in above(d))


def described(text: str, type_name: str | None) -> list[str]:
    """Like a geocoder: the context after a comma ranks, it does not exclude."""
    name, _, _context = text.partition(", ")
    found = ALIASES.get(name) or [d for d, (label, _, _) in PLACES.items() if label == name]
    return [d for d in found if not type_name or type_name in PLACES[d][1]]


def indicators(query: str) -> list[dict[str, Any]]:
    words = query.casefold().split()
    found = [
        {"dcid": v, "metadata": {"score": "0.9", "sentence": d["name"]}, "typeOf": ["StatisticalVariable"]}
        for v, d in VARIABLES.items()
        if any(w in d["name"].casefold() for w in words)
    ]
    topic = {
        "dcid": "dc/topic/Demographics",
        "metadata": {"score": 0.8, "sentence": "Demographics"},
        "typeOf": ["Topic"],
    }
    return [*found, topic]


def arcs_of(node: str, properties: list[str]) -> dict[str, Any]:
    arcs: dict[str, Any] = {}
    if node in PLACES:
        name, types, parents = PLACES[node]
        known = {"name": [{"value": name}], "typeOf": [{"dcid": t} for t in types]}
        known["containedInPlace"] = [{"dcid": p, "name": PLACES[p][0]} for p in parents]
        arcs = {p: {"nodes": known[p]} for p in properties if known.get(p)}
    elif node in VARIABLES:
        definition = VARIABLES[node] | {"typeOf": "StatisticalVariable"}
        for key in ("name",):
            if key in properties:
                arcs[key] = {"nodes": [{"value": definition[key], "provenanceId": "dc/base/BaseSchema"}]}
        arcs |= {
            p: {"nodes": [{"dcid": definition[p], "name": definition[p]}]}
            for p in properties
            if p != "name" and p in definition
        }
    return arcs


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    with Loopback() as loop:
        monkeypatch.setenv("DC_API_KEY", KEY)
        monkeypatch.setenv("GRA_BASE_URL_DATA_COMMONS", loop.url)
        yield loop


@pytest.fixture
def context(tmp_path: Path) -> Callable[..., ToolContext]:
    """Makes a tool context over chosen plugins: `context(settings)` for the live source alone."""

    def make(
        settings: dict[str, Any] | None = None, plugins: tuple[Any, ...] = (), **chosen: str
    ) -> ToolContext:
        registry = registry_of(gra_geo.plugin, gra_skill_data_commons.plugin, *plugins)
        quick = {"backoff_s": 0.01, "timeout_s": 5} | (settings or {})
        return tool_context(registry, tmp_path / "work", chosen=chosen, sources={"data-commons": quick})

    return make
