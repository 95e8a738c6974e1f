"""One trial of a run, wherever it runs: under the desk's turns and budget, with its events told as they happen."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from gra_bench.budget import MOST_OUTPUT, Bound
from gra_bench.desk import Desk
from gra_bench.trials import Trial
from gra_core import (
    Clock,
    Configuration,
    Event,
    GraError,
    ModelClient,
    ModelError,
    ModelReply,
    ModelRequest,
    Price,
    PriceTable,
    Registry,
    Sources,
    ToolCall,
    TrialBrief,
    Usage,
    dump,
    hookimpl,
    price_table,
)
from gra_core.errors import RunStopped
from gra_core.journal import Journal
from gra_core.trial import Outcome, TrialSetup, run_trial

STATE = "gra-bench"


class WorkerLost(GraError):
    """The process that carried out an attempt is gone."""


@frozen(kw_only=True)
class Stage:
    """What the trials of one configuration share."""

    configuration: Configuration
    registry: Registry
    sources: Sources

    def __attrs_post_init__(self) -> None:
        manager = self.registry.plugins.manager
        if not manager.has_plugin(Observer.NAME):
            manager.register(Observer(), name=Observer.NAME)

    @property
    def prices(self) -> PriceTable:
        """The configuration's own prices, then the built-in ones."""
        return price_table(self.configuration.prices)


@frozen(kw_only=True)
class Place:
    """Where a trial belongs: its run's desk, its ids, and the prices that count."""

    desk: Desk
    trial: str
    attempt: str
    prices: PriceTable = field(repr=False)
    _waiting: list[Event] = field(factory=list, init=False, repr=False)
    _order: threading.RLock = field(factory=threading.RLock, init=False, repr=False)

    def tell(self, event: Event) -> None:
        """Send an event to the desk: a model call when its turn has come, since one that is cut off while it waits has cost
        nothing."""
        with self._order:
            self.turn_has_come()
            if event.kind == "model_called":
                self._waiting.append(event)
            else:
                self.desk.event(self.trial, self.attempt, event)

    def turn_has_come(self) -> None:
        """The model call that is waiting is made now."""
        with self._order:
            while self._waiting:
                self.desk.event(self.trial, self.attempt, self._waiting.pop())


class Observer:
    """Plugin of the runner: sends each event to the desk, and sees to it that tools with bills stay in the budget."""

    NAME = "gra-bench-observer"

    @hookimpl
    def gra_event(self, event: Event, context: Any) -> None:
        place: Place | None = context.state.get(STATE)
        if place is not None:
            place.tell(event)

    @hookimpl(wrapper=True)
    def gra_call_tool(self, call: ToolCall, context: Any) -> Iterator[None]:
        place: Place | None = context.state.get(STATE)
        if place is None:
            return (yield)
        permit = place.desk.enter_tool(call.name, place.attempt)
        billed = len(context.bills)
        try:
            return (yield)
        finally:
            place.desk.leave(permit, _cost_of_bills(place.prices, context.bills[billed:]), 0, 0, True)


def _cost_of_bills(prices: PriceTable, bills: Iterable[tuple[str, Usage]]) -> Decimal:
    today = dt.datetime.now(dt.UTC).date()
    return sum((prices.cost(model, [usage], today) or Decimal(0) for model, usage in bills), Decimal(0))


class GatedClient:
    """A model client that waits for its turn, and for money when `price` is given, before each request; then it calls
    `begins`."""

    def __init__(
        self, client: ModelClient, desk: Desk, attempt: str, price: Price | None = None, begins: Callable[[], None] = lambda: None
    ) -> None:  # fmt: skip
        self._client, self._desk, self._attempt, self._price = client, desk, attempt, price
        self._begins = begins
        self.model_id, self.context_window = client.model_id, client.context_window

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        limit = request.settings.max_output_tokens
        bound = self._bound(request, limit)
        with clock.waiting():
            permit = self._desk.enter(self.model_id, self._attempt, bound)
        capped = permit.output is not None and permit.output < (limit or MOST_OUTPUT)
        if capped:
            request = evolve(request, settings=evolve(request.settings, max_output_tokens=permit.output))
        spent: Sequence[Usage] = ()
        paid = 0
        succeeded = smooth = told = False

        def repeat(requests: Sequence[Usage]) -> None:
            nonlocal paid
            if bound is not None:
                self._desk.again(permit, self._cost(requests[paid:]), bound)
                paid = len(requests)

        clock.on_limit, clock.on_repeat = lambda seconds: self._desk.limited(permit, seconds), repeat
        try:
            self._begins()
            reply = self._client.generate(request, clock)
            spent, smooth, told, succeeded = reply.requests, reply.waited_s == 0.0, True, True
        except ModelError as error:
            spent, told = error.requests, True
            if error.kind == "quota":
                self._desk.limited(permit, None)
            raise
        finally:
            clock.on_limit = clock.on_repeat = None
            longest = max((usage.output + usage.thinking for usage in spent), default=0)
            # An estimate, or no word at all, is of a request whose reply did not come: it may have cost what was set aside. The
            # last one of a success is of a server that tells no usage.
            unknown = sum(usage.estimated for usage in (spent[paid:-1] if succeeded else spent[paid:])) + (
                not told
            )
            self._desk.leave(permit, self._cost(spent[paid:]), unknown, longest, smooth)
        if capped and reply.stop == "max_tokens":
            raise self._out_of_money(tuple(spent))
        return reply

    def close(self) -> None:
        self._client.close()

    def _bound(self, request: ModelRequest, limit: int | None) -> Bound | None:
        if self._price is None:
            return None
        # A token is at least one byte; providers add a few of their own for each turn and declaration.
        size = len(json.dumps(dump(request), ensure_ascii=False, default=str).encode("utf-8", "replace"))
        return Bound(price=self._price, input=size, output=limit or MOST_OUTPUT)

    def _cost(self, requests: Iterable[Usage]) -> Decimal:
        return sum((self._price.of(u) for u in requests), Decimal(0)) if self._price else Decimal(0)

    def _out_of_money(self, spent: tuple[Usage, ...]) -> RunStopped:
        why = f"the budget was not enough for a whole reply of {self.model_id}; raise --max-cost to go on"
        self._desk.stop(why)
        return RunStopped(why, requests=spent)


def carry_out(
    trial: Trial, stage: Stage, desk: Desk, *, attempt: str, workspace: Path, keep_workspace: bool,
    earlier: Iterable[dict[str, Any]] = (), budgeted: bool = False,
) -> Outcome:  # fmt: skip
    """One attempt at a trial, in a fresh `workspace`, which is kept or dropped when there is an outcome. `earlier` holds the
    event records of attempts that were cut off.

    Raises `RunStopped` when the run ends before the trial does.
    """
    shutil.rmtree(workspace, ignore_errors=True)
    benchmark = trial.benchmark.load()
    brief = TrialBrief(
        trial_id=trial.id,
        query=trial.query,
        skills=benchmark.skills(trial.query),
        reference=lambda: benchmark.reference(trial.query),
    )
    prices = stage.prices
    price = prices.find(trial.model.id, dt.datetime.now(dt.UTC).date()) if budgeted else None
    place = Place(desk=desk, trial=trial.id, attempt=attempt, prices=prices)
    model = evolve(
        trial.model,
        open=lambda b: GatedClient(trial.model.open(b), desk, attempt, price, place.turn_has_come),
    )
    setup = TrialSetup(
        registry=stage.registry, configuration=trial.configuration, model=model, sources=stage.sources, workspace=workspace,
        text=trial.query.text, instruction=trial.benchmark.answer_instruction, best_effort=trial.best_effort, brief=brief,
        journal=Journal(earlier), state={STATE: place},
    )  # fmt: skip
    outcome = run_trial(setup).outcome
    if not keep_workspace:
        shutil.rmtree(workspace, ignore_errors=True)
    return outcome


@frozen(kw_only=True)
class Here:
    """Carries out attempts in this process, in the workspaces of a run's folder."""

    stages: dict[str, Stage]
    desk: Desk
    folder: Path
    keep_workspaces: bool = True

    def carry_out(self, trial: Trial, attempt: str, earlier: list[dict[str, Any]]) -> Outcome:
        """See `gra_bench.runner.Runner`."""
        return carry_out(
            trial, self.stages[trial.configuration.name], self.desk, attempt=attempt, earlier=earlier,
            workspace=self.folder / "workspaces" / trial.id, keep_workspace=self.keep_workspaces,
            budgeted=self.desk.budget is not None,
        )  # fmt: skip
