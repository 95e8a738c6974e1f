"""Turns at a model: growth, cuts, delays that were asked for."""

from __future__ import annotations

import threading
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_bench.desk import Desk
from gra_bench.pace import Lane
from gra_core.errors import RunStopped


def test_it_grows_by_one_for_every_success_until_the_first_limit() -> None:
    lane = Lane(10)
    assert lane.allowed == 2
    for _ in range(5):
        lane.enter()
        lane.leave(succeeded=True)
    assert lane.allowed == 7


def test_requests_under_way_together_cut_once_and_later_ones_again() -> None:
    lane = Lane(16, allowed=16)
    lane.allowed = 16
    entered = [lane.enter() for _ in range(8)]
    for one in entered:
        lane.limited(one, None, now=0.0)
    assert lane.allowed == 8
    lane.limited(lane.enter(), None, now=0.0)
    assert lane.allowed == 4


def test_after_a_cut_a_round_of_successes_is_worth_one_more() -> None:
    lane = Lane(100)
    lane.allowed = 20.0
    lane.limited(lane.enter(), None, now=0.0)
    lane.leave(succeeded=False)
    assert lane.allowed == 10
    for _ in range(10):
        lane.enter()
        lane.leave(succeeded=True)
    assert 10.9 < lane.allowed <= 11


def test_a_delay_that_was_asked_for_holds_everybody_back() -> None:
    lane = Lane(8)
    lane.limited(lane.enter(), 30.0, now=100.0)
    lane.limited(0, 5.0, now=101.0)  # a shorter one does not shorten it
    lane.leave(succeeded=False)
    assert lane.waits(now=110.0) == 20.0 and lane.waits(now=130.0) == 0.0


@given(st.integers(1, 64), st.lists(st.sampled_from(["enter", "good", "bad", "limit"]), max_size=200))
def test_it_stays_between_one_and_the_most(most: int, steps: list[str]) -> None:
    lane = Lane(most)
    under_way: list[int] = []
    for step in steps:
        if step == "enter" and lane.waits(0.0) == 0.0:
            under_way.append(lane.enter())
        elif step == "limit" and under_way:
            lane.limited(under_way[0], None, now=0.0)
        elif step in ("good", "bad") and under_way:
            under_way.pop(0)
            lane.leave(succeeded=step == "good")
        assert 1 <= lane.allowed <= most and lane.in_flight == len(under_way) <= most
    if not under_way:
        assert lane.waits(0.0) == 0.0  # nobody waits for ever


def ignore(*event: object) -> None:
    pass


def refused(desk: Desk, attempt: str) -> tuple[threading.Thread, list[RunStopped]]:
    """A thread in which an attempt waits for a turn, and what refuses it."""
    told: list[RunStopped] = []

    def wait() -> None:
        try:
            desk.enter("m", attempt, None)
        except RunStopped as stopped:
            told.append(stopped)

    waiter = threading.Thread(target=wait, daemon=True)
    waiter.start()
    return waiter, told


def test_the_desk_lets_in_as_many_as_the_lane_allows_and_the_rest_when_one_leaves() -> None:
    desk = Desk(ignore, most=2)
    first, second = desk.enter("m", "a", None), desk.enter("m", "b", None)
    entered: list[object] = []
    waiter = threading.Thread(target=lambda: entered.append(desk.enter("m", "c", None)), daemon=True)
    waiter.start()
    other = desk.enter("another model", "d", None)  # has a lane of its own
    time.sleep(0.05)
    assert not entered
    desk.leave(first, Decimal(0), 0, 0, True)
    waiter.join(5)
    assert entered and other and second


@pytest.mark.parametrize("why", ["stop", "model"])
def test_who_waits_for_a_turn_is_told_of_the_end(why: str) -> None:
    desk = Desk(ignore, most=1)
    desk.enter("m", "a", None)
    waiter, told = refused(desk, "b")
    desk.stop("the day's quota is used up", "" if why == "stop" else "m")
    waiter.join(5)
    assert "quota" in str(told[0])
    if why == "model":
        desk.enter("n", "c", None)
    else:
        with pytest.raises(RunStopped):
            desk.enter("n", "c", None)


def test_what_a_lost_attempt_holds_is_free_again() -> None:
    desk = Desk(ignore, most=1)
    held = desk.enter("m", "a", None)
    assert desk.end("a")
    again = desk.enter("m", "b", None)
    desk.leave(held, Decimal(0), 0, 0, True)  # comes back late: it counts no second time
    with pytest.raises(RunStopped):
        threading.Timer(0.05, desk.stop, ["enough"]).start()
        desk.enter("m", "c", None)
    assert again


def test_an_attempt_begins_once() -> None:
    desk = Desk(ignore, most=1)
    assert desk.begin("a") and not desk.begin("a")


def test_who_began_first_comes_first() -> None:
    desk = Desk(ignore, most=1)
    permits = [desk.enter("m", "a", None)]
    desk.leave(permits.pop(), Decimal(0), 0, 0, True)
    held = desk.enter("m", "b", None)
    entered: list[str] = []

    def ask(attempt: str) -> None:
        permit = desk.enter("m", attempt, None)
        entered.append(attempt)
        desk.leave(permit, Decimal(0), 0, 0, True)

    askers = []
    for attempt in ("c", "a"):  # a has had a turn before c came
        askers.append(threading.Thread(target=ask, args=(attempt,), daemon=True))
        askers[-1].start()
        time.sleep(0.05)
    desk.leave(held, Decimal(0), 0, 0, True)
    for asker in askers:
        asker.join(5)
    assert entered == ["a", "c"]


def test_an_attempt_that_is_over_gets_no_turn() -> None:
    desk = Desk(ignore, most=1)
    held = desk.enter("m", "a", None)
    asker, ended = refused(desk, "lost")
    time.sleep(0.05)
    desk.end("lost")
    asker.join(5)
    assert ended
    desk.leave(held, Decimal(0), 0, 0, True)
    assert desk.enter("m", "b", None)
