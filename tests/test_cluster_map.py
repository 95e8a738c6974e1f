"""Parts of tools' work on a real cluster: the same results, from other processes, whatever happens to these."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask
import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import rasterio
import shapely
from distributed import Client, LocalCluster

from gra_bench.cluster_map import ClusterMapper, mapping_on
from gra_core import Clock, LimitExceeded, ToolError, map_parts, mapping_with, part_count

sys.path.insert(0, str(Path(__file__).parent))
import cluster_parts as jobs


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], LocalCluster]:
    """Start a cluster of two processes with a thread each."""

    def make() -> LocalCluster:
        return LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50,
            local_directory=str(tmp_path_factory.mktemp("dask")),
        )  # fmt: skip

    return make


@pytest.fixture(scope="module")
def client(start: Callable[[], LocalCluster]) -> Iterator[Client]:
    with start() as cluster, Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def own_client(start: Callable[[], LocalCluster]) -> Iterator[Client]:
    """A cluster for one test, which gives a part up once a worker has died of it."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        start() as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def synthetic(folder: Path, side: int = 300) -> tuple[Path, gpd.GeoDataFrame]:
    """A random raster and zones that cover it."""
    random = np.random.default_rng(0)
    path = folder / "synthetic.tif"
    grid = rasterio.transform.from_origin(10.0, 60.0, 0.01, 0.01)
    with rasterio.open(
        path, "w", driver="GTiff", height=side, width=side, count=1, dtype="float32", crs="EPSG:4326", transform=grid
    ) as target:  # fmt: skip
        target.write(random.random((1, side, side), dtype="float32"))
    seeds = random.uniform(0, side / 100, (60, 2)) * (1, -1) + (10, 60)
    zones = shapely.get_parts(shapely.voronoi_polygons(shapely.multipoints(seeds)))
    return path, gpd.GeoDataFrame(geometry=zones, crs="EPSG:4326")


STATS = ["mean", "sum", "max", "median", "stdev"]


def test_zonal_statistics_from_a_client_are_the_serial_ones(client: Client, tmp_path: Path) -> None:
    path, zones = synthetic(tmp_path)
    whole = jobs.statistics(str(path), zones, STATS)
    with mapping_on(client):
        assert part_count() == 6
        pd.testing.assert_frame_equal(jobs.statistics(str(path), zones, STATS), whole, check_exact=True)


def test_parts_run_in_other_processes(client: Client) -> None:
    with mapping_on(client):
        found = jobs.pids(6)
    assert set(found) == set(client.run(os.getpid).values()) and os.getpid() not in found


def test_a_trial_on_a_worker_uses_the_others_too(client: Client, tmp_path: Path) -> None:
    workers = set(client.run(os.getpid).values())
    home, found = client.submit(jobs.as_a_trial, jobs.pids, 6, pure=False).result(timeout=120)
    assert home in workers and set(found) == workers
    assert client.run(part_count) == dict.fromkeys(client.nthreads(), 1)  # nothing is left installed there


def test_as_many_trials_as_workers_do_not_wait_for_each_other(client: Client) -> None:
    trials = [client.submit(jobs.as_a_trial, jobs.pids, 3, pure=False) for _ in range(4)]
    assert all(len(found) == 3 for _, found in client.gather(trials))


def test_zonal_statistics_in_a_trial_on_a_worker(client: Client, tmp_path: Path) -> None:
    path, zones = synthetic(tmp_path)
    _, table = client.submit(jobs.as_a_trial, jobs.statistics, str(path), zones, STATS, pure=False).result(
        timeout=120
    )
    pd.testing.assert_frame_equal(table, jobs.statistics(str(path), zones, STATS), check_exact=True)


def test_errors_keep_their_kind(client: Client) -> None:
    with mapping_on(client), pytest.raises(ToolError, match="part 1") as raised:
        map_parts(jobs.refuse, [1, 2])
    assert (raised.value.kind, raised.value.hint) == ("quota", "wait")


def test_files_that_only_this_process_sees_are_read_here(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, zones = synthetic(tmp_path)
    whole = jobs.statistics(str(path), zones, STATS)
    (tmp_path / "note.txt").write_text("here")
    monkeypatch.chdir(tmp_path)  # the workers stay where they were started
    with mapping_on(client):
        assert map_parts(jobs.read_relative, ["note.txt"] * 2) == [(os.getpid(), "here")] * 2
        pd.testing.assert_frame_equal(jobs.statistics(path.name, zones, STATS), whole, check_exact=True)


def test_a_worker_killed_in_the_middle_changes_nothing(
    start: Callable[[], LocalCluster], tmp_path: Path
) -> None:
    with start() as cluster, Client(cluster, set_as_default=False) as client, mapping_on(client):
        found = map_parts(jobs.die_once, [str(tmp_path / "died")] * 6)
    assert (tmp_path / "died").exists() and len(found) == 6


def test_a_part_that_workers_die_of_is_done_here(own_client: Client) -> None:
    with mapping_on(own_client):
        assert map_parts(jobs.die_elsewhere, [os.getpid()] * 2) == [os.getpid()] * 2


def test_a_cluster_that_goes_away(start: Callable[[], LocalCluster], tmp_path: Path) -> None:
    marker = tmp_path / "go"
    cluster = start()
    with Client(cluster, set_as_default=False) as client, mapping_on(client):
        found: list[Any] = []
        context = threading.Thread(target=run_with, args=(ClusterMapper(client), marker, found))
        context.start()
        until(lambda: Path(f"{marker}-started").exists())
        cluster.close()
        marker.touch()
        context.join(120)
    assert found == [os.getpid()] * 2


def run_with(mapper: ClusterMapper, marker: Path, found: list[Any]) -> None:
    with mapping_with(mapper):
        found.extend(map_parts(jobs.wait_for, [str(marker)] * 2))


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.02)


def test_what_a_trial_has_given_up_on_is_cancelled_with_its_end(client: Client, tmp_path: Path) -> None:
    marker = tmp_path / "go"
    clock = Clock(1.0)
    with mapping_on(client), pytest.raises(LimitExceeded):
        clock.run(lambda: map_parts(jobs.wait_for, [str(marker)] * 20))
    until(lambda: not client.run_on_scheduler(parts_known))
    marker.touch()
    with mapping_on(client):
        assert len(jobs.pids(4)) == 4


def parts_known(dask_scheduler: Any) -> int:
    return sum("gra-part" in str(key) for key in dask_scheduler.tasks)


def test_a_closed_mapper_does_nothing(client: Client) -> None:
    mapper = ClusterMapper(client)
    mapper.close()
    with mapping_with(mapper), pytest.raises(RuntimeError, match="is over"):
        map_parts(jobs.process_of, range(2))
