"""Source ``tiger-web``: US states, counties, census tracts and ZIP areas from the Census Bureau's TIGERweb."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

import geopandas as gpd
import pandas as pd
import shapely
from attrs import frozen
from gra_core import SourceSettings, ToolError
from gra_geo.protocols import REGION_COLUMNS

from gra_skill_admin_boundaries.folding import fold
from gra_skill_admin_boundaries.sources.arcgis import MapService

SERVICE = "tigerWMS_Current"
LAYERS = {
    "state": re.compile(r"^States$"),
    "county": re.compile(r"^Counties$"),
    "tract": re.compile(r"^Census Tracts$"),
    "postcode": re.compile(r"^(\d{4} Census )?(ZIP Code Tabulation Areas|ZCTAs?)$"),
}
DIGITS = {2: "state", 5: "county", 11: "tract"}
BELOW = {"country": "state", "state": "county", "county": "tract"}
FIELDS = "GEOID,NAME,BASENAME"
CHUNK = 100
USA = "country/USA"


@frozen(kw_only=True)
class Code:
    """A region id taken apart: level and Census code."""

    level: str
    code: str

    @classmethod
    def of(cls, region_id: str) -> Code | None:
        """None for ids that TIGERweb cannot have."""
        scheme, _, code = region_id.partition("/")
        if region_id == USA:
            return cls(level="country", code="")
        if scheme == "geoId" and code.isdigit() and len(code) in DIGITS:
            return cls(level=DIGITS[len(code)], code=code)
        return cls(level="postcode", code=code) if scheme == "zip" and re.fullmatch(r"\d{5}", code) else None

    @property
    def region_id(self) -> str:
        return f"zip/{self.code}" if self.level == "postcode" else f"geoId/{self.code}"


class TigerWeb:
    """Kind ``boundaries``. Setting beside those of `RestService`: ``service`` (default ``tigerWMS_Current``), to pin a vintage."""

    def __init__(self, settings: SourceSettings) -> None:
        self._map = MapService(settings, str(settings.get("service", SERVICE)), title="TIGERweb")

    @cached_property
    def _layers(self) -> dict[str, int]:
        """Layer number of each level that the service has; of several vintages the newest."""
        found = {}
        for level, pattern in LAYERS.items():
            names = sorted((name for name in self._map.layers if pattern.match(name)), reverse=True)
            if names:
                found[level] = self._map.layers[names[0]]
        return found

    @cached_property
    def _levels(self) -> dict[str, int]:
        return {level: self._map.count(layer) for level, layer in self._layers.items()}

    def levels(self) -> dict[str, int]:
        """Level to number of regions."""
        return dict(self._levels)

    @cached_property
    def _states(self) -> dict[str, dict[str, Any]]:
        """FIPS to attributes (with the postal code STUSAB)."""
        return self._attributes("state", FIELDS + ",STUSAB")

    @cached_property
    def _counties(self) -> dict[str, dict[str, Any]]:
        return self._attributes("county", FIELDS)

    def _attributes(self, level: str, fields: str) -> dict[str, dict[str, Any]]:
        rows = self._map.features(self._layer(level), fields=fields, shapes=False)
        return {row["properties"]["GEOID"]: row["properties"] for row in rows}

    def find(self, *, name: str = "", level: str = "", country: str = "", parent: str = "", limit: int = 20) -> pd.DataFrame:
        """Candidates; see `gra_geo.protocols.BoundarySource`. Names are those of states and counties, tracts and ZIP areas
        are found by their code (tracts by name inside a parent too)."""
        if country not in ("", "USA"):
            return self._table([])
        within = self._code(parent) if parent else Code(level="country", code="")
        wanted = [lv for lv in (level,) if lv] or ["state", "county", "tract", "postcode"]
        found = [(code, row) for lv in wanted for code, row in self._candidates(lv, name, within)]
        frame = self._table([code for code, _ in found], {code: row for code, row in found})
        if name:
            order = {m: i for i, m in enumerate(("exact", "alias", "prefix", "part"))}
            frame["match"] = [self._match(code, row, name) for code, row in found]
            frame = frame[frame["match"] != ""].sort_values("match", key=lambda m: m.map(order), kind="stable")
        return frame.head(limit).reset_index(drop=True)

    def get(self, *, region_ids: list[str]) -> gpd.GeoDataFrame:
        """Regions in the order asked; ``not_found`` names the missing."""
        codes = {rid: Code.of(rid) for rid in region_ids}
        found: dict[str, dict[str, Any]] = {}
        for level in LAYERS:
            wanted = sorted({c.code for c in codes.values() if c and c.level == level})
            for start in range(0, len(wanted), CHUNK):
                listed = ",".join(f"'{code}'" for code in wanted[start : start + CHUNK])
                for feature in self._map.features(self._layer(level), where=f"GEOID IN ({listed})", fields=FIELDS):
                    code = Code(level=level, code=feature["properties"]["GEOID"])
                    found[code.region_id] = feature
        if missing := [rid for rid in region_ids if rid not in found]:
            raise ToolError("not_found", f"TIGERweb has no {', '.join(missing[:10])}", hint="ids are geoId/31, geoId/31147, geoId/31147968100 and zip/68355")
        return self._frame([(codes[rid], found[rid]) for rid in region_ids])

    def children(self, *, parent_id: str, level: str = "") -> gpd.GeoDataFrame:
        """Regions of a level inside a parent, by id. ZIP areas cross borders: those are given whose internal point lies in it."""
        parent = self._code(parent_id)
        level = level or BELOW.get(parent.level, "")
        if not level or (parent.level == "country" and level in ("tract", "postcode")):
            raise ToolError("bad_argument", f"TIGERweb cannot list level {level or 'below it'} of {parent_id}", hint="list tracts and ZIP areas of a state or county")
        if level == "postcode":
            return self._zip_areas(parent_id)
        features = self._map.features(self._layer(level), where=_where(parent), fields=FIELDS)
        rows = [(Code(level=level, code=f["properties"]["GEOID"]), f) for f in features]
        return self._frame(sorted(rows, key=lambda row: row[0].code))

    def containing(self, *, points: list[list[float]], levels: list[str]) -> pd.DataFrame:
        """Regions of the levels that contain (or touch) each lon/lat point."""
        rows: list[tuple[int, Code, dict[str, Any]]] = []
        for level in levels:
            for start in range(0, len(points), CHUNK):
                rows += self._hits(level, points[start : start + CHUNK], start)
        frame = self._table([code for _, code, _ in rows], {code: f["properties"] for _, code, f in rows})
        frame.insert(0, "point", [index for index, _, _ in rows])
        return frame.sort_values(["point", "region_id"], kind="stable").reset_index(drop=True)

    def _hits(self, level: str, points: list[list[float]], first: int) -> list[tuple[int, Code, dict[str, Any]]]:
        features = self._map.features(
            self._layer(level), fields=FIELDS, geometryType="esriGeometryMultipoint", spatialRel="esriSpatialRelIntersects",
            geometry={"points": points, "spatialReference": {"wkid": 4326}},
        )  # fmt: skip
        spots = shapely.points(points)
        shapes = [shapely.geometry.shape(f["geometry"]) for f in features]
        return [
            (first + int(index), Code(level=level, code=feature["properties"]["GEOID"]), feature)
            for feature, shape in zip(features, shapes, strict=True)
            for index in shapely.covers(shape, spots).nonzero()[0]
        ]

    def _zip_areas(self, parent_id: str) -> gpd.GeoDataFrame:
        shape = self.get(region_ids=[parent_id]).geometry.iloc[0]
        west, south, east, north = shape.bounds
        features = self._map.features(
            self._layer("postcode"), fields=FIELDS + ",INTPTLAT,INTPTLON", geometryType="esriGeometryEnvelope",
            spatialRel="esriSpatialRelIntersects", geometry={"xmin": west, "ymin": south, "xmax": east, "ymax": north},
        )  # fmt: skip
        inside = [f for f in features if shape.covers(shapely.Point(float(f["properties"]["INTPTLON"]), float(f["properties"]["INTPTLAT"])))]
        frame = self._frame(sorted(((Code(level="postcode", code=f["properties"]["GEOID"]), f) for f in inside), key=lambda row: row[0].code))
        frame.attrs["notes"] = ["ZIP areas cross county and state borders: those are listed whose internal point lies inside"]
        return frame

    def _candidates(self, level: str, name: str, within: Code) -> list[tuple[Code, dict[str, Any]]]:
        """Regions of a level inside a parent that may fit a name (all of them without one)."""
        if level in ("state", "county"):
            rows = self._states if level == "state" else self._counties
            inside = within.level in ("country", "state") and within.level != level
            return [(Code(level=level, code=c), row) for c, row in sorted(rows.items()) if inside and c.startswith(within.code)]
        if level not in self._layers:
            return []
        digits = fold(name)
        if digits.isdigit() and len(digits) == (5 if level == "postcode" else 11):
            where = f"GEOID = '{digits}'"
        elif level == "tract" and within.level in ("state", "county"):
            where = _where(within)
        else:
            return []
        rows = [f["properties"] for f in self._map.features(self._layer(level), where=where, fields=FIELDS, shapes=False)]
        return [(Code(level=level, code=row["GEOID"]), row) for row in rows if level == "postcode" or row["GEOID"].startswith(within.code)]

    def _match(self, code: Code, row: dict[str, Any], name: str) -> str:
        wanted, own = fold(name), fold(row["NAME"])
        state = self._states.get(code.code[:2], {}) if code.level != "postcode" else {}
        others = {fold(row.get("BASENAME", "")), code.code} | ({fold(state.get("STUSAB", ""))} if code.level == "state" else set())
        others |= {fold(f"{row['NAME']} {s}") for s in (state.get("STUSAB"), state.get("NAME")) if s and code.level == "county"}
        if wanted == own:
            return "exact"
        if wanted in others:
            return "alias"
        return "prefix" if own.startswith(wanted + " ") else "part" if f" {wanted} " in f" {own} " else ""

    def _table(self, codes: list[Code], rows: dict[Code, dict[str, Any]] | None = None) -> pd.DataFrame:
        records = []
        for code in codes:
            parent_id, parent_name = self._parent(code)
            records.append((code.region_id, (rows or {})[code]["NAME"], code.level, "USA", parent_id, parent_name))
        return pd.DataFrame(records, columns=list(REGION_COLUMNS))

    def _frame(self, rows: list[tuple[Code, dict[str, Any]]]) -> gpd.GeoDataFrame:
        table = self._table([code for code, _ in rows], {code: feature["properties"] for code, feature in rows})
        return gpd.GeoDataFrame(table, geometry=[shapely.geometry.shape(f["geometry"]) for _, f in rows], crs="EPSG:4326")

    def _parent(self, code: Code) -> tuple[str, str]:
        if code.level == "county":
            return f"geoId/{code.code[:2]}", self._states.get(code.code[:2], {}).get("NAME", "")
        if code.level == "tract":
            return f"geoId/{code.code[:5]}", self._counties.get(code.code[:5], {}).get("NAME", "")
        return USA, "United States"

    def _code(self, region_id: str) -> Code:
        if (code := Code.of(region_id)) is None:
            raise ToolError("not_found", f"TIGERweb has no {region_id}", hint="it covers country/USA, states and counties (geoId/…)")
        return code

    def _layer(self, level: str) -> int:
        if level not in self._layers:
            raise ToolError("not_available", f"TIGERweb has no layer of level {level!r} here", hint=f"levels: {', '.join(self._layers)}")
        return self._layers[level]


def _where(parent: Code) -> str:
    """The condition on STATE and COUNTY for what lies in a parent."""
    if parent.level == "country":
        return "1=1"
    return f"STATE = '{parent.code[:2]}'" + (f" AND COUNTY = '{parent.code[2:5]}'" if parent.level in ("county", "tract") else "")
