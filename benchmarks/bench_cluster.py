"""A cluster of two processes against one process: trials that do nothing, and statistics of a 6,000 × 6,000 raster.

Trials a second of `gra-bench run` on 300 trivial trials, from the first to start to the last to end: what it costs that workers
ask the run's process for every turn and event. Then zonal and slope statistics, serial and in parts in turns, in one run; the
results must be the same to the last bit. No goals: what is gained depends on the machine's cores and on what else they do.
Queries, raster and polygons are synthetic.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import dask
import geopandas as gpd
import numpy as np
import pandas as pd
import rasterio
import shapely
from distributed import Client, LocalCluster

sys.path.insert(0, str(Path(__file__).parent))
from peer.process import run
from peer.sides import plugin_path

from gra_bench.cluster_map import WORKERS_KEEP_MEMORY, mapping_on
from gra_geo.raster import Raster
from gra_geo.zonal import zonal_stats
from gra_skill_terrain_slope.slope import Slope

TRIALS = 300
SIDE, ZONES, CELL, ROUNDS = 6_000, 1_000, 30.0, 3
CRS, WEST, NORTH = "EPSG:32633", 350_000.0, 5_600_000.0


def make(folder: Path) -> tuple[Raster, gpd.GeoDataFrame, gpd.GeoDataFrame]:
    """The raster, many zones that cover it, and one."""
    grid = rasterio.transform.from_origin(WEST, NORTH, CELL, CELL)
    random = np.random.default_rng(0)
    with rasterio.open(
        folder / "synthetic.tif", "w", driver="GTiff", width=SIDE, height=SIDE, count=1, dtype="int16", crs=CRS, transform=grid,
        tiled=True, blockxsize=256, blockysize=256, compress="deflate",
    ) as target:  # fmt: skip
        heights = np.cumsum(random.integers(-3, 4, (SIDE, SIDE), dtype="int16"), axis=1, dtype="int16")
        target.write(heights[None])
    box = shapely.box(WEST, NORTH - SIDE * CELL, WEST + SIDE * CELL, NORTH)
    seeds = np.array([WEST, NORTH - SIDE * CELL]) + random.uniform(0, SIDE * CELL, (ZONES, 2))
    cells = shapely.get_parts(shapely.voronoi_polygons(shapely.multipoints(seeds), extend_to=box))
    many = gpd.GeoDataFrame(geometry=shapely.intersection(cells, box), crs=CRS)
    return Raster.open(folder / "synthetic.tif"), many, gpd.GeoDataFrame(geometry=[box], crs=CRS)


def timed(work: Callable[[], pd.DataFrame], client: Client) -> tuple[np.ndarray, pd.DataFrame]:
    """Seconds elapsed and processor seconds of all processes, and the result."""
    started = spent(client)
    table = work()
    return spent(client) - started, table


def spent(client: Client) -> np.ndarray:
    workers = sum(client.run(time.process_time).values())
    return np.array([time.perf_counter(), time.process_time() + workers])


def trials_a_second(folder: Path, *more: str) -> float:
    """Run the trivial trials and read from the event log how long they took."""
    environment = os.environ | {"PYTHONPATH": plugin_path(folder)}
    command = [
        sys.executable,
        "-m",
        "gra_bench.cli",
        "run",
        "-b",
        "trivial",
        "-c",
        "llm",
        "-m",
        "canned",
        "--limit",
        str(TRIALS),
    ]
    runs = folder / "-".join(["run", *more])
    run([*command, "--run-dir", str(runs), *more], env=environment, cwd=folder)
    times = [dt.datetime.fromisoformat(json.loads(line)["at"]) for line in (runs / "events.jsonl").open()]
    return TRIALS / (max(times) - min(times)).total_seconds()


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        here, there = (trials_a_second(Path(name), *more) for more in ((), ("--scheduler", "local:2")))
    print(f"{TRIALS} trivial trials, 8 at a time: {here:.0f} a second here, {there:.0f} on local:2")
    raster_work()


def raster_work() -> None:
    with (
        tempfile.TemporaryDirectory() as name,
        dask.config.set(WORKERS_KEEP_MEMORY),
        LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, local_directory=name
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        raster, many, one = make(Path(name))
        slope = Slope.of(raster, "percent")
        jobs = {
            f"means of {ZONES:,} zones": lambda: zonal_stats(raster, many, ["mean"]),
            f"mean slopes of {ZONES:,} zones": lambda: zonal_stats(slope, many, ["mean"]),
            "mean of one zone": lambda: zonal_stats(raster, one, ["mean"]),
            "mean slope of one zone": lambda: zonal_stats(slope, one, ["mean"]),
        }
        with mapping_on(client):
            jobs[f"mean slopes of {ZONES:,} zones"]()  # the workers import what they need
        print(f"{SIDE:,} × {SIDE:,} cells, two worker processes, {os.cpu_count()} cores: parts / serial")
        for title, job in jobs.items():
            ratios = []
            for _ in range(ROUNDS):
                serial, whole = timed(job, client)
                with mapping_on(client):
                    parallel, table = timed(job, client)
                pd.testing.assert_frame_equal(table, whole, check_exact=True)
                ratios.append(parallel / serial)
            (low, cpu_low), (middle, cpu), (high, cpu_high) = (
                f(ratios, axis=0) for f in (np.min, np.median, np.max)
            )
            print(
                f"{title}: {middle:.2f} of the elapsed time ({low:.2f} to {high:.2f}), "
                f"{cpu:.2f} of the processor time ({cpu_low:.2f} to {cpu_high:.2f})"
            )


if __name__ == "__main__":
    main()
