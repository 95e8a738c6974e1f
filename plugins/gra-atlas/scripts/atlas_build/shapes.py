"""What every region geometry goes through, and how tables of regions are written."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

COLUMNS = [
    "region_id", "name", "short_name", "level", "country", "parent_id", "parent_name", "fips", "code", "aliases",
    "continent", "geometry",
]  # fmt: skip
DECIMALS = 6  # degrees, about 0.1 m: finer than any quantization of the sources, and files compress better


def clean(geometry: shapely.Geometry, label: str = "") -> shapely.Geometry:
    """A valid polygon or multipolygon with rings after RFC 7946: shells anticlockwise, holes clockwise."""
    rounded = shapely.transform(geometry, lambda xy: np.clip(np.round(xy, DECIMALS), [-180, -90], [180, 90]))
    if not rounded.is_valid:
        rounded = shapely.make_valid(rounded, method="structure", keep_collapsed=False)
    if rounded.geom_type == "GeometryCollection":
        rounded = shapely.union_all([g for g in rounded.geoms if g.geom_type in ("Polygon", "MultiPolygon")])
    if rounded.is_empty or rounded.geom_type not in ("Polygon", "MultiPolygon"):
        raise SystemExit(f"{label}: no polygon left after cleaning: {rounded.geom_type}")
    return shapely.orient_polygons(rounded.normalize(), exterior_cw=False)


def frame(rows: list[dict[str, object]]) -> gpd.GeoDataFrame:
    """A table of regions with the atlas' columns, sorted so that Parquet row groups can be skipped."""
    table = gpd.GeoDataFrame(pd.DataFrame(rows), geometry="geometry", crs="EPSG:4326")
    for column in COLUMNS[:-1]:
        table[column] = table[column].fillna("").astype("string") if column in table else ""
    table["geometry"] = [clean(g, i) for g, i in zip(table.geometry, table.region_id, strict=True)]
    if not table.region_id.is_unique:
        raise SystemExit(f"duplicate ids: {table.region_id[table.region_id.duplicated()].tolist()}")
    return table[COLUMNS].sort_values(["level", "parent_id", "region_id"]).reset_index(drop=True)


def write(table: gpd.GeoDataFrame, file: Path, *, row_group: int = 400) -> None:
    """GeoParquet 1.1 with a bounding-box column per row, zstd."""
    table.to_parquet(
        file,
        index=False,
        compression="zstd",
        compression_level=19,
        write_covering_bbox=True,
        row_group_size=row_group,
    )
