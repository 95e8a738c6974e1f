"""Which worker of a cluster carries out which trial."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

# A trial that has lost so many workers runs alone on one: if that dies, too, no other trial is to blame or to suffer.
ALONE_AFTER = 2
LOOK_S = 2.0


class Places:
    """Places trials on workers. Trials free their workers' threads at once, so only we know how many are where.

    `threads` gives the threads of each worker by its address; it is asked again while there is no place, and ends that by
    raising an error.
    """

    def __init__(self, threads: Callable[[], Mapping[str, int]]) -> None:
        self._threads = threads
        self._busy: Counter[str] = Counter()
        self._claimed: set[str] = set()
        self._losses: Counter[str] = Counter()
        self._changed = threading.Condition()

    def lost(self, trial: str) -> None:
        """A worker died while a trial was on it."""
        self._losses[trial] += 1

    @contextlib.contextmanager
    def place(self, trial: str) -> Iterator[str]:
        """The worker with the fewest trials for its threads; without any other trial for one that may kill workers."""
        alone = self._losses[trial] >= ALONE_AFTER
        worker = self._enter(claim=alone)
        while alone and not self._left_alone(worker):  # that worker is gone
            self._leave(worker)
            worker = self._enter(claim=True)
        try:
            yield worker
        finally:
            self._leave(worker)

    def _enter(self, *, claim: bool) -> str:
        while True:
            threads = self._threads()
            with self._changed:
                if free := threads.keys() - self._claimed:
                    worker = min(free, key=lambda w: (self._busy[w] / max(1, threads[w]), w))
                    self._busy[worker] += 1
                    if claim:
                        self._claimed.add(worker)
                    return worker
                self._changed.wait(LOOK_S)

    def _left_alone(self, worker: str) -> bool:
        """Wait until no other trial is on a worker; False when there is no such worker any more."""
        while worker in self._threads():
            with self._changed:
                if self._busy[worker] == 1:
                    return True
                self._changed.wait(LOOK_S)
        return False

    def _leave(self, worker: str) -> None:
        with self._changed:
            self._busy[worker] -= 1
            # Who has claimed a worker is the last on it; others are there only before, and leave it claimed.
            if self._busy[worker] == 0:
                self._claimed.discard(worker)
            self._changed.notify_all()
