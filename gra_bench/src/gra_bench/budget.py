"""A budget in US dollars: money is set aside before a request is sent, so that it is never exceeded."""

from __future__ import annotations

from decimal import Decimal

from attrs import define, field, frozen

from gra_core import Price, Usage

# Output tokens of a request that has no limit of its own: what the largest models of today write at most.
MOST_OUTPUT = 65_536
LEAST_OUTPUT = 256
# A client repeats a request whose answer was lost or unreadable: money is set aside for that, too.
REQUESTS = 2


@frozen(kw_only=True)
class Bound:
    """The most a request can cost: at most `input` tokens of prompt and `output` tokens of reply at a price."""

    price: Price
    input: int
    output: int = MOST_OUTPUT

    def cost(self, output: int) -> Decimal:
        """USD with at most `output` tokens of reply."""
        return REQUESTS * self.price.of(Usage(requests=1, input=self.input, output=output))

    def output_for(self, money: Decimal) -> int:
        """The most output tokens that `money` is enough for; negative when it is not enough for the prompt."""
        rest = money - self.cost(0)
        if rest < 0:
            return -1
        each = self.cost(1_000_000) - self.cost(0)
        return self.output if each == 0 else min(self.output, int(rest * 1_000_000 / each))


@define
class Budget:
    """USD allowed, spent and set aside; and the most that one request to each model, or one call of each tool, has cost."""

    allowed: Decimal
    spent: Decimal = Decimal(0)
    aside: Decimal = Decimal(0)
    dearest: dict[str, Decimal] = field(factory=dict)

    @property
    def left(self) -> Decimal:
        return self.allowed - self.spent - self.aside

    def set_aside(self, model: str, bound: Bound) -> tuple[Decimal, int] | None:
        """Money for a request, and the output tokens it is enough for; None when there is not enough left now."""
        output, dearest = bound.output_for(self.left), self.dearest.get(model, Decimal(0))
        if output < min(LEAST_OUTPUT, bound.output) or self.left < dearest:
            return None
        money = max(bound.cost(output), dearest)
        self.aside += money
        return money, output

    def set_aside_for(self, tool: str) -> Decimal | None:
        """Money for a call of a tool that has had bills before; None when there is not enough left now."""
        money = self.dearest.get(tool, Decimal(0))
        if self.left < money:
            return None
        self.aside += money
        return money

    def settle(self, key: str, aside: Decimal, cost: Decimal) -> None:
        """A request to a model, or a call of a tool, has ended and has cost so much."""
        self.aside -= aside
        self.spent += cost
        self.dearest[key] = max(self.dearest.get(key, Decimal(0)), cost)
