"""Rasters by path: metadata at once, cells in windows, always north up and in x, y order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyproj
import rasterio
import shapely
import xarray as xr
from attrs import frozen
from rasterio.errors import RasterioError
from rasterio.windows import Window

from gra_core import ToolError
from gra_geo import antimeridian, sampling
from gra_geo.crs import is_wgs84, name_of, parse_crs, transform
from gra_geo.frames import WGS84

Box = antimeridian.Box


@frozen(kw_only=True, slots=False)
class Raster:
    """One band of a raster file.

    `bounds` are in the raster's own CRS; rows count from the north edge, whatever the file's order is. Cells that the
    file marks as missing (nodata value, mask, NaN) are NaN in every array; scale and offset are applied.
    """

    path: Path
    band: int
    bands: int
    width: int
    height: int
    bounds: Box
    crs: pyproj.CRS | None
    dtype: str
    nodata: float | None = None
    unit: str = ""
    scale: float = 1.0
    offset: float = 0.0
    south_up: bool = False
    masked: bool = False

    @classmethod
    def open(cls, path: Path | str, band: int = 1, *, nodata: float | None = None, crs: Any = None) -> Raster:
        """Read a raster file's metadata. `nodata` and `crs` replace what the file says.

        `ToolError`: ``not_found`` when there is no file, ``bad_argument`` when it is no raster, lacks the band or is rotated.
        """
        path = Path(path)
        if not path.exists():
            missing = FileNotFoundError(f"no file {path}")
            raise ToolError("not_found", f"no raster file {path.name}", hint="check the path") from missing
        try:
            with rasterio.open(path) as data:
                return cls._from_dataset(path, data, band, nodata, crs)
        except RasterioError as error:
            raise ToolError(
                "bad_argument",
                f"{path.name} cannot be read as a raster: {_first_line(error)}",
                hint="expected a GeoTIFF or another GDAL raster",
            ) from error

    @classmethod
    def _from_dataset(cls, path: Path, data: Any, band: int, nodata: float | None, crs: Any) -> Raster:
        if not 1 <= band <= data.count:
            raise ToolError(
                "bad_argument",
                f"{path.name} has {data.count} bands, not a band {band}",
                hint=f"bands: 1 to {data.count}",
            )
        grid = data.transform
        if grid.b or grid.d or grid.a <= 0:
            raise ToolError(
                "bad_argument",
                f"{path.name} is a rotated raster",
                hint="warp it to a grid that runs east and north first",
            )
        west, east = grid.c, grid.c + grid.a * data.width
        ends = sorted((grid.f, grid.f + grid.e * data.height))
        flags = {flag.name for flag in data.mask_flag_enums[band - 1]}
        return cls(
            path=path, band=band, bands=data.count, width=data.width, height=data.height, bounds=(west, ends[0], east, ends[1]),
            crs=parse_crs(crs) if crs else (parse_crs(data.crs.to_wkt()) if data.crs else None), dtype=data.dtypes[band - 1],
            nodata=data.nodata if nodata is None else nodata, unit=data.units[band - 1] or "", scale=data.scales[band - 1],
            offset=data.offsets[band - 1], south_up=grid.e > 0, masked="all_valid" not in flags or nodata is not None,
        )  # fmt: skip

    @property
    def dx(self) -> float:
        """Cell width in units of the CRS."""
        return (self.bounds[2] - self.bounds[0]) / self.width

    @property
    def dy(self) -> float:
        """Cell height in units of the CRS."""
        return (self.bounds[3] - self.bounds[1]) / self.height

    @property
    def scaled(self) -> bool:
        return (self.scale, self.offset) != (1.0, 0.0)

    @property
    def geographic(self) -> bool:
        """Whether cells are steps of longitude and latitude."""
        return self.known_crs.is_geographic

    @property
    def known_crs(self) -> pyproj.CRS:
        """The CRS; `ToolError` when the file has none."""
        if self.crs is None:
            raise ToolError(
                "bad_argument",
                f"{self.path.name} has no known coordinate reference system",
                hint="import it again with crs=… (such as EPSG:4326)",
            )
        return self.crs

    @cached_property
    def around_the_world(self) -> bool:
        """Whether a geographic grid covers all 360 degrees, so that its first and last column touch."""
        return self.geographic and abs(self.bounds[2] - self.bounds[0] - 360.0) < self.dx / 2

    @cached_property
    def bounds_wgs84(self) -> Box:
        """West, south, east, north in EPSG:4326; west > east when the raster crosses the 180th meridian."""
        west, south, east, north = self.bounds
        if self.geographic:
            south, north = max(south, -90.0), min(north, 90.0)
            if east - west >= 360.0 - self.dx / 2:
                return (-180.0, south, 180.0, north)
            wrapped = float(antimeridian.wrap(west)), float(antimeridian.wrap(east))
            return (wrapped[0], south, 180.0 if wrapped[1] == -180.0 else wrapped[1], north)
        edge = shapely.segmentize(shapely.box(*self.bounds), max(east - west, north - south) / 20)
        xy = shapely.get_coordinates(edge)
        lon, lat = transform(xy[:, 0], xy[:, 1], self.known_crs, WGS84)
        return antimeridian.bounds_of([antimeridian.cut(shapely.Polygon(np.column_stack([lon, lat])))])

    @cached_property
    def resolution_m(self) -> float:
        """Height of a cell in metres at the middle of the raster."""
        if not self.geographic:
            return self.dy * self.known_crs.axis_info[0].unit_conversion_factor
        return self.dy * 111_195.0

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """The file held open for reading windows."""
        try:
            with rasterio.open(self.path) as data:
                yield Reader(self, data)
        except RasterioError as error:
            raise ToolError(
                "bad_argument",
                f"{self.path.name} cannot be read: {_first_line(error)}",
                hint="the file may be damaged",
            ) from error

    def read(
        self, row: int = 0, col: int = 0, rows: int | None = None, cols: int | None = None
    ) -> np.ndarray:
        """Cells of a window as float64 (rows from north to south), missing ones NaN."""
        with self.reading() as reader:
            return reader.read(
                row,
                col,
                self.height - row if rows is None else rows,
                self.width - col if cols is None else cols,
            )

    def x_frame(self, lon: Any) -> np.ndarray:
        """Longitudes moved by whole turns into the raster's own range (0 to 360, −180 to 180, or any other)."""
        west = self.bounds[0]
        # Rounding may bring the remainder of a tiny negative number up to a whole turn.
        turned = (np.asarray(lon, float) - west) % 360.0
        return np.where(turned >= 360.0, 0.0, turned) + west

    def to_grid(self, lon: Any, lat: Any) -> tuple[np.ndarray, np.ndarray]:
        """EPSG:4326 coordinates as fractional columns and rows (0 is the outer edge of the first cell)."""
        x, y = np.asarray(lon, float), np.asarray(lat, float)
        if not is_wgs84(self.known_crs):
            x, y = transform(x, y, WGS84, self.known_crs)
        if self.geographic:
            x = self.x_frame(x)
            # The east edge is the west edge of the next turn.
            x = np.where(
                (x == self.bounds[0]) & (np.asarray(lon) > 0) & ~self.around_the_world,
                self._east_if_same(lon, x),
                x,
            )
        return (x - self.bounds[0]) / self.dx, (self.bounds[3] - y) / self.dy

    def _east_if_same(self, lon: Any, x: np.ndarray) -> np.ndarray:
        east = self.bounds[2]
        return np.where(np.isclose((np.asarray(lon, float) - east) % 360.0, 0.0), east, x)

    def sample(self, lon: Any, lat: Any, *, bilinear: bool = False) -> np.ndarray:
        """Values at EPSG:4326 points; NaN outside the raster and where it has no data.

        By default the value of the cell a point lies in; `bilinear` interpolates between the four nearest cell centres
        (falling back to the cell where one of them is missing).
        """
        return sampling.sample(self, lon, lat, bilinear=bilinear)

    def select(self, bounds: Box) -> xr.DataArray:
        """The cells whose centres lie in an EPSG:4326 box (edges included; west > east crosses the 180th meridian).

        Longitudes of the result run from west to east and are continuous; its CRS and nodata are in `attrs`.
        """
        if not self.geographic:
            raise ToolError(
                "bad_argument",
                f"{self.path.name} is in {name_of(self.crs)}, not in longitude/latitude",
                hint="use read with a window",
            )
        return sampling.select(self, bounds)


class Reader:
    """An open raster file."""

    def __init__(self, raster: Raster, data: Any) -> None:
        self.raster, self.data = raster, data

    def raw(self, row: int, col: int, rows: int, cols: int) -> np.ndarray:
        """Cells of a window as stored (a masked array where some are missing), scaled, north up."""
        r = self.raster
        first = r.height - row - rows if r.south_up else row
        values = self.data.read(r.band, window=Window(col, first, cols, rows), masked=r.masked)
        if r.nodata is not None and self.data.nodata != r.nodata:
            values = np.ma.masked_array(
                values, np.ma.getmaskarray(values) | (np.ma.getdata(values) == r.nodata)
            )
        if r.scaled:
            values = values.astype(float) * r.scale + r.offset
        return values[::-1] if r.south_up else values

    def read(self, row: int, col: int, rows: int, cols: int) -> np.ndarray:
        """Cells of a window as float64, missing ones NaN."""
        values = self.raw(row, col, rows, cols)
        return (
            np.ma.filled(values.astype(float), np.nan)
            if np.ma.isMaskedArray(values)
            else values.astype(float)
        )


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
