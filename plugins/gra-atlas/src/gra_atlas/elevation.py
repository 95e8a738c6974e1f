"""Source ``elevation``/``atlas``: the rasters of the atlas."""

from __future__ import annotations

from typing import Any

from gra_atlas.files import Once, data_file, entries

NAMES = ("dem_jacksboro", "dem_alps", "dem_himalaya", "elevation")  # finest first
METRES_PER_DEGREE = 111_320.0  # of latitude, about


def _describe(name: str) -> dict[str, Any]:
    import rasterio

    path = data_file(f"{name}.tif")
    with rasterio.open(path) as raster:
        facts = {
            "crs": "EPSG:4326", "bounds": [float(b) for b in raster.bounds], "nodata": float(raster.nodata),
            "resolution_m": round(abs(raster.transform.e) * METRES_PER_DEGREE, 1), "unit": "m",
        }  # fmt: skip
    entry = entries()[path.name]
    about = {key: entry[key] for key in ("title", "source", "licence", "attribution", "period", "notes")}
    return {"name": name, "path": str(path), **facts, **about}


rasters = Once(lambda: [_describe(name) for name in NAMES])


class AtlasElevation:
    """Land elevation in metres; see `gra_geo.protocols`. Sea and missing cells are nodata."""

    def __init__(self, settings: Any = None) -> None:
        """`settings` (`gra_core.SourceSettings`) has nothing to set."""

    def rasters(self) -> list[dict[str, Any]]:
        """The rasters, finest first; the global one comes last. Beside the protocol: title, source, licence."""
        return [dict(raster) for raster in rasters()]
