"""Source ``elevation``/``geotiff``: elevation models in GeoTIFF files named by path.

Settings: `path` (a file, a folder, or a list of them; folders are searched through), `crs` and `nodata` (where the files do
not say), `unit` (``m`` or ``ft``), `licence`, `attribution`.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gra_core import SourceSettings, ToolError
from gra_geo.crs import name_of
from gra_geo.frames import plain
from gra_geo.raster import Raster
from gra_skill_terrain_slope.sources.mosaic import write_mosaic

SUFFIXES = (".tif", ".tiff", ".vrt")
UNITS = {"m": 1.0, "ft": 0.3048}


class GeoTiffElevation:
    """Elevation rasters from files; see `gra_geo.protocols.ElevationSource`."""

    def __init__(self, settings: SourceSettings) -> None:
        self.settings = settings
        self.unit = str(settings.get("unit") or "m")
        if self.unit not in UNITS:
            raise ToolError(
                "not_available",
                f"source geotiff: unit {self.unit!r} is not known",
                hint=f"set unit to one of {', '.join(UNITS)}",
            )
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._found: list[dict[str, Any]] | None = None

    def rasters(self) -> list[dict[str, Any]]:
        """The rasters, finest first: name, path, crs, bounds, resolution_m, nodata, unit (``m`` or ``ft``), licence.

        Files of one grid (same CRS, cell size, data type and nodata) are one raster. `ToolError` names what is wrong.
        """
        if self._found is None:
            rasters = [self._joined(group) for group in _by_grid(self._open(f) for f in self._files())]
            self._found = sorted(
                (self._entry(r) for r in rasters), key=lambda e: (e["resolution_m"], e["name"])
            )
        return [dict(entry) for entry in self._found]

    def _files(self) -> list[Path]:
        given = self.settings.get("path")
        files: list[Path] = []
        for path in (Path(p).expanduser() for p in (given if isinstance(given, (list, tuple)) else [given])):
            if path.is_dir():
                files += sorted(p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES)
            elif path.is_file():
                files.append(path)
            else:
                raise ToolError(
                    "not_available",
                    f"source geotiff: there is no file or folder {path}",
                    hint="correct [sources.geotiff] path",
                )
        if not files:
            raise ToolError(
                "not_available",
                f"source geotiff: no GeoTIFF file in {given}",
                hint=f"expected files ending in {', '.join(SUFFIXES)}",
            )
        return files

    def _open(self, file: Path) -> Raster:
        raster = Raster.open(file, nodata=self.settings.get("nodata"), crs=self.settings.get("crs"))
        if raster.crs is None:
            raise ToolError(
                "not_available",
                f"source geotiff: {file.name} has no coordinate reference system",
                hint="set [sources.geotiff] crs, such as EPSG:4326",
            )
        return raster

    def _joined(self, group: list[Raster]) -> Raster:
        if len(group) == 1:
            return group[0]
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="gra-elevation-")
        number = len(list(Path(self._folder.name).iterdir())) + 1
        target = Path(self._folder.name) / f"{group[0].path.parent.name or 'tiles'}-{number}.vrt"
        write_mosaic(group, target)
        return Raster.open(target)

    def _entry(self, raster: Raster) -> dict[str, Any]:
        return {
            "name": raster.path.stem, "path": str(raster.path), "crs": name_of(raster.crs), "bounds": plain(list(raster.bounds_wgs84)),
            "resolution_m": round(raster.resolution_m, 3), "nodata": plain(raster.nodata), "unit": self.unit,
            "title": raster.path.name, "licence": str(self.settings.get("licence") or ""), "attribution": str(self.settings.get("attribution") or ""),
        }  # fmt: skip


def _by_grid(rasters: Iterable[Raster]) -> list[list[Raster]]:
    """Rasters that are tiles of one grid, together."""
    groups: dict[Any, list[Raster]] = defaultdict(list)
    for raster in rasters:
        size = (round(raster.dx, 12), round(raster.dy, 12))
        alone = None if raster.bands == 1 and not raster.south_up else raster.path
        groups[
            name_of(raster.crs), size, raster.dtype, raster.nodata, raster.scale, raster.offset, alone
        ].append(raster)
    return [part for group in groups.values() for part in _aligned(group)]


def _aligned(group: list[Raster]) -> list[list[Raster]]:
    """Tiles whose cells lie on the same lattice, to a hundredth of a cell."""
    first = group[0]
    same: list[Raster] = []
    rest: list[Raster] = []
    for raster in group:
        steps = (
            (raster.bounds[0] - first.bounds[0]) / first.dx,
            (raster.bounds[3] - first.bounds[3]) / first.dy,
        )
        (same if all(abs(s - round(s)) < 0.01 for s in steps) else rest).append(raster)
    return [same, *(_aligned(rest) if rest else [])]
