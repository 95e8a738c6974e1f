"""Source ``statistics``/``atlas``."""

from __future__ import annotations

from typing import Any

import pandas as pd

from gra_atlas.boundaries import AtlasBoundaries
from gra_atlas.facets import PROJECTIONS, choose
from gra_atlas.files import Once, data_file
from gra_atlas.regions import ROOT, SHOWN, regions
from gra_atlas.variables import search
from gra_core import ToolError
from gra_geo.names import fold
from gra_geo.protocols import FACET_COLUMNS, VALUE_COLUMNS

WORLD = ("earth", "world", "the world", "global")

observations = Once(lambda: _load())
catalog = Once(lambda: pd.read_parquet(data_file("variables.parquet")))


def _load() -> dict[str, pd.DataFrame]:
    """Variable to its observations: region_id, date, value, facet."""
    table = pd.read_parquet(data_file("statistics.parquet"))
    table = table.astype(dict.fromkeys(("variable", "region_id", "date", "facet"), object))
    return {str(name): part.drop(columns="variable") for name, part in table.groupby("variable")}


class AtlasStatistics:
    """Statistics of countries, US states and US counties; see `gra_geo.protocols`.

    Every value names its facet (provider and method). Without `facet`, one facet answers for all regions: the
    best-ranked that covers 90 % of those with a value, else the one that covers most. Projections answer only when
    asked for by facet, or for dates that nothing else has.
    """

    def __init__(self, settings: Any = None) -> None:
        """`settings` (`gra_core.SourceSettings`) has nothing to set."""

    def variables(
        self, *, query: str = "", region_ids: list[str] | None = None, limit: int = 20
    ) -> pd.DataFrame:
        """Variables that match the words, best first, one row each, described by their preferred facet.

        Beside the protocol's columns: `description`, `denominator` (the variable to weight a rate by), `facets`.
        With regions: only variables that have values there, and `regions`, `first`, `last` count those.
        """
        table = catalog()
        if region_ids is not None:
            table = self._available(table, set(region_ids))
        found = search(table, query)
        shown = found.head(limit).reset_index(drop=True)
        shown.attrs["total"] = len(found)
        return shown

    def _available(self, table: pd.DataFrame, region_ids: set[str]) -> pd.DataFrame:
        rows = []
        for row in table.to_dict("records"):
            own = _of(row["variable"])
            own = own[(own["facet"] == row["facet"]) & own["region_id"].isin(region_ids)]
            if len(own):
                counted = {
                    "first": own["date"].min(),
                    "last": own["date"].max(),
                    "regions": own["region_id"].nunique(),
                }
                rows.append(row | counted)
        return pd.DataFrame(rows, columns=table.columns)

    def regions(self, *, names: list[str], within: str = "", place_type: str = "") -> pd.DataFrame:
        """Candidates for names, best match first: name (as asked), region_id, region_name, place_type, match, and the
        attributes of the region."""
        parts = []
        for name in names:
            found = (
                AtlasBoundaries().find(name=name, level=place_type, parent=within, limit=50)
                if name.strip()
                else None
            )
            if fold(name) in WORLD and not within and place_type in ("", "planet"):
                found = pd.concat([_world(), found], ignore_index=True) if found is not None else _world()
            if found is not None:
                found = found.rename(columns={"name": "region_name", "level": "place_type"})
                parts.append(found.assign(name=name))
        table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
        first = ["name", "region_id", "region_name", "place_type", "match"]
        return table.reindex(columns=[*first, *(c for c in table.columns if c not in first)])

    def members(self, *, parent: str, child_level: str = "") -> pd.DataFrame:
        """The regions of a level inside a parent (default: the next level): region_id, region_name, place_type."""
        atlas = regions()
        rows = atlas.table.iloc[atlas.members(parent, child_level)]
        names = {"name": "region_name", "level": "place_type"}
        return rows[["region_id", "name", "level"]].rename(columns=names).reset_index(drop=True)

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
        """One date, one facet a variable; ``attrs["other_facets"]`` maps a variable to the regions that have a value
        in other facets only."""
        if bool(parent) == (region_ids is not None):
            raise ToolError(
                "bad_argument", "give either region_ids or parent", hint="parent with child_level, or ids"
            )
        wanted = (
            list(self.members(parent=parent, child_level=child_level)["region_id"])
            if parent
            else list(region_ids or [])
        )
        parts, others = [], {}
        for variable in dict.fromkeys(variables):
            table = _of(variable)
            table = table[table["region_id"].isin(wanted)]
            if date.casefold() != "latest":
                table = table[table["date"] == date]
            chosen = choose(table, _ranks(), facet)
            own = (
                table[table["facet"] == chosen].sort_values("date").drop_duplicates("region_id", keep="last")
            )
            measured = table if chosen in PROJECTIONS else table[~table["facet"].isin(PROJECTIONS)]
            if left := sorted(set(measured["region_id"]) - set(own["region_id"])):
                others[variable] = left
            parts.append(
                _shown(variable, own.set_index("region_id", drop=False).reindex(_present(wanted, own)))
            )
        result = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(VALUE_COLUMNS))
        result.attrs["other_facets"] = others
        return result

    def series(
        self, *, variable: str, region_ids: list[str], start: str = "", end: str = "", facet: str = ""
    ) -> pd.DataFrame:
        """All dates, by region (as asked) and date: one facet for all regions, or a region's own best where it lacks
        that one and none was asked for."""
        table = _of(variable)
        table = table[table["region_id"].isin(region_ids)]
        if start:
            table = table[table["date"] >= start]
        if end:
            table = table[table["date"].str.slice(0, len(end)) <= end]
        chosen = choose(table, _ranks(), facet)
        parts = []
        for region in dict.fromkeys(region_ids):
            own = table[table["region_id"] == region]
            mine = own[own["facet"] == chosen]
            if mine.empty and not facet:
                mine = own[own["facet"] == choose(own, _ranks())]
            parts.append(mine.sort_values("date"))
        return _shown(variable, pd.concat(parts) if parts else table)

    def facets(self, *, variables: list[str], region_ids: list[str]) -> pd.DataFrame:
        """Which facets exist for variables at regions, best-ranked first, with their dates."""
        rows = []
        for variable in dict.fromkeys(variables):
            table = _of(variable)
            table = table[table["region_id"].isin(region_ids)]
            facts = _facts(variable)
            grouped = table.groupby(["facet", "region_id"])["date"].agg(["min", "max", "size"])
            for (facet, region), (first, last, count) in grouped.iterrows():
                row = facts.loc[facet]
                rows.append(
                    [variable, region, facet, row["source"], "", "year", row["unit"], first, last, int(count)]
                )
        found = pd.DataFrame(rows, columns=list(FACET_COLUMNS))
        rank = found["facet"].map(_ranks())
        return (
            found.assign(rank=rank)
            .sort_values(["variable", "rank", "region_id"])
            .drop(columns="rank")
            .reset_index(drop=True)
        )


def _of(variable: str) -> pd.DataFrame:
    try:
        return observations()[variable]
    except KeyError:
        near = search(catalog(), variable.replace("_", " "))["variable"].head(5)
        raise ToolError(
            "not_found", f"the atlas has no variable {variable!r}",
            hint=f"near: {', '.join(near)}" if len(near) else "find variables with search_variables",
        ) from None  # fmt: skip


def _ranks() -> dict[str, int]:
    return dict(zip(catalog()["facet"], catalog()["rank"], strict=True))


def _facts(variable: str) -> pd.DataFrame:
    table = catalog()
    return table[table["variable"] == variable].set_index("facet")


def _present(wanted: list[str], own: pd.DataFrame) -> list[str]:
    there = set(own["region_id"])
    return [region for region in dict.fromkeys(wanted) if region in there]


def _shown(variable: str, rows: pd.DataFrame) -> pd.DataFrame:
    facts, atlas = _facts(variable), regions()
    names = ["World" if r == ROOT else str(atlas.table["name"].iat[atlas.row[r]]) for r in rows["region_id"]]
    table = rows.assign(
        variable=variable, region_name=names, unit=rows["facet"].map(facts["unit"]), source=rows["facet"].map(facts["source"])
    )  # fmt: skip
    return table[list(VALUE_COLUMNS)].reset_index(drop=True)


def _world() -> pd.DataFrame:
    row = dict.fromkeys(SHOWN, "") | {"region_id": ROOT, "name": "World", "level": "planet", "match": "exact"}
    return pd.DataFrame([row])
