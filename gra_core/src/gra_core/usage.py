"""Token usage and what it costs. Prices are data with tiers and validity dates."""

from __future__ import annotations

import datetime as dt
import fnmatch
import tomllib
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from importlib import resources

import attrs
from attrs import frozen

from gra_core.converter import load


@frozen(kw_only=True)
class Usage:
    """Tokens of one or more model requests, failed and retried ones included.

    `input` is fresh input (prompt less cached), `output` excludes thinking; `thinking` is billed as output;
    `tool_use` are prompt tokens of the provider's built-in tools, billed as input. `estimated` marks a local
    estimate. `searches` and `maps` count grounding requests billed on their own.
    """

    requests: int = 0
    input: int = 0
    cached: int = 0
    output: int = 0
    thinking: int = 0
    tool_use: int = 0
    searches: int = 0
    maps: int = 0
    estimated: bool = False

    @property
    def prompt(self) -> int:
        """All prompt tokens: what price tiers look at."""
        return self.input + self.cached + self.tool_use

    @property
    def total(self) -> int:
        return self.prompt + self.output + self.thinking

    def __add__(self, other: Usage) -> Usage:
        counts = {
            f.name: getattr(self, f.name) + getattr(other, f.name)
            for f in attrs.fields(Usage)
            if f.name != "estimated"
        }
        return Usage(**counts, estimated=self.estimated or other.estimated)


@frozen(kw_only=True)
class Tier:
    """Prices in USD per million tokens for requests of at most `up_to` prompt tokens (0: no bound)."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    up_to: int = 0


@frozen(kw_only=True)
class Price:
    """What a model costs from `valid_from` to `valid_to` (both inclusive). `model` is a glob over model ids."""

    model: str
    tiers: tuple[Tier, ...]
    valid_from: dt.date = dt.date.min
    valid_to: dt.date = dt.date.max
    per_search: Decimal = Decimal(0)
    per_map: Decimal = Decimal(0)
    source: str = ""

    def of(self, usage: Usage) -> Decimal:
        """The cost in USD of one request; the tier is chosen by that request's prompt tokens."""
        tier = next(t for t in self.tiers if t.up_to == 0 or usage.prompt <= t.up_to)
        cached = tier.input if tier.cached is None else tier.cached
        tokens = (
            (usage.input + usage.tool_use) * tier.input
            + usage.cached * cached
            + (usage.output + usage.thinking) * tier.output
        )
        return tokens / Decimal(1_000_000) + usage.searches * self.per_search + usage.maps * self.per_map


@frozen(kw_only=True)
class PriceTable:
    """Prices; the first entry that matches model and date wins, so a user's entries go first."""

    prices: tuple[Price, ...] = ()

    def find(self, model_id: str, on: dt.date) -> Price | None:
        """The price of a model on a day, or None when it is not known."""
        fitting = (
            p
            for p in self.prices
            if fnmatch.fnmatchcase(model_id, p.model) and p.valid_from <= on <= p.valid_to
        )
        return next(fitting, None)

    def cost(self, model_id: str, requests: Iterable[Usage], on: dt.date) -> Decimal | None:
        """USD of a sequence of single requests, or None when no price is known: never a silent zero."""
        price = self.find(model_id, on)
        if price is None:
            return None
        return sum((price.of(usage) for usage in requests), Decimal(0))


@lru_cache(maxsize=1)
def built_in_prices() -> PriceTable:
    """The prices in ``prices.toml``, each with its source."""
    text = resources.files("gra_core").joinpath("prices.toml").read_text(encoding="utf-8")
    return load(tomllib.loads(text), PriceTable, what="prices.toml")


def price_table(own: Iterable[Price] = ()) -> PriceTable:
    """A user's own prices, then the built-in ones."""
    return PriceTable(prices=(*own, *built_in_prices().prices))
