"""Prices with tiers and dates, worked out by hand."""

import datetime as dt
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from gra_core import Price, PriceTable, Usage, built_in_prices
from gra_core.usage import Tier

IN_2026, IN_2027 = dt.date(2026, 12, 31), dt.date(2027, 1, 1)
COUNTS = st.builds(
    Usage, input=st.integers(0, 10**6), cached=st.integers(0, 10**6), output=st.integers(0, 10**5)
)


def test_a_price_changes_on_its_day() -> None:
    usage = [Usage(requests=1, input=1_000_000, output=100_000, thinking=100_000)]
    prices = built_in_prices()
    # 1 M × 0.75 + 0.2 M × 3.75, and 1 M × 1.50 + 0.2 M × 7.50.
    assert prices.cost("gemini:gemini-3.8-flash", usage, IN_2026) == Decimal("1.50")
    assert prices.cost("gemini:gemini-3.8-flash", usage, IN_2027) == Decimal("3.00")


def test_the_tier_is_chosen_for_each_request_alone() -> None:
    low = Usage(requests=1, input=150_000, cached=50_000, output=1_000)
    high = Usage(requests=1, input=150_001, cached=50_000, output=1_000)
    prices = built_in_prices()
    # low: 0.15 × 2 + 0.05 × 0.20 + 0.001 × 12; high is over 200,000 prompt tokens: 0.150001 × 4 + 0.05 × 0.40 + 0.001 × 18.
    assert prices.cost("gemini:gemini-3.1-pro-preview", [low, low], IN_2026) == 2 * Decimal("0.322")
    assert prices.cost("gemini:gemini-3.1-pro-preview", [high], IN_2026) == Decimal("0.638004")


def test_thoughts_count_as_output_and_tool_use_as_input() -> None:
    # langchain4j 5518: 10 + 5 + 7 = 22.
    assert Usage(input=10, output=5, thinking=7).total == 22
    price = Price(model="m", tiers=(Tier(input=Decimal(1), output=Decimal(10)),), per_search=Decimal("0.014"))
    assert price.of(Usage(input=1, tool_use=2, output=3, thinking=4, searches=2)) == Decimal("0.028073")


def test_an_unknown_model_has_no_price_rather_than_none() -> None:
    assert built_in_prices().cost("openai:some-model", [Usage(input=1)], IN_2026) is None
    assert built_in_prices().cost("local:smollm2", [Usage(input=10**6)], IN_2026) == 0


def test_the_first_matching_entry_wins() -> None:
    mine = Price(model="gemini:*", tiers=(Tier(input=Decimal(1), output=Decimal(1)),))
    table = PriceTable(prices=(mine, *built_in_prices().prices))
    assert table.cost("gemini:gemini-3.8-flash", [Usage(input=10**6)], IN_2026) == 1


@given(st.lists(COUNTS, max_size=5))
def test_usage_adds_up(parts: list[Usage]) -> None:
    total = sum(parts, Usage())
    assert total.total == sum(p.total for p in parts)
    assert sum(reversed(parts), Usage()) == total


@given(COUNTS, COUNTS)
def test_more_tokens_never_cost_less(a: Usage, b: Usage) -> None:
    price = built_in_prices().prices[2]
    assert price.of(a + b) >= price.of(a)
