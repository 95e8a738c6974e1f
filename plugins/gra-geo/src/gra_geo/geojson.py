"""GeoJSON read strictly: every fault is a `ToolError` that says where it is and what was expected."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import geopandas as gpd
import shapely

from gra_core import ToolError
from gra_geo.crs import is_wgs84, parse_crs, to_wgs84
from gra_geo.frames import WGS84

DEPTH = {"Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}
TYPES = (*DEPTH, "GeometryCollection", "Feature", "FeatureCollection")


def bad(message: str, hint: str = "") -> ToolError:
    """The error of unusable GeoJSON."""
    return ToolError(
        "bad_argument",
        f"invalid GeoJSON: {message}",
        hint=hint or "GeoJSON is RFC 7946, coordinates are [longitude, latitude]",
    )


def parse_text(text: str) -> Any:
    """JSON from text; `ToolError` tells where it breaks."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise bad(f"not JSON: {error.msg} at character {error.pos}") from error


def read_geojson(data: Any, notes: list[str]) -> gpd.GeoDataFrame:
    """Features of a GeoJSON object as a frame in EPSG:4326, properties as columns, a feature's id as `feature_id`.

    What was mended (an unclosed ring) is told in `notes`. An old-style `crs` member is honoured.
    """
    if not isinstance(data, dict):
        raise bad(f"expected an object, got {type(data).__name__}")
    records, geometries = [], []
    for place, feature in _features(data):
        properties = feature.get("properties") or {}
        if not isinstance(properties, dict):
            raise bad(f"{place}.properties must be an object, got {type(properties).__name__}")
        record = dict(properties)
        if isinstance(feature.get("id"), (str, int)):
            record.setdefault("feature_id", str(feature["id"]))
        records.append(record)
        geometries.append(
            geometry_of(feature.get("geometry"), f"{place}.geometry" if place else "geometry", notes)
        )
    if not geometries:
        raise bad("it holds no features", "give at least one feature")
    for record in records:
        record.pop("geometry", None)
    frame = gpd.GeoDataFrame(records, geometry=geometries, crs=WGS84, index=range(len(geometries)))
    return _from_crs_member(frame, data, notes)


def _features(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    kind = data.get("type")
    if kind == "FeatureCollection":
        features = data.get("features")
        if not isinstance(features, list):
            raise bad("a FeatureCollection needs a list of features")
        for index, feature in enumerate(features):
            if not isinstance(feature, dict) or feature.get("type") != "Feature":
                raise bad(f"features[{index}] is not a Feature")
            yield f"features[{index}]", feature
    elif kind == "Feature":
        yield "", data
    elif kind in TYPES:
        yield "", {"geometry": data}
    else:
        raise bad(f"unknown type {kind!r}; expected one of {', '.join(TYPES)}")


def geometry_of(data: Any, place: str, notes: list[str]) -> shapely.Geometry:
    """One GeoJSON geometry; coordinates beyond a third one are dropped with the altitude."""
    if not isinstance(data, dict):
        raise bad(f"{place} must be a geometry object, got {'null' if data is None else type(data).__name__}")
    kind = data.get("type")
    if kind == "GeometryCollection":
        parts = data.get("geometries")
        if not isinstance(parts, list) or not parts:
            raise bad(f"{place} is a GeometryCollection without geometries")
        return shapely.GeometryCollection(
            [geometry_of(p, f"{place}.geometries[{i}]", notes) for i, p in enumerate(parts)]
        )
    if kind not in DEPTH:
        raise bad(f"{place}.type is {kind!r}; expected one of {', '.join(DEPTH)} or GeometryCollection")
    where = f"{place}.coordinates"
    coordinates = _positions(data.get("coordinates"), DEPTH[kind], where)
    return _build(kind, coordinates, where, notes)


def _positions(value: Any, depth: int, where: str) -> Any:
    if not isinstance(value, (list, tuple)):
        raise bad(f"{where} must be an array, got {'null' if value is None else type(value).__name__}")
    if not value:
        raise bad(f"{where} is empty")
    if depth == 0:
        return _position(value, where)
    return [_positions(v, depth - 1, f"{where}[{i}]") for i, v in enumerate(value)]


def _position(value: Any, where: str) -> tuple[float, float]:
    if len(value) not in (2, 3, 4) or any(
        isinstance(v, bool) or not isinstance(v, (int, float)) for v in value
    ):
        raise bad(f"{where} must be [longitude, latitude] numbers, got {json.dumps(value, default=str)[:60]}")
    if not all(math.isfinite(v) for v in value[:2]):
        raise bad(f"{where} is not finite: {value[:2]}", "leave out points without coordinates")
    return float(value[0]), float(value[1])


def _build(kind: str, xy: Any, where: str, notes: list[str]) -> shapely.Geometry:
    if kind == "Point":
        return shapely.Point(xy)
    if kind == "MultiPoint":
        return shapely.MultiPoint(xy)
    if kind == "LineString":
        return shapely.LineString(_line(xy, where))
    if kind == "MultiLineString":
        return shapely.MultiLineString([_line(line, f"{where}[{i}]") for i, line in enumerate(xy)])
    if kind == "Polygon":
        return _polygon(xy, where, notes)
    return shapely.MultiPolygon([_polygon(rings, f"{where}[{i}]", notes) for i, rings in enumerate(xy)])


def _line(xy: list[tuple[float, float]], where: str) -> list[tuple[float, float]]:
    if len(set(xy)) < 2:
        raise bad(f"{where} needs two different positions, got {len(set(xy))}")
    return xy


def _polygon(rings: list[list[tuple[float, float]]], where: str, notes: list[str]) -> shapely.Polygon:
    closed = []
    for index, ring in enumerate(rings):
        if len(set(ring)) < 3:
            raise bad(
                f"{where}[{index}] is a ring of {len(set(ring))} different positions; a ring needs at least 3"
            )
        if ring[0] != ring[-1]:
            ring = [*ring, ring[0]]
            notes.append(
                f"{where}[{index}]: the ring was not closed; its first position was repeated at the end"
            )
        closed.append(ring)
    return shapely.Polygon(closed[0], closed[1:])


def _from_crs_member(frame: gpd.GeoDataFrame, data: dict[str, Any], notes: list[str]) -> gpd.GeoDataFrame:
    member = data.get("crs")
    if member is None:
        return frame
    name = (member.get("properties") or {}).get("name") if isinstance(member, dict) else None
    if not isinstance(name, str):
        raise bad("its crs member has no name", "leave it out: coordinates are then longitude, latitude")
    crs = parse_crs(name)
    if is_wgs84(crs):
        return frame
    frame, told = to_wgs84(frame.set_crs(crs, allow_override=True), "the GeoJSON")
    notes += told
    return frame
