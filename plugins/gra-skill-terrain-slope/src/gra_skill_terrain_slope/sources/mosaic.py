"""Tiles of one grid as one raster: a GDAL virtual raster (VRT) that points at the files."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import rasterio

from gra_geo.raster import Raster

TYPES = {
    "uint8": "Byte", "int8": "Int8", "uint16": "UInt16", "int16": "Int16", "uint32": "UInt32", "int32": "Int32",
    "float32": "Float32", "float64": "Float64",
}  # fmt: skip


def write_mosaic(tiles: list[Raster], target: Path) -> None:
    """Write a VRT of north-up single-band tiles with one CRS, cell size, data type and nodata value.

    Gaps between tiles are missing: where the tiles have no nodata value, the tiles' own masks are used with a value of −32768
    (or the largest of the type) outside.
    """
    first = tiles[0]
    west, north = min(t.bounds[0] for t in tiles), max(t.bounds[3] for t in tiles)
    width = round((max(t.bounds[2] for t in tiles) - west) / first.dx)
    height = round((north - min(t.bounds[1] for t in tiles)) / first.dy)
    nodata = first.nodata if first.nodata is not None else _outside(first.dtype)
    assert first.crs is not None
    lines = [
        f'<VRTDataset rasterXSize="{width}" rasterYSize="{height}">',
        f"<SRS>{escape(first.crs.to_wkt())}</SRS>",
        f"<GeoTransform>{west!r}, {first.dx!r}, 0, {north!r}, 0, {-first.dy!r}</GeoTransform>",
        f'<VRTRasterBand dataType="{TYPES[first.dtype]}" band="1"><NoDataValue>{nodata!r}</NoDataValue>',
        f"<Scale>{first.scale!r}</Scale><Offset>{first.offset!r}</Offset>",
        *(_source(t, west, north, nodata) for t in tiles),
        "</VRTRasterBand></VRTDataset>",
    ]
    target.write_text("\n".join(lines), encoding="utf-8")


def _outside(dtype: str) -> float:
    return (
        rasterio.dtypes.dtype_ranges[dtype][1]
        if dtype.startswith("uint")
        else -32768.0
        if dtype != "int8"
        else -128.0
    )


def _source(tile: Raster, west: float, north: float, nodata: float) -> str:
    col, row = round((tile.bounds[0] - west) / tile.dx), round((north - tile.bounds[3]) / tile.dy)
    size = f'xSize="{tile.width}" ySize="{tile.height}"'
    missing = f"<NODATA>{nodata!r}</NODATA>" if tile.nodata is not None else ""
    return (
        f'<ComplexSource><SourceFilename relativeToVRT="0">{escape(str(tile.path.resolve()))}</SourceFilename>'
        f'<SourceBand>1</SourceBand><SrcRect xOff="0" yOff="0" {size}/>'
        f"<DstRect xOff={quoteattr(str(col))} yOff={quoteattr(str(row))} {size}/>{missing}</ComplexSource>"
    )
