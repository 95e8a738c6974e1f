"""Parts of tools' work (`gra_core.parallel`) on the dask.distributed cluster that the trials run on.

Only imported when a scheduler is given: `distributed` is the extra ``dask`` of this package. Scheduler and workers need
the same packages as this process. Parts and values travel pickled; large data is passed by path.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from distributed import Client, Future, TimeoutError, Worker

from gra_core.parallel import Outcome, mapping_with

# For `dask.config.set` where worker processes are started. dask has them give freed memory back at once, and makes them
# ask the system for every array anew: raster work then takes twice the processor time (measured, glibc).
WORKERS_KEEP_MEMORY = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 256 * 2**20,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 32 * 2**20,
}
# Seconds after which a wait looks whether the cluster still has a worker.
LOOK_S = 5.0
# Parts go before trials that have not started: somebody waits for them.
PRIORITY = 10


class ClusterMapper:
    """Maps parts over the workers of a cluster, from a task on one of its workers or from a client's process.

    A tool's code runs in other threads than the task it belongs to, so the worker is given by itself: what dask keeps by
    thread does not reach there. Once closed, parts under way are cancelled, and whoever waits for them gets a
    RuntimeError: that is a call that the trial has given up on.
    """

    def __init__(self, home: Worker | Client) -> None:
        self.home = home
        self._lock = threading.Lock()
        self._waited_for: dict[Any, Future] = {}
        self._closed = False

    @property
    def client(self) -> Client:
        return self.home.client if isinstance(self.home, Worker) else self.home

    @property
    def workers(self) -> int:
        """Threads of all workers; 0 when the scheduler does not answer."""
        try:
            return sum(self.client.nthreads().values())
        except OSError:  # dask's timeouts and broken connections are such
            return 0

    def map(
        self, function: Callable[[Any], Outcome | None], parts: Sequence[Any]
    ) -> Iterator[Outcome | None]:
        """See `gra_core.parallel.Mapper`."""
        futures = self._submit(function, parts)
        try:
            for position, future in enumerate(futures):
                yield self._outcome(future)
                futures[position] = None  # frees the value on the cluster
        finally:
            with self._lock:
                for key in [f.key for f in futures if f is not None]:
                    self._waited_for.pop(key, None)

    def _submit(self, function: Callable[[Any], Outcome | None], parts: Sequence[Any]) -> list[Any]:
        with self._lock:
            self._refuse_when_closed()
            try:
                futures = self.client.map(function, parts, pure=False, priority=PRIORITY, key="gra-part")
            except OSError:
                return [None] * len(parts)
            self._waited_for |= {f.key: f for f in futures}
            return futures

    def _outcome(self, future: Future | None) -> Outcome | None:
        """None whenever the cluster has lost a part: errors of the part itself are in its outcome."""
        if future is None or not self._settled(future):
            return None
        try:
            return future.result()
        except Exception:
            self._refuse_when_closed()
            return None

    def _settled(self, future: Future) -> bool:
        """Wait for a part; False when no worker is left to do it."""
        while True:
            try:
                future.exception(timeout=LOOK_S)
                return True
            except TimeoutError:
                if not self.workers:
                    return False

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise RuntimeError("the trial that this work belongs to is over")

    def close(self) -> None:
        """Cancel what is under way."""
        with self._lock:
            self._closed = True
            left = list(self._waited_for.values())
            self._waited_for.clear()
        if left:
            self.client.cancel(left, asynchronous=False)


@contextmanager
def mapping_on(home: Worker | Client) -> Iterator[None]:
    """Send parts of tools' work to the cluster of a worker or client inside the block."""
    mapper = ClusterMapper(home)
    try:
        with mapping_with(mapper):
            yield
    finally:
        mapper.close()
