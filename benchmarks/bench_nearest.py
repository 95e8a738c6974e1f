"""Nearest and farthest of the US counties to 30,000 cities, against a Python loop over `pyproj.Geod.inv`.

Goals: at least 20 times as fast, under 500 MB at peak. The loop is timed over a part of the counties, in turns with ours, and
scaled up; the answers over that part must be the same.
"""

from __future__ import annotations

import resource
import statistics
import time

import numpy as np

from gra_core import Registry, Sources
from gra_geo.frames import points_frame
from gra_geo.geodesy import GEOD, centroids, farthest, nearest

CITIES, ROUNDS, LOOPED = 30_000, 3, 4


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def data() -> tuple[np.ndarray, np.ndarray]:
    """Longitude and latitude of the counties' centroids and of the most populous cities."""
    sources = Sources(Registry.load())
    counties = sources.open("boundaries").children(parent_id="country/USA", level="county")
    cities = points_frame(sources.open("places").search(types=["city"], limit=CITIES))
    middles = centroids(counties.geometry)
    return np.array([[p.x, p.y] for p in middles]), np.column_stack([cities["lon"], cities["lat"]])


def loop(counties: np.ndarray, cities: np.ndarray, better: float) -> list[int]:
    """The plain way: every pair, one call each."""
    answers = []
    for lon, lat in counties:
        best, which = -np.inf, -1
        for row, (x, y) in enumerate(cities):
            metres = better * GEOD.inv(lon, lat, x, y)[2]
            if metres > best:
                best, which = metres, row
        answers.append(which)
    return answers


def main() -> None:
    counties, cities = data()
    print(f"{len(counties):,} counties to {len(cities):,} cities; {peak_mb():.0f} MB with the data read")
    for name, find, better in (("nearest", nearest, -1.0), ("farthest", farthest, 1.0)):
        times, ratios = [], []
        for turn in range(ROUNDS):
            started = time.process_time()
            found = find(counties, cities)
            times.append(time.process_time() - started)
            if turn == 0:
                print(f"{name}: peak {peak_mb():.0f} MB (goal: under 500)")
            part = counties[turn * LOOPED : (turn + 1) * LOOPED]
            started = time.process_time()
            answers = loop(part, cities, better)
            ratios.append((time.process_time() - started) / LOOPED * len(counties) / times[-1])
            assert answers == list(found.index[turn * LOOPED : (turn + 1) * LOOPED, 0])
        print(
            f"{name}: {statistics.median(ratios):,.0f} times as fast as the loop (goal: at least 20), "
            f"range {min(ratios):,.0f} to {max(ratios):,.0f}; {statistics.median(times):.2f} s of CPU"
        )


if __name__ == "__main__":
    main()
