"""The clock: waiting does not count, what hangs is abandoned."""

import threading
import time

import pytest

from gra_core import Clock, LimitExceeded


class Hand:
    """A clock moved by hand."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def test_waiting_does_not_count() -> None:
    hand = Hand()
    clock = Clock(10, now=hand)
    hand.time = 4
    with clock.waiting():
        hand.time = 100
        assert clock.used == 4 and clock.waited == 96
    hand.time = 103
    assert (clock.used, clock.waited, clock.remaining) == (7, 96, 3)
    hand.time = 106
    with pytest.raises(LimitExceeded) as caught:
        clock.check()
    assert (caught.value.limit, caught.value.allowed) == ("wall_clock_s", 10)


def test_a_result_and_an_error_come_through() -> None:
    clock = Clock(60)
    assert clock.run(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        clock.run(lambda: 1 // 0)


def test_what_hangs_is_given_up_on() -> None:
    never = threading.Event()
    clock = Clock(0.3)
    started = time.monotonic()
    with pytest.raises(LimitExceeded):
        clock.run(never.wait)
    assert time.monotonic() - started < 10
    never.set()


def test_a_calls_own_timeout_is_not_the_trials() -> None:
    never = threading.Event()
    with pytest.raises(TimeoutError, match=r"0\.2 s"):
        Clock(60).run(never.wait, timeout_s=0.2)
    never.set()


def test_waiting_inside_a_call_extends_the_deadline() -> None:
    clock = Clock(0.5)

    def work() -> str:
        with clock.waiting():
            time.sleep(0.8)
        return "done"

    assert clock.run(work) == "done"
    assert clock.remaining > 0


def test_rate_limits_and_repeated_requests_are_told() -> None:
    clock = Clock()
    told: list[object] = []
    clock.on_limit = told.append
    clock.on_repeat = told.append
    with clock.limited(3.0), clock.waiting():
        pass
    clock.repeat([])
    clock.repeat(["usage of the first"])
    assert told == [3.0, ["usage of the first"]] and clock.repeated == ("usage of the first",)


def test_work_done_earlier_counts_as_used() -> None:
    now = [0.0]
    clock = Clock(10.0, now=lambda: now[0])
    clock.advance(9.5)
    now[0] = 0.25
    assert clock.used == 9.75
    now[0] = 0.5
    with pytest.raises(LimitExceeded):
        clock.check()
