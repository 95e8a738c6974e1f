"""Work shared among threads, where the first error ends it and Ctrl-C ends it at once."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def share_out(
    items: Iterable[T],
    function: Callable[[T], R | None],
    done: Callable[[R], None],
    *,
    stop: threading.Event,
    concurrency: int = 1,
    name: str = "work",
) -> None:
    """Call `function` for each item until `stop` is set, `done` (one at a time) for each result that is not None.

    Workers are daemons: what hangs in a C call cannot keep the process from ending. The first error is raised here.
    """
    waiting: queue.SimpleQueue[T] = queue.SimpleQueue()
    for item in items:
        waiting.put(item)
    lock = threading.Lock()
    errors: list[BaseException] = []

    def work() -> None:
        while not stop.is_set():
            try:
                item = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                result = function(item)
                if result is not None:
                    with lock:
                        done(result)
            except BaseException as error:  # handed to the caller's thread
                errors.append(error)
                stop.set()
                return

    workers = [
        threading.Thread(target=work, daemon=True, name=f"gra-{name}-{n}") for n in range(max(1, concurrency))
    ]
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            while worker.is_alive():
                worker.join(0.2)
    except KeyboardInterrupt:
        stop.set()
        raise
    if errors:
        raise errors[0]
