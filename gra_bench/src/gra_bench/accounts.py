"""What a run has cost beside its finished trials: attempts that a kill, a quota or an end of the budget cut off were paid
for as well. What a later attempt has used again (`paid_by`) is in that attempt's account, and not here.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

from gra_bench.index import RunIndex, standing_attempts
from gra_bench.log import read_lines
from gra_bench.scores import cut_off_calls, read_scores
from gra_bench.summary import add_usage
from gra_core import Price, PriceTable, Usage, dump, load, price_table


def unfinished_judging(folder: Path) -> dict[str, Any]:
    """Ratings that were cut off: their number, requests to the judge and usage."""
    cut_off = cut_off_calls(folder)
    return {
        "ratings": len({call["session"] for call in cut_off}),
        "judge_calls": len(cut_off),
        "judge_usage": add_usage(usage for call in cut_off for usage in call["requests"]),
    }


def attempts_by_trial(index: RunIndex) -> dict[str, list[str]]:
    """The attempts at each trial in the event log, in the order begun."""
    made: defaultdict[str, list[str]] = defaultdict(list)
    for trial, attempt in index.attempts():
        made[trial].append(attempt)
    return made


def unfinished_usage(folder: Path) -> dict[str, Any]:
    """Attempts whose outcome does not stand: their number, model calls, usage of models and of tools, and cost (None when
    a price is not known). `unanswered` counts model calls that were on their way when the process was killed, with an
    estimate of what they have sent: whether and what they were billed nobody here knows.
    """
    return _account_of(folder).document()


def _account_of(folder: Path, prices: PriceTable | None = None) -> _Account:
    standing = standing_attempts(folder)
    index = RunIndex(folder)
    try:
        account = _Account(prices or prices_of(index.manifest))
        for trial, attempts in attempts_by_trial(index).items():
            cut_off = [a for a in attempts if a != standing.get(trial)]
            if not cut_off:
                continue
            events = {a: index.events(trial, a) for a in attempts}
            used_again = _used_again(events.get(standing.get(trial, ""), ()))
            for attempt in cut_off:
                account.add(events[attempt], used_again)
        return account
    finally:
        index.close()


def _used_again(events: Iterable[dict[str, Any]]) -> set[tuple[str, Any]]:
    """Attempt and call (a number for the model's, an id for tools') of what an attempt has not paid for itself."""
    found: set[tuple[str, Any]] = set()
    for event in events:
        if (origin := event["data"].get("paid_by")) is not None:
            found.add((origin, event["data"]["id"]) if isinstance(origin, str) else tuple(origin))
    return found


class _Account:
    """Adds up the events of attempts that were cut off."""

    def __init__(self, prices: PriceTable) -> None:
        self._prices = prices
        self._attempts = self._calls = 0
        self._usage: list[dict[str, Any]] = []
        self._tool_usage: list[dict[str, Any]] = []
        self._unanswered: list[dict[str, Any]] = []
        self._costs: list[Decimal | None] = []
        self._guesses: list[Decimal | None] = []

    def add(self, events: list[dict[str, Any]], used_again: set[tuple[str, Any]]) -> None:
        self._attempts += 1
        model = ""
        open_calls: dict[int, dict[str, Any]] = {}
        for event in events:
            kind, data = event["kind"], event["data"]
            if kind == "trial_started":
                model = data["model"]
            elif kind == "model_called":
                open_calls[data["call"]] = data
            elif kind in ("model_replied", "model_failed"):
                open_calls.pop(data.get("call", 0), None)
                if "paid_by" not in data and (event["attempt"], data.get("call")) not in used_again:
                    self._calls += 1
                    self._spend(self._usage, model, data.get("requests", []), event["at"])
            elif (
                kind == "tool_returned"
                and "paid_by" not in data
                and (event["attempt"], data["id"]) not in used_again
            ):
                for bill in data.get("bills", ()):
                    self._spend(self._tool_usage, bill["model"], [bill["usage"]], event["at"])
        for data in open_calls.values():
            sent = Usage(requests=1, input=data["prompt_tokens"], estimated=True)
            self._unanswered.append(dump(sent))
            self._guesses.append(self._cost(model, [dump(sent)], events[-1]["at"]))

    def _spend(
        self, usages: list[dict[str, Any]], model: str, requests: list[dict[str, Any]], at: str
    ) -> None:
        usages += requests
        self._costs.append(self._cost(model, requests, at))

    def _cost(self, model: str, requests: list[dict[str, Any]], at: str) -> Decimal | None:
        day = dt.datetime.fromisoformat(at).date()
        return self._prices.cost(model, load(requests, list[Usage], what="usage in events.jsonl"), day)

    @property
    def known(self) -> Decimal:
        """USD as far as prices are known, with what unanswered calls have sent."""
        return _sum([*self._costs, *self._guesses])

    def document(self) -> dict[str, Any]:
        return {
            "attempts": self._attempts,
            "model_calls": self._calls,
            "usage": add_usage(self._usage),
            "tool_usage": add_usage(self._tool_usage),
            "cost_usd": None if None in self._costs else float(_sum(self._costs)),
            "unanswered": {
                "model_calls": len(self._unanswered),
                "usage": add_usage(self._unanswered),
                "cost_usd": None if None in self._guesses else float(_sum(self._guesses)),
            },
        }


def prices_of(manifest: dict[str, Any]) -> PriceTable:
    """The prices that the configurations of a run bring, then the built-in ones."""
    own = [c["configuration"].get("prices", []) for c in manifest["configurations"].values()]
    return price_table(
        load([price for prices in own for price in prices], list[Price], what="prices in manifest.json")
    )


BUDGET = "budget.jsonl"


def kept_aside(folder: Path) -> Decimal:
    """USD that requests may have cost beyond what is on record: all that was set aside for those whose end is not known. The
    last word on each request counts."""
    last = {record["permit"]: record["usd"] for record in read_lines(folder / BUDGET)}
    return _sum(last.values())


def spent(folder: Path, prices: PriceTable) -> Decimal:
    """USD that a run has cost so far, as far as prices are known: finished trials, attempts that were cut off, judging; and
    what may have been spent beyond that."""
    today = dt.datetime.now(dt.UTC).date()

    def cost_of(model: str, *usages: dict[str, Any]) -> Decimal | None:
        return prices.cost(model, load(list(usages), list[Usage], what="usage in the run"), today)

    finished: dict[str, Any] = {}
    for result in read_lines(folder / "results.jsonl"):
        outcome = result["outcome"]
        # Prices may have been added since; that of a tool's bill may be missing, but what the model has cost is known.
        finished[result["trial"]] = outcome["cost_usd"] or cost_of(result["model"], outcome["usage"])
    judged = [record["judge_cost_usd"] for record in read_scores(folder)]
    cut_off = [cost_of(call["judge"], *call["requests"]) for call in cut_off_calls(folder)]
    account = _account_of(folder, prices)
    return _sum([*finished.values(), *judged, *cut_off, account.known]) + kept_aside(folder)


def _sum(costs: Iterable[Any]) -> Decimal:
    return sum((Decimal(str(cost)) for cost in costs if cost is not None), Decimal(0))
