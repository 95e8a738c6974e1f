"""Zonal means of a 10,000 × 10,000 float raster over 3,000 polygons, against exactextract called directly.

Goals: at most 10 % slower, in memory that does not grow with the raster. Each measurement is a process of its own, ours and
direct in turns; the means must be the same. The raster and the polygons are synthetic (a seeded random field, Voronoi cells).
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import geopandas as gpd
import numpy as np
import rasterio
import shapely

SIDE, ZONES, CELL, ROUNDS = 10_000, 3_000, 30.0, 3
LAYOUTS = {"tiles": {"tiled": True, "blockxsize": 256, "blockysize": 256}, "strips": {"tiled": False}}
CRS = "EPSG:32633"
WEST, NORTH = 350_000.0, 5_600_000.0


def make(folder: Path) -> None:
    """The raster in each layout, and the polygons."""
    grid = rasterio.transform.from_origin(WEST, NORTH, CELL, CELL)
    for name, layout in LAYOUTS.items():
        random = np.random.default_rng(0)
        profile = {
            "width": SIDE,
            "height": SIDE,
            "count": 1,
            "dtype": "float32",
            "crs": CRS,
            "transform": grid,
        }
        with rasterio.open(folder / f"{name}.tif", "w", driver="GTiff", **profile, **layout) as target:
            for row in range(0, SIDE, 512):
                rows = min(512, SIDE - row)
                block = random.random((1, rows, SIDE), dtype="float32")
                target.write(block, window=rasterio.windows.Window(0, row, SIDE, rows))
    box = shapely.box(WEST, NORTH - SIDE * CELL, WEST + SIDE * CELL, NORTH)
    seeds = np.random.default_rng(1).uniform(0, SIDE * CELL, (ZONES, 2)) + np.array(
        [WEST, NORTH - SIDE * CELL]
    )
    cells = shapely.get_parts(shapely.voronoi_polygons(shapely.multipoints(seeds), extend_to=box))
    zones = shapely.segmentize(shapely.intersection(cells, box), 600)
    gpd.GeoDataFrame({"zone": range(len(zones))}, geometry=zones, crs=CRS).to_parquet(
        folder / "zones.parquet"
    )


def peak_mb() -> float:
    """Peak memory of this process alone (getrusage carries the parent's over on Linux)."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(
            float(line.split()[1]) / 1024
            for line in status.read_text().splitlines()
            if line.startswith("VmHWM")
        )
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(way: str, folder: Path, layout: str) -> None:
    """One measurement; prints CPU seconds, peak memory above the start, and the means."""
    zones, raster = gpd.read_parquet(folder / "zones.parquet"), folder / f"{layout}.tif"
    if way == "direct":
        from exactextract import exact_extract
    else:
        from gra_geo.raster import Raster
        from gra_geo.zonal import zonal_stats
    before, started = peak_mb(), time.process_time()
    if way == "direct":
        means = exact_extract(str(raster), zones, ["mean"], output="pandas")["mean"]
    else:
        means = zonal_stats(Raster.open(raster), zones, ["mean"])["mean"]
    seconds = time.process_time() - started
    print(json.dumps({"seconds": seconds, "mb": peak_mb() - before, "means": list(means)}))


def child(way: str, folder: Path, layout: str) -> dict:
    command = [sys.executable, __file__, way, str(folder), layout]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder)
        size = SIDE * SIDE * 4 / 2**20
        for layout in LAYOUTS:
            pairs = [(child("ours", folder, layout), child("direct", folder, layout)) for _ in range(ROUNDS)]
            assert all(np.allclose(a["means"], b["means"], rtol=1e-9) for a, b in pairs)
            ratios = [a["seconds"] / b["seconds"] for a, b in pairs]
            ours, direct = (max(p[i]["mb"] for p in pairs) for i in (0, 1))
            print(
                f"zonal means, {layout}: ours / direct {statistics.median(ratios):.2f} of CPU time (goal: at most 1.10), "
                f"range {min(ratios):.2f} to {max(ratios):.2f}; memory grows by {ours:.0f} MB, direct by {direct:.0f} MB "
                f"(the raster is {size:.0f} MB)"
            )


if __name__ == "__main__":
    if len(sys.argv) == 4:
        measure(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
    else:
        main()
