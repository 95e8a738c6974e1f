"""Work in parts: order, errors, what is done here after all, and where an installed mapper reaches."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from os import getpid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import Clock, LimitExceeded, ToolError, UnknownName, map_parts, mapping_with, part_count

sys.path.insert(0, str(Path(__file__).parent))
from parallel_parts import (
    Particular,
    fail_particularly,
    only_in,
    parts_of_a_part,
    process_of,
    raise_it,
    square,
)


class Pool:
    """A mapper over an executor that loses the parts at `lost`."""

    def __init__(self, executor: Any, workers: int = 2, lost: Sequence[int] = ()) -> None:
        self.executor, self.workers, self.lost = executor, workers, lost

    def map(self, function: Callable[[Any], Any], parts: Sequence[Any]) -> Iterator[Any]:
        futures = [self.executor.submit(function, part) for part in parts]
        for position, future in enumerate(futures):
            yield None if position in self.lost else future.result()


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        yield executor


@given(st.lists(st.integers(), max_size=20), st.sets(st.integers(0, 20)))
def test_values_come_in_order_whatever_is_lost(parts: list[int], lost: set[int]) -> None:
    with ThreadPoolExecutor(3) as executor, mapping_with(Pool(executor, lost=sorted(lost))):
        assert map_parts(square, parts) == [n * n for n in parts]


def test_without_a_mapper_work_is_done_here_in_one_part() -> None:
    assert part_count() == 1
    assert map_parts(process_of, range(3)) == [getpid()] * 3
    with pytest.raises(Particular):
        map_parts(raise_it, [Particular("a", 1)])


def test_parts_run_elsewhere_and_lost_ones_here(processes: ProcessPoolExecutor) -> None:
    with mapping_with(Pool(processes, lost=[1])):
        pids = map_parts(process_of, range(3))
    assert pids[1] == getpid() and getpid() not in (pids[0], pids[2])


@pytest.mark.parametrize(
    "error",
    [
        ToolError("quota", "used up", hint="wait"),
        LimitExceeded("tokens", 3, 5),
        UnknownName("tool", "sume", ["sum"]),
        ValueError("no"),
    ],
)
def test_errors_are_raised_as_they_were(processes: ProcessPoolExecutor, error: Exception) -> None:
    with mapping_with(Pool(processes)), pytest.raises(type(error)) as raised:
        map_parts(raise_it, [error, ToolError("internal", "a later part's")])
    assert raised.value.args == error.args and str(raised.value) == str(error)
    assert {k: v for k, v in vars(raised.value).items() if k != "__notes__"} == vars(error)


def test_an_error_that_cannot_travel_is_met_here(processes: ProcessPoolExecutor) -> None:
    with mapping_with(Pool(processes)), pytest.raises(Particular, match="part 7") as raised:
        map_parts(fail_particularly, [7, 8])
    assert raised.value.number == 7


def test_what_only_this_process_has_is_used_here(processes: ProcessPoolExecutor) -> None:
    with mapping_with(Pool(processes)):
        assert map_parts(only_in, [getpid()] * 2) == [getpid()] * 2


def test_the_parts_of_a_part_stay_with_it(processes: ProcessPoolExecutor) -> None:
    with mapping_with(Pool(processes, lost=[1])):
        (away, pids), (here, own) = map_parts(parts_of_a_part, range(2))
    assert away == here == 1 and pids[0] == pids[1] != getpid() and own == [getpid()] * 2


def test_a_mapper_reaches_the_threads_of_the_clock_and_no_other() -> None:
    with ThreadPoolExecutor(1) as executor:
        with mapping_with(Pool(executor, workers=4)):
            inside = Clock(60).run(part_count)
            seen: list[int] = []
            other = threading.Thread(target=lambda: seen.append(part_count()))
            other.start()
            other.join()
        assert inside >= 4 and seen == [1] and part_count() == 1
        with mapping_with(Pool(executor, workers=1)):
            assert part_count() == 1


def test_parts_that_hang_are_given_up_on() -> None:
    released = threading.Event()
    with ThreadPoolExecutor(2) as executor, mapping_with(Pool(executor)):
        with pytest.raises(LimitExceeded):
            Clock(0.1).run(lambda: map_parts(lambda _: released.wait(), range(2)))
        released.set()
