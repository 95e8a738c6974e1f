"""The budget: money is set aside before it is spent."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_bench.budget import Bound, Budget
from gra_core import Price, Usage
from gra_core.usage import Tier

PRICE = Price(model="m", tiers=(Tier(input=Decimal(1), output=Decimal(10)),))


def bound(input: int = 1000, output: int = 65_536) -> Bound:
    return Bound(price=PRICE, input=input, output=output)


def test_money_covers_the_prompt_and_the_longest_reply() -> None:
    # 1,000 tokens at 1 USD and 65,536 at 10 USD a million.
    assert bound().cost(65_536) == Decimal("0.001") + Decimal("0.65536")


def test_a_small_budget_bounds_the_reply_instead_of_refusing_it() -> None:
    budget = Budget(allowed=Decimal("0.1"))
    money, output = budget.set_aside("m", bound()) or (Decimal(0), 0)
    assert money <= Decimal("0.1") and output == 9900  # (0.1 - 0.001) / 0.00001
    assert budget.set_aside("m", bound()) is None  # all of it is set aside
    budget.settle("m", money, Decimal("0.01"))
    assert budget.left == Decimal("0.09")


def test_what_a_request_has_cost_must_be_left_for_the_next() -> None:
    budget = Budget(allowed=Decimal("0.1"))
    money, _ = budget.set_aside("m", bound(input=1, output=1)) or (Decimal(0), 0)
    budget.settle("m", money, Decimal("0.06"))  # dearer than thought
    assert budget.left == Decimal("0.04") and budget.set_aside("m", bound(input=1, output=1)) is None
    assert budget.set_aside("another", bound(input=1, output=1)) is not None


def test_a_reply_as_long_as_the_longest_must_be_affordable() -> None:
    budget = Budget(allowed=Decimal("0.1"))
    money, _ = budget.set_aside("m", bound(input=1)) or (Decimal(0), 0)
    budget.settle("m", money, Decimal("0.05"), output=6000)
    assert budget.set_aside("m", bound(input=1)) is None  # 6,000 tokens would be 0.06
    assert budget.set_aside("m", bound(input=1, output=1000)) is not None


@given(
    st.decimals(Decimal("0.001"), Decimal(5), places=4),
    st.lists(st.tuples(st.integers(1, 50_000), st.integers(1, 3), st.floats(0, 1)), max_size=60),
)
def test_it_is_never_exceeded(allowed: Decimal, requests: list[tuple[int, int, float]]) -> None:
    """Requests of any size, two at a time, each sent up to three times and using any part of the output it was allowed."""
    budget = Budget(allowed=allowed)
    under_way: list[tuple[Decimal, Decimal]] = []
    for size, times, share in requests:
        if (found := budget.set_aside("m", bound(input=size))) is not None:
            aside: Decimal | None
            aside, output = found
            cost = PRICE.of(Usage(requests=1, input=size, output=int(output * share)))
            for _ in range(1, times):
                aside = budget.set_aside_again(aside or Decimal(0), cost, bound(input=size), output)
                assert budget.spent <= allowed and budget.left >= 0
                if aside is None:
                    break
            under_way.append((aside, cost) if aside is not None else (Decimal(0), Decimal(0)))
        if len(under_way) == 2 or found is None:
            while under_way:
                budget.settle("m", *under_way.pop())
        assert budget.spent <= allowed and budget.aside >= 0 and budget.left >= 0


# At the prices of `priced` 1,000 tokens in and 100 out are two cents a call.


def test_a_run_stops_before_its_budget_is_exceeded_and_goes_on_with_more(
    gra_bench: Callable[..., Any], sums: ModuleType, priced: Callable[..., str], tmp_path: Path
) -> None:
    folder = ("--run-dir", str(tmp_path / "run"))
    options = ("-b", "sums", "-c", priced(), "-m", "adder:1", *folder)
    code, document, err = gra_bench("run", *options, "--max-cost", "0.09", "--json")
    assert code == 1 and "--max-cost" in document["stopped"] and "0.080000 of 0.09" in err
    assert document["results"][0]["cost_usd"] == pytest.approx(0.08) and len(sums.CALLS) == 4
    # Without an amount the same one counts, with all that was spent: nothing more is called.
    code, document, _ = gra_bench("run", *folder, "--resume", "--json")
    assert code == 1 and len(sums.CALLS) == 4
    code, document, _ = gra_bench("run", *folder, "--resume", "--max-cost", "1", "--json")
    assert code == 0 and document["results"][0]["cost_usd"] == pytest.approx(0.12) and len(sums.CALLS) == 6


def test_what_unfinished_attempts_have_cost_is_in_the_budget(
    gra_bench: Callable[..., Any], sums: ModuleType, priced: Callable[..., str], tmp_path: Path
) -> None:
    folder = ("--run-dir", str(tmp_path / "run"))
    sums.BEHAVIOUR["quota"] = {0}
    code, document, _ = gra_bench(
        "run", "-b", "sums", "-c", priced(), "-m", "adder:1", *folder, "--concurrency", "1", "--json"
    )
    assert code == 1 and document["unfinished"]["cost_usd"] == pytest.approx(0.02)
    sums.BEHAVIOUR.clear()
    code, document, _ = gra_bench("run", *folder, "--resume", "--max-cost", "0.05", "--json")
    assert code == 1 and document["results"][0]["cost_usd"] == pytest.approx(0.02)


def test_a_budget_needs_prices(gra_bench: Callable[..., Any], sums: ModuleType, tmp_path: Path) -> None:
    code, _, err = gra_bench(
        "run",
        "-b",
        "sums",
        "-c",
        "plain",
        "-m",
        "adder:1",
        "--run-dir",
        str(tmp_path / "run"),
        "--max-cost",
        "1",
    )
    assert code == 2 and "adder:1" in err and "[[prices]]" in err and not (tmp_path / "run").exists()


@pytest.mark.parametrize("amount", ["0", "-1", "nan", "much"])
def test_an_amount_is_above_zero(gra_bench: Callable[..., Any], amount: str) -> None:
    code, _, err = gra_bench("run", "--max-cost", amount)
    assert code == 2 and "--max-cost" in err


def test_what_a_request_without_an_end_may_have_cost_counts_in_every_later_command(
    gra_bench: Callable[..., Any], sums: ModuleType, priced: Callable[..., str], tmp_path: Path
) -> None:
    """The reply comes after the trial's time is over: the provider bills it, and nobody here learns how much."""
    import threading

    over = threading.Event()
    file = priced(more="[limits]\nwall_clock_s = 0.2\n[model]\nmax_output_tokens = 1000")
    sums.BEHAVIOUR["hangs"] = over
    folder = ("--run-dir", str(tmp_path / "run"))
    code, document, _ = gra_bench(
        "run",
        "-b",
        "sums",
        "-c",
        file,
        "-m",
        "adder:1",
        *folder,
        "--max-cost",
        "0.35",
        "--concurrency",
        "1",
        "--json",
    )
    over.set()
    # A request may cost 1,000 tokens at 100 USD a million, and a few cents of prompt: two fit into 35 cents, and no third.
    assert code == 1 and "--max-cost" in document["stopped"] and document["results"][0]["limit"] in (2, 3)
    asked = len(sums.CALLS)
    assert asked in (2, 3) and document["results"][0]["usage"]["estimated"]
    code, document, _ = gra_bench("run", *folder, "--resume", "--max-cost", "0.35", "--json")
    # What is left is enough for a short reply at most; without the memory of the others it would go on to the end.
    assert code == 1 and len(sums.CALLS) <= asked + 1
