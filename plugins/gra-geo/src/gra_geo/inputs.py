"""Regions, features and points of a tool call: read from a reference, ids, names or GeoJSON, checked, in EPSG:4326."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import pandas as pd
from attrs import field, frozen

from gra_core import ToolContext, ToolError
from gra_geo import geojson
from gra_geo.checks import checked
from gra_geo.crs import to_wgs84
from gra_geo.frames import ID_COLUMNS, WGS84, coordinate_columns, labelled, points_frame
from gra_geo.lookup import features_of, place_named
from gra_geo.names import is_id


@frozen(kw_only=True)
class Read:
    """What was read: a frame in EPSG:4326 and notes on what was converted or mended on the way."""

    frame: gpd.GeoDataFrame
    notes: list[str] = field(factory=list)


def read_regions(ctx: ToolContext, regions: Any) -> Read:
    """Polygons with text columns `region_id` and `name`, from a ``ds://`` reference, region ids or GeoJSON."""
    read = _read(ctx, regions, "regions")
    wrong = read.frame[~read.frame.geom_type.isin(["Polygon", "MultiPolygon"])]
    if len(wrong):
        kinds = ", ".join(sorted(wrong.geom_type.unique()))
        raise ToolError(
            "bad_argument",
            f"regions must be polygons, got {len(wrong)} of type {kinds}",
            hint="make polygons with buffer_features first",
        )
    return Read(frame=labelled(read.frame, "region_id"), notes=read.notes)


def read_features(ctx: ToolContext, features: Any) -> Read:
    """Features of any geometry with text columns `feature_id` and `name`, from a reference, ids, names or GeoJSON."""
    read = _read(ctx, features, "features")
    return Read(frame=labelled(read.frame, "feature_id"), notes=read.notes)


def read_points(ctx: ToolContext, points: Any) -> Read:
    """Points with text columns `place_id` and `name`, from a reference, coordinates, place ids or names, or GeoJSON.

    Polygons and lines become their centre of area or length, with a note.
    """
    read = _read(ctx, points, "points")
    frame, notes = read.frame, list(read.notes)
    shaped = frame.geom_type != "Point"
    if shaped.any():
        from gra_geo.geodesy import centroids

        frame = frame.set_geometry(centroids(frame.geometry))
        notes.append(f"{int(shaped.sum())} features that are not points were replaced by their centres")
    return Read(frame=labelled(frame, "place_id"), notes=notes)


def _read(ctx: ToolContext, value: Any, what: str) -> Read:
    notes: list[str] = []
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        value = geojson.parse_text(value)
    if isinstance(value, str):
        if value.startswith("ds:"):
            frame = _from_dataset(ctx, value, notes)
            return Read(frame=checked(frame, value, notes), notes=notes)
        value = [value]
    if isinstance(value, dict):
        frame = geojson.read_geojson(value, notes)
    elif isinstance(value, list) and value:
        frame = _from_list(ctx, value, what, notes)
    else:
        raise ToolError(
            "bad_argument", f"{what}: nothing was given", hint="give a ds:// reference, ids or GeoJSON"
        )
    return Read(frame=checked(frame, what, notes), notes=notes)


def _from_dataset(ctx: ToolContext, ref: str, notes: list[str]) -> gpd.GeoDataFrame:
    data = ctx.load(ref)
    if isinstance(data, gpd.GeoDataFrame):
        if not len(data):
            raise ToolError("bad_argument", f"{ref} has no rows", hint="use a dataset with features")
        frame, told = to_wgs84(data, ref)
        notes += told
        return frame
    if isinstance(data, pd.DataFrame):
        return _from_table(ctx, ref, data, notes)
    if isinstance(data, dict) and data.get("type") in geojson.TYPES:
        return geojson.read_geojson(data, notes)
    raise ToolError(
        "bad_argument",
        f"{ref} holds no features but {type(data).__name__}",
        hint="give a dataset of features, or a table with lon and lat columns",
    )


def _from_table(ctx: ToolContext, ref: str, table: pd.DataFrame, notes: list[str]) -> gpd.GeoDataFrame:
    """A table without geometry: by coordinate columns, else by region ids."""
    if not len(table):
        raise ToolError("bad_argument", f"{ref} has no rows", hint="use a dataset with features")
    if found := coordinate_columns(table):
        lon, lat = found
        notes.append(f"{ref}: points made from columns {lon} and {lat} (taken as EPSG:4326)")
        numbers = table.assign(**{c: pd.to_numeric(table[c], errors="coerce") for c in found})
        return points_frame(numbers, lon, lat)
    if "region_id" in table.columns:
        ids = list(dict.fromkeys(table["region_id"].astype(str)))
        shapes = ctx.source("boundaries").get(region_ids=ids).set_index("region_id").geometry
        notes.append(f"{ref}: boundaries added by region_id")
        return gpd.GeoDataFrame(
            table, geometry=shapes.reindex(table["region_id"].astype(str)).to_numpy(), crs=WGS84
        )
    raise ToolError(
        "bad_argument",
        f"{ref} is a table without geometry; its columns are {', '.join(map(str, table.columns[:20]))}",
        hint="it needs lon and lat columns, or a region_id column",
    )


def _from_list(ctx: ToolContext, values: list[Any], what: str, notes: list[str]) -> gpd.GeoDataFrame:
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values) and len(values) == 2:
        values = [values]
    if all(isinstance(v, (list, tuple)) for v in values):
        positions = [
            geojson.geometry_of({"type": "Point", "coordinates": v}, f"{what}[{i}]", notes)
            for i, v in enumerate(values)
        ]
        names = [f"({p.x:.10g}, {p.y:.10g})" for p in positions]
        ids = [f"point-{i + 1}" for i in range(len(positions))]
        return gpd.GeoDataFrame({"place_id": ids, "name": names}, geometry=positions, crs=WGS84)
    if all(isinstance(v, str) for v in values):
        return _from_texts(ctx, [v.strip() for v in values], what, notes)
    if all(isinstance(v, dict) for v in values):
        features = [v if v.get("type") == "Feature" else {"type": "Feature", "geometry": v} for v in values]
        return geojson.read_geojson({"type": "FeatureCollection", "features": features}, notes)
    raise ToolError(
        "bad_argument",
        f"{what}: a list must hold either ids, [longitude, latitude] pairs or GeoJSON, all of one kind",
    )


def _from_texts(ctx: ToolContext, texts: list[str], what: str, notes: list[str]) -> gpd.GeoDataFrame:
    """Each text is a dataset, an id or (not for regions) a place name; rows keep the order given."""
    frames = []
    for kind, group in _runs(texts, what):
        if kind == "dataset":
            frames += [_from_dataset(ctx, ref, notes) for ref in group]
        elif kind == "name":
            frames += [place_named(ctx, name, what, notes) for name in group]
        else:
            frames.append(features_of(ctx, group, what))
    if len(frames) == 1:
        return frames[0]
    if not any(all(column in frame.columns for frame in frames) for column in ID_COLUMNS):
        # Regions and places in one list keep their ids, in a column of their own.
        frames = [labelled(f).drop(columns=[c for c in ID_COLUMNS[1:] if c in f.columns]) for f in frames]
    return gpd.GeoDataFrame(pd.concat(frames, ignore_index=True), crs=WGS84)


def _runs(texts: list[str], what: str) -> list[tuple[str, list[str]]]:
    runs: list[tuple[str, list[str]]] = []
    for text in texts:
        if not text:
            raise ToolError(
                "bad_argument", f"{what}: an empty text is no id", hint="give ids such as geoId/31"
            )
        kind = _kind_of(text)
        if runs and runs[-1][0] == kind:
            runs[-1][1].append(text)
        else:
            runs.append((kind, [text]))
    return runs


def _kind_of(text: str) -> str:
    """``dataset``, ``name``, or the scheme of an id (``geoId/``)."""
    if text.startswith("ds:"):
        return "dataset"
    return text.partition("/")[0] + "/" if "/" in text and is_id(text) else "name"
