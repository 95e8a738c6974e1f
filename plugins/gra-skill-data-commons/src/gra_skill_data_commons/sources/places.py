"""Places of the Data Commons graph: names, types, containment, and candidates for a name."""

from __future__ import annotations

from typing import Any

import pandas as pd
from datacommons_client.endpoints.node import NodeEndpoint
from datacommons_client.endpoints.resolve import ResolveEndpoint

from gra_core import ToolError
from gra_geo.names import RANK, fold, match_of
from gra_skill_data_commons.sources.levels import level_of, place_type, type_below

CANDIDATE_COLUMNS = [
    "name",
    "region_id",
    "region_name",
    "place_type",
    "match",
    "parent_id",
    "parent_name",
    "country",
]
PARENT_TYPES = ("County", "AdministrativeArea2", "State", "AdministrativeArea1", "Country", "Continent")
DEEPEST = 6


class PlaceFinder:
    """Looks places up with few requests: one for all names, one for each step up the hierarchy."""

    def __init__(self, node: NodeEndpoint, resolve: ResolveEndpoint) -> None:
        self._node, self._resolve = node, resolve

    def properties(self, nodes: list[str], properties: list[str]) -> dict[str, dict[str, list[str]]]:
        """Node to property to values (text values, or the ids of linked nodes)."""
        arcs = self._arcs(nodes, f"->[{', '.join(properties)}]")
        return {
            node: {
                name: [str(n.get("value") or n.get("dcid") or "") for n in linked]
                for name, linked in found.items()
            }
            for node, found in arcs.items()
        }

    def names(self, nodes: list[str]) -> dict[str, str]:
        """Node to name, where it has one."""
        found = self.properties(nodes, ["name"]) if nodes else {}
        return {node: values["name"][0] for node, values in found.items() if values.get("name")}

    def members(self, parent: str, type_name: str) -> pd.DataFrame:
        """Places of a type inside a parent, by id."""
        label = "containedInPlace+"
        linked = self._arcs([parent], f"<-{label}{{typeOf:{type_name}}}").get(parent, {}).get(label, [])
        found = {n["dcid"]: str(n.get("name") or n["dcid"]) for n in linked if n.get("dcid")}
        rows = [[key, found[key], level_of(type_name)] for key in sorted(found)]
        return pd.DataFrame(rows, columns=["region_id", "region_name", "place_type"])

    def type_below(self, parent: str) -> str:
        """The type of the next level inside a place; `ToolError` when it has none that is known."""
        types = (
            ["Earth"]
            if parent == "Earth"
            else self.properties([parent], ["typeOf"]).get(parent, {}).get("typeOf", [])
        )
        for type_name in types:
            if below := type_below(type_name, parent):
                return below
        raise ToolError(
            "bad_argument", f"the next level inside {parent} (types: {', '.join(types) or 'unknown place'}) is not known",
            hint="give child_type, such as county, city or tract",
        )  # fmt: skip

    def find(self, names: list[str], *, within: str = "", level: str = "") -> pd.DataFrame:
        """Candidates for names, columns `CANDIDATE_COLUMNS`, best match first; with `within` only places inside it."""
        context = self.names([within]).get(within, "") if within else ""
        texts = {f"{name}, {context}" if context else name: name for name in names}
        found: dict[tuple[str, str], None] = {}
        for type_name in _types(level, within):
            expression = f"<-description{{typeOf:{type_name}}}->dcid" if type_name else "<-description->dcid"
            response = self._resolve.post({"nodes": list(texts), "property": expression})
            for entity in response.get("entities") or []:
                for candidate in entity.get("candidates") or []:
                    if candidate.get("dcid") and entity.get("node") in texts:
                        found[texts[entity["node"]], candidate["dcid"]] = None
        graph = self._upwards(list(dict.fromkeys(dcid for _, dcid in found)))
        rows = [
            _row(name, dcid, graph) for name, dcid in found if not within or within in _above(dcid, graph)
        ]
        rows.sort(key=lambda r: (names.index(r["name"]), RANK[r["match"]]))
        return pd.DataFrame(rows, columns=CANDIDATE_COLUMNS)

    def _upwards(self, nodes: list[str]) -> dict[str, dict[str, Any]]:
        """Name, types and parents of nodes and of all that contains them."""
        graph: dict[str, dict[str, Any]] = {}
        for _ in range(DEEPEST):
            if not nodes:
                break
            for node, arcs in self._arcs(nodes, "->[name, typeOf, containedInPlace]").items():
                graph[node] = {
                    "name": next((str(n.get("value") or "") for n in arcs.get("name", [])), ""),
                    "types": [n["dcid"] for n in arcs.get("typeOf", []) if n.get("dcid")],
                    "parents": [n["dcid"] for n in arcs.get("containedInPlace", []) if n.get("dcid")],
                }
            above = dict.fromkeys(p for node in nodes for p in graph.get(node, {}).get("parents", []))
            nodes = [p for p in above if p not in graph]
        return graph

    def _arcs(self, nodes: list[str], expression: str) -> dict[str, dict[str, list[dict[str, Any]]]]:
        if not nodes:
            return {}
        data = self._node.post({"nodes": nodes, "property": expression}).get("data") or {}
        return {
            node: {
                label: (group or {}).get("nodes") or []
                for label, group in ((found or {}).get("arcs") or {}).items()
            }
            for node, found in data.items()
        }


def _types(level: str, within: str) -> list[str]:
    """The types to ask for; outside a known country a state may be of either type."""
    if level in ("state", "county") and not within:
        return list(dict.fromkeys([place_type(level), place_type(level, "country/")]))
    return [place_type(level, within)]


def _above(node: str, graph: dict[str, dict[str, Any]]) -> set[str]:
    """All that contains a node, itself left out."""
    seen: set[str] = set()
    todo = list(graph.get(node, {}).get("parents", []))
    while todo:
        if (parent := todo.pop()) not in seen:
            seen.add(parent)
            todo += graph.get(parent, {}).get("parents", [])
    return seen


def _row(name: str, dcid: str, graph: dict[str, dict[str, Any]]) -> dict[str, Any]:
    place = graph.get(dcid, {"name": "", "types": [], "parents": []})
    above = _above(dcid, graph)
    parents = {t: p for p in sorted(above, reverse=True) for t in graph.get(p, {}).get("types", [])}
    parent = next((parents[t] for t in PARENT_TYPES if t in parents), "")
    country = next(
        (p.removeprefix("country/") for p in sorted(above | {dcid}) if p.startswith("country/")), ""
    )
    return {
        "name": name,
        "region_id": dcid,
        "region_name": place["name"] or dcid,
        "place_type": _level(place["types"]),
        "match": _match(name, place["name"]),
        "parent_id": parent,
        "parent_name": graph.get(parent, {}).get("name", ""),
        "country": country,
    }


def _level(types: list[str]) -> str:
    known = [t for t in types if level_of(t) != t]
    return level_of(known[0]) if known else (types[0] if types else "")


def _match(asked: str, name: str) -> str:
    """How a candidate's name fits; one that shares no text was found under another name."""
    return match_of(asked, name) or ("part" if fold(asked) in fold(name) else "alias")
