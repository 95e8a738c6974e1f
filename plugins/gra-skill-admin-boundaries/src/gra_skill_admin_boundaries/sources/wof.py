"""Source ``wof-sqlite``: administrative regions out of a SQLite distribution of Who's On First."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import pandas as pd
import shapely

from gra_core import SourceSettings, ToolError
from gra_geo.names import RANK, fold, match_folded
from gra_skill_admin_boundaries.sources.database import Database
from gra_skill_admin_boundaries.sources.identity import Identities
from gra_skill_admin_boundaries.sources.matching import alias_query, likely
from gra_skill_admin_boundaries.sources.schema import DOWN, ISO, LEVEL_OF, PLACETYPES

COLUMNS = "s.id, s.name, s.placetype, s.country"


class WhosOnFirst:
    """Kind ``boundaries`` over the tables spr, names, ancestors, concordances and geojson.

    Records that are not current (``is_current`` 0) or deprecated are left out; an unknown currency (−1) stays in.
    """

    def __init__(self, settings: SourceSettings) -> None:
        self._db = Database(settings.get("path", ""))
        self._ids = Identities(self._db)

    def levels(self) -> dict[str, int]:
        """Level to number of current regions."""
        sql = f"SELECT s.placetype, COUNT(*) AS n FROM spr s WHERE {self._db.current} GROUP BY s.placetype"
        counted = {row["placetype"]: row["n"] for row in self._db.rows(sql)}
        sums = {level: sum(counted.get(p, 0) for p in types) for level, types in PLACETYPES.items()}
        return {level: number for level, number in sums.items() if number}

    def find(
        self, *, name: str = "", level: str = "", country: str = "", parent: str = "", limit: int = 20
    ) -> pd.DataFrame:
        """Candidates, best match first; see `gra_geo.protocols.BoundarySource`."""
        where, values = self._where(level, country, parent)
        if not name:
            rows = self._db.rows(f"SELECT {COLUMNS} FROM spr s WHERE {where}", values)
            return self._sorted(self._ids.table(rows)).head(limit)
        wanted, aliases = fold(name), self._named(name, level)
        condition, words = likely("s.name", wanted)
        sql = f"SELECT {COLUMNS}, fold(s.name) AS folded FROM spr s WHERE {where} AND"
        rows = self._db.rows(f"{sql} {condition}", [*values, *words])
        rows += self._db.rows_for(f"{sql} s.id IN ({{ids}})", aliases - {row["id"] for row in rows}, values)
        matched = [(row, match_folded(wanted, row["folded"], alias=row["id"] in aliases)) for row in rows]
        kept = [(row, match) for row, match in matched if match]
        frame = self._ids.table([row for row, _ in kept])
        frame["match"] = [match for _, match in kept]
        return self._sorted(frame, by_match=True).head(limit)

    def get(self, *, region_ids: list[str]) -> gpd.GeoDataFrame:
        """Regions in the order asked; `ToolError` ``not_found`` names those that are not here."""
        known = self._ids.known(region_ids)
        sql = f"SELECT {COLUMNS} FROM spr s WHERE {self._db.current} AND s.id IN ({{ids}})"
        by_id = {row["id"]: row for row in self._db.rows_for(sql, set(known.values()))}
        frame = self._with_geometry(self._ids.table([by_id[known[rid]] for rid in region_ids]))
        if without := frame.attrs.pop("without", []):
            raise ToolError(
                "not_available", f"the gazetteer has only a point, no boundary, of {', '.join(without[:10])}"
            )
        frame["region_id"] = region_ids
        return frame

    def children(self, *, parent_id: str, level: str = "") -> gpd.GeoDataFrame:
        """The regions of a level (default: the next that has any) below a parent, by id."""
        level = level or self._next_level(parent_id)
        where, values = self._where(level, "", parent_id)
        rows = self._db.rows(f"SELECT {COLUMNS} FROM spr s WHERE {where}", values)
        frame = self._with_geometry(self._ids.table(rows))
        if without := frame.attrs.pop("without", []):
            listed = ", ".join(without[:5]) + (" …" if len(without) > 5 else "")
            frame.attrs["notes"] = [
                f"{len(without)} regions of which the gazetteer has only a point are left out: {listed}"
            ]
        return self._sorted(frame, keys=("region_id",))

    def containing(self, *, points: list[list[float]], levels: list[str]) -> pd.DataFrame:
        """Regions of the levels that contain (or touch) each lon/lat point."""
        places = [p for level in levels for p in PLACETYPES.get(level, ())]
        types = ",".join("?" * len(places))
        sql = (
            f"SELECT {COLUMNS}, json_extract(g.body, '$.geometry') AS geometry FROM spr s JOIN geojson g ON g.id = s.id "
            f"WHERE {self._db.current} AND {self._db.geojson_is_default} AND s.placetype IN ({types}) "
            "AND ? BETWEEN s.min_latitude AND s.max_latitude AND ? BETWEEN s.min_longitude AND s.max_longitude"
        )
        found, indexes = [], []
        for index, (lon, lat) in enumerate(points):
            near = self._db.rows(sql, (*places, lat, lon))
            hits = [
                row
                for row in near
                if row["geometry"] and shapely.from_geojson(row["geometry"]).covers(shapely.Point(lon, lat))
            ]
            found += hits
            indexes += [index] * len(hits)
        frame = self._ids.table(found)
        frame.insert(0, "point", indexes)
        return self._sorted(frame, keys=("point", "rank", "region_id"))

    def _where(self, level: str, country: str, parent: str) -> tuple[str, list[Any]]:
        """The condition on `spr s` for a level, a country (alpha-3) and an ancestor, with its values."""
        if level and level not in PLACETYPES:
            raise ToolError(
                "not_available",
                f"Who's On First has no level {level!r}",
                hint=f"levels: {', '.join(PLACETYPES)}",
            )
        types = PLACETYPES[level] if level else tuple(LEVEL_OF)
        values: list[Any] = list(types)
        clauses = [self._db.current, f"s.placetype IN ({','.join('?' * len(types))})"]
        if country:
            clauses.append("s.country = ?")
            values.append(self._ids.alpha2(country))
        if parent:
            known = self._ids.known([parent])
            clauses.append("s.id IN (SELECT a.id FROM ancestors a WHERE a.ancestor_id = ?) AND s.id <> ?")
            values += [known[parent], known[parent]]
        return " AND ".join(clauses), values

    def _named(self, name: str, level: str) -> set[int]:
        """Ids of features that have the text as another name or as a code (ISO, postal, Census)."""
        code = name.strip().upper()
        sql, values = alias_query(name, PLACETYPES.get(level, tuple(LEVEL_OF)))
        ids = {row["id"] for row in self._db.rows(sql, values)}
        if code.isdigit():
            return ids | set(self._ids.census(code))
        if code.isascii() and len(code) <= 6:
            ids |= self._ids.country_ids(code)
            sources = ",".join("?" * len(ISO))
            sql = f"SELECT id FROM concordances WHERE other_source IN ({sources}) AND (upper(other_id) = ? OR upper(other_id) LIKE ?)"
            ids |= {row["id"] for row in self._db.rows(sql, (*ISO, code, f"__-{code}"))}
        return ids

    def _next_level(self, parent_id: str) -> str:
        wof_id = self._ids.known([parent_id])[parent_id]
        sql = (
            f"SELECT DISTINCT s.placetype FROM spr s JOIN ancestors a ON a.id = s.id "
            f"WHERE {self._db.current} AND a.ancestor_id = ? AND s.id <> ?"
        )
        below = {LEVEL_OF.get(row["placetype"]) for row in self._db.rows(sql, (wof_id, wof_id))}
        own = self._db.rows(
            f"SELECT s.placetype FROM spr s WHERE {self._db.current} AND s.id = ?", (wof_id,)
        )[0]["placetype"]
        lower = DOWN[DOWN.index(LEVEL_OF[own]) + 1 :] if LEVEL_OF.get(own) in DOWN else ()
        return next((level for level in lower if level in below), lower[0] if lower else "postcode")

    def _with_geometry(self, frame: pd.DataFrame) -> gpd.GeoDataFrame:
        """The polygons of the features; those with only a point are dropped and named in ``attrs["without"]``."""
        sql = (
            "SELECT g.id, json_extract(g.body, '$.geometry') AS geometry FROM geojson g "
            f"WHERE {self._db.geojson_is_default} AND g.id IN ({{ids}})"
        )
        texts = {row["id"]: row["geometry"] for row in self._db.rows_for(sql, frame["wof_id"])}
        shapes = gpd.GeoSeries(
            shapely.from_geojson([texts.get(i) for i in frame["wof_id"]]), index=frame.index, crs="EPSG:4326"
        )
        shapes = shapes.where(shapes.is_valid | shapes.isna(), shapes.make_valid())
        areal = shapes.geom_type.isin(["Polygon", "MultiPolygon"])
        result = gpd.GeoDataFrame(frame[areal], geometry=shapes[areal]).drop(columns=["wof_id", "rank"])
        result.attrs["without"] = [f"{r.name} ({r.region_id})" for r in frame[~areal].itertuples(index=False)]
        return result.reset_index(drop=True)

    @staticmethod
    def _sorted(
        frame: Any, *, keys: tuple[str, ...] = ("rank", "name", "region_id"), by_match: bool = False
    ) -> Any:
        if by_match:
            frame = frame.assign(order=frame["match"].map(RANK))
            keys = ("order", *keys)
        columns = [c for c in ("order", "wof_id", "rank") if c in frame]
        return frame.sort_values(list(keys), kind="stable").drop(columns=columns).reset_index(drop=True)
