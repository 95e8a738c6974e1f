"""What trials in flight ask of the process that owns the run: a turn at the model, money, and their events on disk.

One object for all trials, used by threads of this process directly and by workers of a cluster through a proxy
(`gra_bench.cluster`), so it speaks in plain values only.
"""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from attrs import evolve, frozen

from gra_bench.budget import Bound, Budget
from gra_bench.pace import Lane
from gra_core import Event
from gra_core.errors import RunStopped

Writer = Callable[[str, str, Event], None]
Note = Callable[[dict[str, Any]], None]


@frozen(kw_only=True)
class Permit:
    """Leave to make one request. `output` bounds its output tokens when money does; `key` is what it is for."""

    id: int
    key: str
    attempt: str
    entered: int = 0
    aside: Decimal = Decimal(0)
    output: int | None = None


class Desk:
    """`most` requests to a model at a time; `budget` None spends without bound. `stops` says what has been stopped, by
    model id (``""``: everything), and why. With a budget, `note` is told what is set aside for each request and how much of
    it is kept when that has ended: what it may have cost beyond its known usage (`gra_bench.accounts.kept_aside`)."""

    def __init__(
        self, write: Writer, *, most: int, budget: Budget | None = None, note: Note = lambda record: None
    ) -> None:
        self._write, self._most, self.budget, self._note = write, most, budget, note
        self._run = secrets.token_hex(4)
        self.stops: dict[str, str] = {}
        self._lanes: dict[str, Lane] = {}
        self._permits: dict[int, Permit] = {}
        self._numbers = itertools.count(1)
        self._seniority: dict[str, int] = {}
        self._queues: defaultdict[str, set[int]] = defaultdict(set)
        self._changed = threading.Condition()
        self._begun: set[str] = set()
        self._torn: set[str] = set()

    # -- turns and money -------------------------------------------------------------------------------------------

    def enter(self, model: str, attempt: str, bound: Bound | None) -> Permit:
        """Wait for a turn at a model, and for money when there is a budget; `RunStopped` when there will be none.

        Who began first comes first: trials end sooner, and a budget that runs out leaves few of them half done.
        """
        with self._changed:
            mine = self._seniority.setdefault(attempt, next(self._numbers))
            queue = self._queues[model]
            queue.add(mine)
            try:
                while True:
                    self._refuse(model)
                    if attempt not in self._seniority:
                        raise RunStopped("the attempt that asks is over")
                    lane = self._lanes.setdefault(model, Lane(self._most))
                    pause = lane.waits(time.monotonic()) if mine == min(queue) else float("inf")
                    if pause == 0.0:
                        money = self._money(model, bound)
                        if money is not None:
                            return self._grant(model, attempt, lane.enter(), *money)
                        pause = float("inf")
                    self._changed.wait(None if pause == float("inf") else pause)
            finally:
                queue.discard(mine)
                self._changed.notify_all()

    def limited(self, permit: Permit, seconds: float | None) -> None:
        """The request has met a rate limit, which asks for `seconds`."""
        with self._changed:
            if lane := self._lanes.get(permit.key):
                lane.limited(permit.entered, seconds, time.monotonic())

    def again(self, permit: Permit, cost: Decimal, bound: Bound) -> None:
        """The request, which has cost so much, is to be sent once more. `RunStopped` when there is no money for that."""
        with self._changed:
            held = self._permits.get(permit.id)
            if self.budget is None or held is None or held.output is None:
                return
            money = self.budget.set_aside_again(held.aside, cost, bound, held.output)
            self._permits[permit.id] = evolve(held, aside=money or Decimal(0))
            self._keep(permit, money or Decimal(0))
            if money is None:
                self._stop(self._spent_up(f"to repeat a request to {permit.key}"), "")
                self._refuse("")

    def leave(self, permit: Permit, cost: Decimal, unknown: int, output: int, succeeded: bool) -> None:
        """The request has ended. It has cost so much since it was last paid for, as far as usage is known; of `unknown`
        requests it is not, and what is set aside counts for each. Its longest reply had `output` tokens."""
        with self._changed:
            if permit.id in self._permits:  # else its worker was thought lost
                self._take_back(permit.id, cost, unknown, output, succeeded)

    def _take_back(self, number: int, cost: Decimal, unknown: int, output: int, succeeded: bool) -> None:
        permit = self._permits.pop(number)
        if lane := self._lanes.get(permit.key):
            lane.leave(succeeded=succeeded)
        if self.budget is not None:
            kept = permit.aside * unknown
            self.budget.settle(permit.key, permit.aside, cost + kept, output)
            self._keep(permit, kept)
        self._changed.notify_all()

    def _keep(self, permit: Permit, usd: Decimal) -> None:
        if self.budget is not None and (usd or permit.aside):
            self._note(
                {
                    "permit": f"{self._run}-{permit.id}",
                    "attempt": permit.attempt,
                    "for": permit.key,
                    "usd": str(usd),
                }
            )

    def enter_tool(self, tool: str, attempt: str) -> Permit:
        """Set aside what this tool's dearest call has cost; wait for it, or `RunStopped`."""
        with self._changed:
            while True:
                self._refuse("")
                if self.budget is None:
                    return self._grant(tool, attempt, 0, Decimal(0), None)
                if (aside := self.budget.set_aside_for(tool)) is not None:
                    return self._grant(tool, attempt, 0, aside, None)
                self._stop_when_nothing_comes_back(f"another call of {tool}")
                self._changed.wait()

    def _money(self, model: str, bound: Bound | None) -> tuple[Decimal, int | None] | None:
        if self.budget is None or bound is None:
            return Decimal(0), None
        found = self.budget.set_aside(model, bound)
        if found is None:
            self._stop_when_nothing_comes_back(f"another request to {model}")
        return found

    def _stop_when_nothing_comes_back(self, what: str) -> None:
        assert self.budget is not None
        if self.budget.aside == 0:
            self._stop(self._spent_up(f"for {what}"), "")
            self._refuse("")

    def _spent_up(self, what: str) -> str:
        assert self.budget is not None
        spent, allowed = self.budget.spent, self.budget.allowed
        return f"there is not enough of the budget left {what}: {spent:.6f} of {allowed} USD are spent; raise --max-cost to go on"

    def _grant(self, key: str, attempt: str, entered: int, aside: Decimal, output: int | None) -> Permit:
        permit = Permit(
            id=next(self._numbers), key=key, attempt=attempt, entered=entered, aside=aside, output=output
        )
        self._permits[permit.id] = permit
        self._keep(permit, aside)
        return permit

    # -- the end ---------------------------------------------------------------------------------------------------

    def stop(self, why: str, model: str = "") -> None:
        """No more requests to a model (or to any): those that wait for a turn end with `RunStopped`."""
        with self._changed:
            self._stop(why, model)

    def stopped(self, model: str) -> str:
        """Why a model gets no more requests, or an empty text."""
        return self.stops.get("") or self.stops.get(model, "")

    def _stop(self, why: str, model: str) -> None:
        self.stops.setdefault(model, why)
        self._changed.notify_all()

    def _refuse(self, model: str) -> None:
        if why := self.stopped(model):
            raise RunStopped(why)

    # -- attempts --------------------------------------------------------------------------------------------------

    def begin(self, attempt: str) -> bool:
        """Whether an attempt begins for the first time: a cluster runs a task again when it has lost a worker."""
        with self._changed:
            first = attempt not in self._begun
            self._begun.add(attempt)
            return first

    def event(self, trial: str, attempt: str, event: Event) -> None:
        """Write an event. When that fails, everything stops."""
        try:
            self._write(trial, attempt, event)
        except RunStopped as error:
            self._torn.add(attempt)
            self.stop(str(error))
            raise

    def end(self, attempt: str) -> bool:
        """An attempt has ended or its worker is lost: what it still holds is free again. Whether all its events are
        written."""
        with self._changed:
            self._begun.discard(attempt)
            self._seniority.pop(attempt, None)
            for number in [n for n, p in self._permits.items() if p.attempt == attempt]:
                self._take_back(number, Decimal(0), 1, 0, False)  # what it has cost is not known
            self._changed.notify_all()
            return attempt not in self._torn
