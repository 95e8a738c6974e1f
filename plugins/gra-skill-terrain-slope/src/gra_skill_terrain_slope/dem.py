"""The elevation model that a call uses: the finest that covers everything asked about, so that results compare."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from attrs import evolve, frozen

from gra_core import ToolContext, ToolError
from gra_geo import antimeridian
from gra_geo.raster import Raster

FEET = 0.3048


@frozen(kw_only=True)
class Dem:
    """An elevation model: its raster in metres, and what the source says of it."""

    raster: Raster
    name: str
    resolution_m: float
    title: str = ""
    licence: str = ""

    def facts(self) -> dict[str, Any]:
        """What a reply says about it."""
        known = {"name": self.name, "title": self.title, "cell_m": self.resolution_m, "licence": self.licence}
        return {k: v for k, v in known.items() if v}


def choose(ctx: ToolContext, shapes: np.ndarray, wanted: str, notes: list[str]) -> Dem:
    """The elevation model `wanted` by name or reference, else the finest one that covers all shapes (EPSG:4326), else the
    one that covers most of them."""
    if wanted.startswith("ds:"):
        return _from_dataset(ctx, wanted)
    entries = ctx.source("elevation").rasters()
    if wanted:
        named = [e for e in entries if e["name"] == wanted]
        if not named:
            raise ToolError(
                "not_found",
                f"no elevation model {wanted!r}",
                hint=f"there are {', '.join(e['name'] for e in entries)}",
            )
        return _open(named[0])
    counts = [_covered(entry, shapes) for entry in entries]
    best = int(np.argmax(counts))
    if counts[best] == 0:
        best = _nearest(entries, shapes)
    for entry, count in zip(entries[:best], counts[:best], strict=True):
        if count:
            notes.append(
                f"the finer model {entry['name']} ({entry['resolution_m']:g} m) covers only {count} of {len(shapes)} features and was not used"
            )
    return _open(entries[best])


def _open(entry: dict[str, Any]) -> Dem:
    raster = Raster.open(entry["path"], nodata=entry.get("nodata"), crs=entry.get("crs"))
    if entry.get("unit", "m") == "ft":
        raster = evolve(raster, scale=raster.scale * FEET, offset=raster.offset * FEET)
    return Dem(
        raster=raster, name=entry["name"], resolution_m=float(entry["resolution_m"]), title=str(entry.get("title") or ""),
        licence=str(entry.get("licence") or ""),
    )  # fmt: skip


def _from_dataset(ctx: ToolContext, ref: str) -> Dem:
    raster = ctx.load(ref)
    if not isinstance(raster, Raster):
        raise ToolError(
            "bad_argument",
            f"{ref} is not a raster but {type(raster).__name__}",
            hint="give an elevation raster in metres",
        )
    raster.known_crs  # noqa: B018 - refuses a raster that is nowhere
    return Dem(raster=raster, name=ref, resolution_m=round(raster.resolution_m, 1))


def _box(entry: dict[str, Any]) -> shapely.Geometry:
    west, south, east, north = entry["bounds"]
    # Grids whose outer cells are centred on the poles or on the date line end half a cell outside.
    return antimeridian.box(
        west - 1e-6 if west <= east else west,
        south - 1e-6,
        east + 1e-6 if west <= east else east,
        north + 1e-6,
    )


def _covered(entry: dict[str, Any], shapes: np.ndarray) -> int:
    return int(shapely.covers(_box(entry), shapes).sum())


def _nearest(entries: list[dict[str, Any]], shapes: np.ndarray) -> int:
    """The model that holds the largest part of the shapes when none covers one whole."""
    whole = shapely.union_all(shapely.envelope(shapes))
    shares = [shapely.intersection(_box(e), whole) for e in entries]
    sizes = [s.area or s.length or float(not s.is_empty) for s in shares]
    return int(np.argmax(sizes))
