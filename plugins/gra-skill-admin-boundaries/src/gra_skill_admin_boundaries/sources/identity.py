"""Region ids of this project and ids of Who's On First, both ways."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import pandas as pd

from gra_core import ToolError
from gra_geo.protocols import REGION_COLUMNS
from gra_skill_admin_boundaries.sources.database import Database
from gra_skill_admin_boundaries.sources.schema import CENSUS, CENSUS_DIGITS, DOWN, ISO, LEVEL_OF, region_id_of


class Identities:
    """Turns rows of `spr` into the columns of the protocol, and region ids into WOF ids."""

    def __init__(self, database: Database) -> None:
        self._db = database

    @cached_property
    def _countries(self) -> dict[str, tuple[str, int]]:
        """Alpha-3 to alpha-2 and WOF id."""
        sql = (
            "SELECT s.id, s.country, json_extract(g.body, '$.properties.\"wof:country_alpha3\"') AS alpha3 "
            f"FROM spr s JOIN geojson g ON g.id = s.id WHERE {self._db.current} AND {self._db.geojson_is_default} "
            "AND s.placetype IN ('country', 'dependency') ORDER BY s.placetype DESC"
        )
        return {
            row["alpha3"].upper(): (row["country"], row["id"]) for row in self._db.rows(sql) if row["alpha3"]
        }

    @cached_property
    def _alpha3(self) -> dict[str, str]:
        return {alpha2: alpha3 for alpha3, (alpha2, _) in self._countries.items()}

    def alpha2(self, code: str) -> str:
        """Alpha-2 code of an alpha-3 (or alpha-2) one; unknown codes pass."""
        return self._countries.get(code.upper(), (code.upper(), 0))[0]

    def country_ids(self, code: str) -> set[int]:
        """WOF ids of the countries with an ISO code of two or three letters."""
        return {
            wof_id for alpha3, (alpha2, wof_id) in self._countries.items() if code.upper() in (alpha3, alpha2)
        }

    def census(self, code: str) -> dict[int, str]:
        """WOF ids (and placetypes) of US states, counties and ZIP areas with a Census or ZIP code."""
        found: dict[int, str] = {}
        placetype = next((p for p, digits in CENSUS_DIGITS.items() if len(code) == digits), "")
        if placetype:
            sources = ",".join("?" * len(CENSUS))
            # The cast compares 01007 stored as text with 1007 stored as a number.
            sql = (
                f"SELECT s.id FROM concordances c JOIN spr s ON s.id = c.id WHERE {self._db.current} AND s.country = 'US' "
                f"AND s.placetype = ? AND c.other_source IN ({sources}) AND CAST(c.other_id AS INTEGER) = ?"
            )
            found |= {row["id"]: placetype for row in self._db.rows(sql, (placetype, *CENSUS, int(code)))}
        if len(code) == 5:
            sql = f"SELECT s.id FROM spr s WHERE {self._db.current} AND s.country = 'US' AND s.placetype = 'postalcode' AND s.name = ?"
            found |= {row["id"]: "postalcode" for row in self._db.rows(sql, (code,))}
        return found

    def wof_ids(self, region_ids: Iterable[str]) -> dict[str, int]:
        """WOF ids of the region ids that exist here."""
        found = {
            rid: wof_id for rid in dict.fromkeys(region_ids) if (wof_id := self._wof_id(rid)) is not None
        }
        sql = f"SELECT s.id FROM spr s WHERE {self._db.current} AND s.id IN ({{ids}})"
        current = {row["id"] for row in self._db.rows_for(sql, set(found.values()))}
        return {rid: wof_id for rid, wof_id in found.items() if wof_id in current}

    def known(self, region_ids: list[str]) -> dict[str, int]:
        """WOF ids of all the region ids; `ToolError` ``not_found`` names those that are not here."""
        found = self.wof_ids(region_ids)
        if missing := [rid for rid in region_ids if rid not in found]:
            more = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
            raise ToolError(
                "not_found",
                f"no such region here: {', '.join(missing[:10])}{more}",
                hint="look ids up with find_regions",
            )
        return found

    def _wof_id(self, region_id: str) -> int | None:
        scheme, _, code = region_id.partition("/")
        if scheme == "wof" and code.isdigit():
            return int(code)
        if scheme == "country":
            return self._countries.get(code.upper(), ("", None))[1]
        if scheme in ("geoId", "zip") and code.isdigit():
            wanted = ("postalcode",) if scheme == "zip" else tuple(CENSUS_DIGITS)
            return next(
                (wof_id for wof_id, placetype in sorted(self.census(code).items()) if placetype in wanted),
                None,
            )
        if scheme == "iso3166-2":
            sources = ",".join("?" * len(ISO))
            sql = (
                f"SELECT s.id FROM concordances c JOIN spr s ON s.id = c.id WHERE {self._db.current} "
                f"AND s.placetype = 'region' AND c.other_source IN ({sources}) AND c.other_id = ? ORDER BY s.id"
            )
            rows = self._db.rows(sql, (*ISO, code))
            return rows[0]["id"] if rows else None
        return None

    def table(self, rows: list[Any]) -> pd.DataFrame:
        """`REGION_COLUMNS` plus ``wof_id`` and ``rank`` (of the level, large to small) for rows of `spr`."""
        parents = self._parents([(row["id"], row["placetype"]) for row in rows])
        named = self._named([*rows, *parents.values()])
        records = []
        for row in rows:
            parent = parents.get(row["id"])
            level = LEVEL_OF[row["placetype"]]
            records.append((
                named[row["id"]], row["name"], level, self._alpha3.get(row["country"], row["country"]),
                named[parent["id"]] if parent else "", parent["name"] if parent else "", row["id"],
                DOWN.index(level) if level in DOWN else len(DOWN),
            ))  # fmt: skip
        return pd.DataFrame(records, columns=[*REGION_COLUMNS, "wof_id", "rank"])

    def _parents(self, features: list[tuple[int, str]]) -> dict[int, Any]:
        """The nearest ancestor of a level that this project knows, by feature."""
        sql = (
            "SELECT a.id AS child, s.id, s.name, s.placetype, s.country FROM ancestors a JOIN spr s ON s.id = a.ancestor_id "
            f"WHERE {self._db.current} AND a.id IN ({{ids}}) AND s.id <> a.id ORDER BY s.id"
        )
        placetype = dict(features)
        nearest: dict[int, tuple[int, Any]] = {}
        for row in self._db.rows_for(sql, placetype):
            level, own = LEVEL_OF.get(row["placetype"]), LEVEL_OF[placetype[row["child"]]]
            if level not in DOWN or (own in DOWN and DOWN.index(level) >= DOWN.index(own)):
                continue
            if row["child"] not in nearest or nearest[row["child"]][0] < DOWN.index(level):
                nearest[row["child"]] = (DOWN.index(level), row)
        return {child: row for child, (_, row) in nearest.items()}

    def _named(self, rows: list[Any]) -> dict[int, str]:
        """Region ids by WOF id."""
        others: dict[int, dict[str, str]] = {row["id"]: {} for row in rows}
        sql = "SELECT id, other_source, other_id FROM concordances WHERE id IN ({ids})"
        for row in self._db.rows_for(sql, others):
            others[row["id"]][row["other_source"]] = str(row["other_id"])
        return {
            row["id"]: region_id_of(
                row["id"],
                row["placetype"],
                row["country"],
                self._alpha3.get(row["country"], ""),
                row["name"],
                others[row["id"]],
            )
            for row in rows
        }
