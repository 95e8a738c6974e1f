"""Drift of stored answers: same, drifted, no longer answerable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gra_core.benchmark import IllPosed


def test_drift_is_reported_query_by_query(
    sums: ModuleType, gra_bench: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path / "run")
    gra_bench("run", "-b", "sums", "-c", "plain", "-m", "adder:1", "--run-dir", folder, "--json")
    code, _, err = gra_bench("revalidate", "sums", "--against", folder)
    assert code == 2 and "not computed" in err

    def answer(self: Any, query: Any, sources: Any) -> int:
        if query.id == "sum-5":
            raise IllPosed("two answers are as good")
        return query.answer + (query.id == "sum-4")

    monkeypatch.setattr(sums.Sums, "answer", answer, raising=False)
    code, document, _ = gra_bench("revalidate", "sums", "--against", folder, "--json")
    assert code == 1 and (document["same"], document["drifted"], document["not answerable"]) == (4, 1, 1)
    changed = {r["id"]: r for r in document["queries"] if r["state"] != "same"}
    assert (changed["sum-4"]["stored"], changed["sum-4"]["today"]) == (8, 9)
    assert "as good" in changed["sum-5"]["reason"]
    code, text, _ = gra_bench("revalidate", "sums", "--against", folder)
    assert code == 1 and "4 same, 1 drifted, 1 not answerable" in text


@pytest.mark.parametrize(
    ("arguments", "word"),
    [(("sums", "--against", "/no/such/run"), "not a run"), (("sum", "--against", "x"), "")],
)
def test_wrong_use(
    sums: ModuleType, gra_bench: Callable[..., Any], arguments: tuple[str, ...], word: str
) -> None:
    code, _, err = gra_bench("revalidate", *arguments)
    assert code == 2 and word in err
