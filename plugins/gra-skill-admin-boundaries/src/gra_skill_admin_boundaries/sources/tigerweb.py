"""Source ``tiger-web``: US states, counties, census tracts and ZIP areas from the Census Bureau's TIGERweb."""

from __future__ import annotations

import re
from functools import cached_property

import geopandas as gpd
import pandas as pd
import shapely

from gra_core import SourceSettings, ToolError
from gra_geo.names import RANK
from gra_geo.protocols import REGION_COLUMNS
from gra_skill_admin_boundaries.sources.arcgis import MapService
from gra_skill_admin_boundaries.sources.census import (
    Attributes,
    Code,
    Feature,
    Row,
    code_of,
    geoid,
    internal_point,
    match_of,
    shape_of,
)  # fmt: skip

SERVICE = "tigerWMS_Current"
LAYERS = {
    "state": re.compile(r"^States$"),
    "county": re.compile(r"^Counties$"),
    "tract": re.compile(r"^Census Tracts$"),
    "postcode": re.compile(r"^(\d{4} Census )?(ZIP Code Tabulation Areas|ZCTAs?)$"),
}
BELOW = {"country": "state", "state": "county", "county": "tract"}
COUNTRY = ("", "US", "USA", "UNITED STATES", "UNITED STATES OF AMERICA")
FIELDS = "GEOID,NAME,BASENAME"
CHUNK = 100


class TigerWeb:
    """Kind ``boundaries``. Setting beside those of `RestService`: ``service`` (default ``tigerWMS_Current``), to pin a
    vintage. Names and codes of states and counties are fetched once and kept."""

    def __init__(self, settings: SourceSettings) -> None:
        self._map = MapService(settings, str(settings.get("service", SERVICE)), title="TIGERweb")

    @cached_property
    def _layers(self) -> dict[str, int]:
        """Layer number of each level that the service has; of several vintages the newest."""
        found = {}
        for level, pattern in LAYERS.items():
            if names := sorted(name for name in self._map.layers if pattern.match(name)):
                found[level] = self._map.layers[names[-1]]
        return found

    @cached_property
    def _levels(self) -> dict[str, int]:
        return {level: self._map.count(layer) for level, layer in self._layers.items()}

    def levels(self) -> dict[str, int]:
        """Level to number of regions."""
        return dict(self._levels)

    @cached_property
    def _states(self) -> dict[str, Attributes]:
        return self._records("state", FIELDS + ",STUSAB")

    @cached_property
    def _counties(self) -> dict[str, Attributes]:
        return self._records("county", FIELDS)

    def _records(self, level: str, fields: str) -> dict[str, Attributes]:
        """Attributes by code."""
        features = self._map.features(self._layer(level), fields=fields, shapes=False)
        return {f["properties"]["GEOID"]: f["properties"] for f in features}

    def find(
        self, *, name: str = "", level: str = "", country: str = "", parent: str = "", limit: int = 20
    ) -> pd.DataFrame:
        """Candidates; see `gra_geo.protocols.BoundarySource`. Tracts and ZIP areas are found by their code, tracts inside
        a parent by name too."""
        within = self._code(parent) if parent else Code(level="country", code="")
        levels = ([level] if level else list(LAYERS)) if country.upper() in COUNTRY else []
        rows = [row for lv in levels for row in self._candidates(lv, name, within)]
        frame = self._table(rows)
        if name:
            frame["match"] = [match_of(name, code, own, self._state_of(code)) for code, own in rows]
            frame = frame[frame["match"] != ""].sort_values(
                "match", key=lambda match: match.map(RANK), kind="stable"
            )
        return frame.head(limit).reset_index(drop=True)

    def get(self, *, region_ids: list[str]) -> gpd.GeoDataFrame:
        """Regions in the order asked; ``not_found`` names the missing."""
        codes = {rid: code for rid in region_ids if (code := Code.of(rid))}
        found: dict[str, Feature] = {}
        for level in LAYERS:
            wanted = sorted({c.code for c in codes.values() if c.level == level})
            for start in range(0, len(wanted), CHUNK):
                listed = ",".join(f"'{code}'" for code in wanted[start : start + CHUNK])
                features = self._map.features(self._layer(level), where=f"GEOID IN ({listed})", fields=FIELDS)
                found |= {code_of(level, f).region_id: f for f in features}
        if missing := [rid for rid in region_ids if rid not in found]:
            raise ToolError(
                "not_found",
                f"TIGERweb has no {', '.join(missing[:10])}",
                hint="ids are geoId/31, geoId/31147, geoId/31147968100 and zip/68355",
            )
        return self._frame([(codes[rid], found[rid]) for rid in region_ids])

    def children(self, *, parent_id: str, level: str = "") -> gpd.GeoDataFrame:
        """Regions of a level inside a parent, by id. ZIP areas cross borders: those whose internal point lies inside."""
        parent = self._code(parent_id)
        level = level or BELOW.get(parent.level, "")
        if not level or (parent.level == "country" and level in ("tract", "postcode")):
            raise ToolError(
                "bad_argument",
                f"TIGERweb cannot list level {level or 'below it'} of {parent_id}",
                hint="list tracts and ZIP areas of a state or county",
            )
        if level == "postcode":
            return self._zip_areas(parent_id)
        features = self._map.features(self._layer(level), where=parent.where(), fields=FIELDS)
        return self._frame([(code_of(level, f), f) for f in sorted(features, key=geoid)])

    def containing(self, *, points: list[list[float]], levels: list[str]) -> pd.DataFrame:
        """Regions of the levels that contain (or touch) each lon/lat point."""
        hits: list[tuple[int, Row]] = []
        for level in levels:
            for start in range(0, len(points), CHUNK):
                hits += self._hits(level, points[start : start + CHUNK], start)
        frame = self._table([row for _, row in hits])
        frame.insert(0, "point", [index for index, _ in hits])
        return frame.sort_values(["point", "region_id"], kind="stable").reset_index(drop=True)

    def _hits(self, level: str, points: list[list[float]], first: int) -> list[tuple[int, Row]]:
        features = self._map.features(
            self._layer(level),
            fields=FIELDS,
            geometryType="esriGeometryMultipoint",
            spatialRel="esriSpatialRelIntersects",
            geometry={"points": points, "spatialReference": {"wkid": 4326}},
        )
        spots = shapely.points(points)
        return [
            (first + int(index), (code_of(level, feature), feature["properties"]))
            for feature in features
            for index in shapely.covers(shape_of(feature), spots).nonzero()[0]
        ]

    def _zip_areas(self, parent_id: str) -> gpd.GeoDataFrame:
        parent = self.get(region_ids=[parent_id]).geometry.iloc[0]
        west, south, east, north = parent.bounds
        features = self._map.features(
            self._layer("postcode"),
            fields=FIELDS + ",INTPTLAT,INTPTLON",
            geometryType="esriGeometryEnvelope",
            spatialRel="esriSpatialRelIntersects",
            geometry={"xmin": west, "ymin": south, "xmax": east, "ymax": north},
        )
        inside = sorted((f for f in features if parent.covers(internal_point(f))), key=geoid)
        frame = self._frame([(code_of("postcode", f), f) for f in inside])
        frame.attrs["notes"] = ["ZIP areas cross borders: those are listed whose internal point lies inside"]
        return frame

    def _candidates(self, level: str, name: str, within: Code) -> list[Row]:
        """Regions of a level inside a parent that may fit a name (all of them without one)."""
        if level in ("state", "county"):
            records = self._states if level == "state" else self._counties
            nests = within.level == "country" or (within.level == "state" and level == "county")
            rows = [(Code(level=level, code=code), own) for code, own in sorted(records.items())]
            return [row for row in rows if nests and row[0].code.startswith(within.code)]
        where = ""
        if name.isdigit() and len(name) == (5 if level == "postcode" else 11):
            where = f"GEOID = '{name}'"
        elif level == "tract" and within.level in ("state", "county"):
            where = within.where()
        if not where or level not in self._layers:
            return []
        features = self._map.features(self._layer(level), where=where, fields=FIELDS, shapes=False)
        inside = (f for f in features if level == "postcode" or geoid(f).startswith(within.code))
        return [(code_of(level, f), f["properties"]) for f in inside]

    def _table(self, rows: list[Row]) -> pd.DataFrame:
        records = [
            (code.region_id, own["NAME"], code.level, "USA", code.parent_id, self._parent_name(code))
            for code, own in rows
        ]
        return pd.DataFrame(records, columns=list(REGION_COLUMNS))

    def _frame(self, rows: list[tuple[Code, Feature]]) -> gpd.GeoDataFrame:
        table = self._table([(code, feature["properties"]) for code, feature in rows])
        return gpd.GeoDataFrame(table, geometry=[shape_of(feature) for _, feature in rows], crs="EPSG:4326")

    def _parent_name(self, code: Code) -> str:
        if code.level == "county":
            return str(self._state_of(code).get("NAME", ""))
        if code.level == "tract":
            return str(self._counties.get(code.code[:5], {}).get("NAME", ""))
        return "United States"

    def _state_of(self, code: Code) -> Attributes:
        return {} if code.level == "postcode" else self._states.get(code.code[:2], {})

    def _code(self, region_id: str) -> Code:
        if (code := Code.of(region_id)) is None:
            raise ToolError(
                "not_found",
                f"TIGERweb has no {region_id}",
                hint="it covers country/USA, states and counties (geoId/…)",
            )
        return code

    def _layer(self, level: str) -> int:
        if level not in self._layers:
            raise ToolError(
                "not_available",
                f"TIGERweb has no layer of level {level!r} here",
                hint=f"levels: {', '.join(self._layers)}",
            )
        return self._layers[level]
