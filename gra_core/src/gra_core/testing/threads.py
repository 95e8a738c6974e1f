"""Work in parts, tested without a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gra_core.parallel import Outcome


class ThreadMapper:
    """A mapper over threads of this process, to be installed with `mapping_with`; `parts` counts what it was given."""

    def __init__(self, workers: int) -> None:
        self.workers, self.parts = workers, 0

    def map(
        self, function: Callable[[Any], Outcome | None], parts: Sequence[Any]
    ) -> Iterator[Outcome | None]:
        self.parts += len(parts)
        with ThreadPoolExecutor(self.workers) as executor:
            yield from executor.map(function, parts)
