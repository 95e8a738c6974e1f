"""A budget in US dollars: money is set aside before a request is sent, so that it is never exceeded."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

from attrs import define, field, frozen

from gra_core import Price, Usage

# Output tokens of a request that has no limit of its own: what the largest models of today write at most.
MOST_OUTPUT = 65_536
# A model that has not replied yet is let write this much at least, or it is not asked.
LEAST_OUTPUT = 64


@frozen(kw_only=True)
class Bound:
    """The most a request can cost: at most `input` tokens of prompt and `output` tokens of reply at a price."""

    price: Price
    input: int
    output: int = MOST_OUTPUT

    def cost(self, output: int) -> Decimal:
        """USD with at most `output` tokens of reply."""
        return self.price.of(Usage(requests=1, input=self.input, output=output))

    def output_for(self, money: Decimal) -> int:
        """The most output tokens that `money` is enough for; negative when it is not enough for the prompt."""
        rest = money - self.cost(0)
        if rest < 0:
            return -1
        each = self.cost(1_000_000) - self.cost(0)
        return self.output if each == 0 else min(self.output, int(rest * 1_000_000 / each))


@define
class Known:
    """The dearest request to a model (or call of a tool) so far, and the longest reply."""

    cost: Decimal = Decimal(0)
    output: int = 0


@define
class Budget:
    """USD allowed, spent and set aside; and what is `known` of each model and of tools with bills."""

    allowed: Decimal
    spent: Decimal = Decimal(0)
    aside: Decimal = Decimal(0)
    known: defaultdict[str, Known] = field(factory=lambda: defaultdict(Known))

    @property
    def left(self) -> Decimal:
        return self.allowed - self.spent - self.aside

    def set_aside(self, model: str, bound: Bound) -> tuple[Decimal, int] | None:
        """Money for a request, and the output tokens it is enough for; None when there is not enough left now: less than
        the dearest request has cost, or than the longest reply would."""
        known, output = self.known[model], bound.output_for(self.left)
        if output < min(known.output or LEAST_OUTPUT, bound.output) or self.left < known.cost:
            return None
        money = max(bound.cost(output), known.cost)
        self.aside += money
        return money, output

    def set_aside_again(self, aside: Decimal, cost: Decimal, bound: Bound, output: int) -> Decimal | None:
        """Money for sending a request once more that has cost so much already; None when there is not enough left."""
        self.aside -= aside
        self.spent += cost
        money = bound.cost(output)
        if self.left < money:
            return None
        self.aside += money
        return money

    def set_aside_for(self, tool: str) -> Decimal | None:
        """Money for a call of a tool that has had bills before; None when there is not enough left now."""
        money = self.known[tool].cost
        if money and self.left < money:
            return None
        self.aside += money
        return money

    def settle(self, key: str, aside: Decimal, cost: Decimal, output: int = 0) -> None:
        """A request to a model, or a call of a tool, has ended: it has cost so much and was so long."""
        self.aside -= aside
        self.spent += cost
        known = self.known[key]
        known.cost, known.output = max(known.cost, cost), max(known.output, output)
