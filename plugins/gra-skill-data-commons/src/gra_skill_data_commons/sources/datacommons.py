"""Source ``statistics=data-commons``: Data Commons REST API v2 through `datacommons_client`."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pandas as pd
from datacommons_client.endpoints.node import NodeEndpoint
from datacommons_client.endpoints.observation import ObservationEndpoint
from datacommons_client.endpoints.payloads import ObservationRequestPayload
from datacommons_client.endpoints.resolve import ResolveEndpoint

from gra_core import SourceSettings, ToolError
from gra_geo.protocols import FACET_COLUMNS, VALUE_COLUMNS, VARIABLE_COLUMNS
from gra_skill_data_commons.sources.indicators import PROPERTIES, quantity_of
from gra_skill_data_commons.sources.levels import place_type
from gra_skill_data_commons.sources.observations import Track, choose_facet, read_tracks
from gra_skill_data_commons.sources.places import PlaceFinder
from gra_skill_data_commons.sources.transport import RetryingAPI

LICENCE = "set by the provider of each facet"


class DataCommons:
    """A `gra_geo.protocols.StatisticsSource` over HTTP. Beyond the protocol: `members` and `facets`."""

    def __init__(self, settings: SourceSettings) -> None:
        api = RetryingAPI(settings)
        self._node, self._observation, self._resolve = (
            NodeEndpoint(api),
            ObservationEndpoint(api),
            ResolveEndpoint(api),
        )
        self._places = PlaceFinder(self._node, self._resolve)

    # -- variables ---------------------------------------------------------------------------------------------

    def variables(
        self, *, query: str = "", region_ids: list[str] | None = None, limit: int = 20
    ) -> pd.DataFrame:
        """Variables for words (best first), for an exact id, or, without a query, all that the places have.

        With `region_ids`, only variables with data there are returned; `first`, `last`, `unit` and `source` come
        from their facets, and `regions` counts the places with data.
        """
        found = self._candidates(query) if query else self._available(region_ids or [])
        tracks: dict[str, list[Track]] = defaultdict(list)
        if region_ids and found:
            for track in self._tracks(list(found)[:200], date="", region_ids=region_ids, values=False):
                tracks[track.variable].append(track)
            found = {v: title for v, title in found.items() if v in tracks}
        chosen = list(found)[:limit]
        definitions = self._definitions(chosen)
        rows = [self._variable_row(v, found[v], definitions.get(v, {}), tracks.get(v, [])) for v in chosen]
        frame = pd.DataFrame(rows, columns=list(VARIABLE_COLUMNS))
        frame.attrs["total"] = len(found)
        return frame

    def _candidates(self, query: str) -> dict[str, str]:
        """Variable to matched text, best first. An id is looked up as such before the words are."""
        if " " not in query.strip():
            definition = self._definitions([query]).get(query, {})
            if "StatisticalVariable" in definition.get("typeOf", []):
                return {query: _first(definition, "name")}
        response = self._resolve.post({"nodes": [query], "resolver": "indicator"})
        found: dict[str, str] = {}
        for entity in response.get("entities") or []:
            for candidate in entity.get("candidates") or []:
                if "Topic" not in (candidate.get("typeOf") or []) and candidate.get("dcid"):
                    found.setdefault(
                        candidate["dcid"], str((candidate.get("metadata") or {}).get("sentence") or "")
                    )
        return found

    def _available(self, region_ids: list[str]) -> dict[str, str]:
        if not region_ids:
            raise ToolError(
                "bad_argument", "neither words nor places to look for variables", hint="give query or places"
            )
        payload = ObservationRequestPayload(
            entity_dcids=region_ids, select=["variable", "entity"], date="LATEST"
        ).to_dict()
        return dict.fromkeys(sorted(self._observation.post(payload).get("byVariable") or {}), "")

    def _definitions(self, variables: list[str]) -> dict[str, dict[str, list[str]]]:
        return self._places.properties(variables, PROPERTIES) if variables else {}

    def _variable_row(
        self, variable: str, title: str, definition: dict[str, list[str]], tracks: list[Track]
    ) -> dict[str, Any]:
        facet = choose_facet(tracks)
        kept = [t for t in tracks if facet and t.facet.id == facet.id]
        return {
            "variable": variable,
            "title": _first(definition, "name") or title or variable,
            "unit": facet.full_unit if facet else "",
            "quantity": quantity_of(variable, definition),
            "first": min((t.first for t in kept), default=""),
            "last": max((t.last for t in kept), default=""),
            "regions": len({t.region_id for t in tracks}) if tracks else None,
            "source": facet.source if facet else "",
            "licence": LICENCE,
            "description": _first(definition, "description"),
        }

    def facets(self, *, variables: list[str], region_ids: list[str]) -> pd.DataFrame:
        """Which facets exist for variables at places, preferred first, with their dates: columns `FACET_COLUMNS` and ``aggregated``."""
        rows = [
            [t.variable, t.region_id, t.facet.id, t.facet.source, t.facet.method, t.facet.period, t.facet.full_unit, t.first, t.last, t.count, t.facet.aggregated]
            for t in self._tracks(variables, date="", region_ids=region_ids, values=False)
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=[*FACET_COLUMNS, "aggregated"])

    # -- places ------------------------------------------------------------------------------------------------

    def regions(self, *, names: list[str], within: str = "", place_type: str = "") -> pd.DataFrame:
        """Candidates for names; see `PlaceFinder.find`."""
        return self._places.find(names, within=within, level=place_type)

    def members(self, *, parent: str, child_level: str = "") -> pd.DataFrame:
        """The places of a level inside a parent (default: the next level): region_id, region_name, place_type."""
        return self._places.members(parent, self._child_type(parent, child_level))

    def _child_type(self, parent: str, child_level: str) -> str:
        return place_type(child_level, parent) or self._places.type_below(parent)

    # -- observations ------------------------------------------------------------------------------------------

    def values(
        self,
        *,
        variables: list[str],
        region_ids: list[str] | None = None,
        parent: str = "",
        child_level: str = "",
        date: str = "latest",
        facet: str = "",
    ) -> pd.DataFrame:
        """One date, columns `VALUE_COLUMNS`; one facet a variable for all places, so that they compare.

        ``attrs["other_facets"]`` maps a variable to the places that have values in other facets only.
        """  # fmt: skip
        day = "LATEST" if date.casefold() == "latest" else date
        if parent:
            members = self.members(parent=parent, child_level=child_level)
            names = dict(zip(members["region_id"], members["region_name"], strict=True))
            tracks = self._tracks(variables, date=day, expression=self._inside(parent, child_level))
        else:
            tracks = self._tracks(variables, date=day, region_ids=region_ids or [])
            names = self._places.names(sorted({t.region_id for t in tracks}))
        rows: list[list[Any]] = []
        others: dict[str, list[str]] = {}
        for variable in dict.fromkeys(variables):
            of_variable = [t for t in tracks if t.variable == variable and t.observations]
            chosen = choose_facet(of_variable, facet)
            kept = {t.region_id: t for t in of_variable if chosen and t.facet.id == chosen.id}
            rows += [self._row(t, names, *t.observations[-1]) for t in kept.values()]
            if left := sorted({t.region_id for t in of_variable} - set(kept)):
                others[variable] = left
        frame = pd.DataFrame(rows, columns=list(VALUE_COLUMNS))
        frame.attrs["other_facets"] = others
        return frame

    def series(
        self, *, variable: str, region_ids: list[str], start: str = "", end: str = "", facet: str = ""
    ) -> pd.DataFrame:
        """All dates, columns `VALUE_COLUMNS`: one facet for all places, or a place's own preferred one where it lacks that."""
        tracks = [t for t in self._tracks([variable], date="", region_ids=region_ids) if t.observations]
        chosen = choose_facet(tracks, facet)
        names = self._places.names(sorted({t.region_id for t in tracks}))
        rows: list[list[Any]] = []
        for region in dict.fromkeys(region_ids):
            own = sorted((t for t in tracks if t.region_id == region), key=lambda t: t.rank)
            track = next((t for t in own if chosen and t.facet.id == chosen.id), None)
            track = track or (own[0] if own and not facet else None)
            if track:
                rows += [
                    self._row(track, names, d, v) for d, v in track.observations if _between(d, start, end)
                ]
        return pd.DataFrame(rows, columns=list(VALUE_COLUMNS))

    def _inside(self, parent: str, child_level: str) -> str:
        return f"{parent}<-containedInPlace+{{typeOf:{self._child_type(parent, child_level)}}}"

    def _tracks(
        self,
        variables: list[str],
        *,
        date: str,
        region_ids: list[str] | None = None,
        expression: str = "",
        values: bool = True,
    ) -> list[Track]:
        select = ["variable", "entity", "facet"] + (["date", "value"] if values else [])
        payload = ObservationRequestPayload(
            date=date,
            variable_dcids=variables,
            select=select,
            entity_dcids=region_ids or None,
            entity_expression=expression or None,
        )
        return read_tracks(self._observation.post(payload.to_dict()))

    def _row(self, track: Track, names: dict[str, str], date: str, value: float) -> list[Any]:
        region, facet = track.region_id, track.facet
        return [
            track.variable,
            region,
            names.get(region, region),
            date,
            value,
            facet.full_unit,
            facet.id,
            facet.source,
        ]


def _first(definition: dict[str, list[str]], key: str) -> str:
    return next(iter(definition.get(key) or []), "")


def _between(date: str, start: str, end: str) -> bool:
    """Whether a date overlaps the period; ``2020`` overlaps ``2020-05``."""
    return (not start or date[: len(start)] >= start[: len(date)]) and (
        not end or date[: len(end)] <= end[: len(date)]
    )
