"""`gra-bench judge validate` as it is used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

RATINGS = "trace,anna,ben,judge\na,1,0.5,1\nb,0,0,0.5\nc,good,partial,\nd,0.5,poor,0\ne,1,1,0.8333\n"


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    return path


def test_statistics_in_json_and_in_a_table(gra_bench: Callable[..., Any], ratings: Path) -> None:
    code, document, _ = gra_bench("judge", "validate", str(ratings), "--resamples", "100", "--json")
    assert code == 0
    assert (document["traces"], document["unscored"], document["raters"]) == (4, 1, ["anna", "ben"])
    # Means 0.75, 0, 0.25 and 1 against 1, 0.5, 0 and 0.8333.
    assert document["bias"]["value"] == pytest.approx((0.25 + 0.5 - 0.25 - 0.1667) / 4)
    assert set(document["alpha_judge_replacing"]) == {"anna", "ben"} and list(
        document["alpha_rater_pairs"]
    ) == ["anna, ben"]
    code, text, _ = gra_bench("judge", "validate", str(ratings), "--resamples", "100", "--confidence", "0.9")
    assert (
        code == 0
        and "90% interval" in text
        and "Reversals: 0" in text
        and "alpha, judge in place of ben" in text
    )
    assert "4 traces, 8 ratings by anna, ben; 1 unscored left out" in text


def test_scores_of_a_run(gra_bench: Callable[..., Any], sums: ModuleType, tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    gra_bench(
        "run",
        "-b",
        "sums",
        "-c",
        "plain",
        "-m",
        "adder:1",
        "--run-dir",
        folder,
        "--judge",
        "grader:1",
        "--json",
    )
    _, shown, _ = gra_bench("show", folder, "--json")
    rows = [f"{t['trial']},{n % 2},{n % 3 / 2}" for n, t in enumerate(shown["trials"])]
    (tmp_path / "people.csv").write_text("\n".join(["trace,anna,ben", *rows]))
    arguments = (
        "judge",
        "validate",
        str(tmp_path / "people.csv"),
        "--run",
        folder,
        "--resamples",
        "20",
        "--json",
    )
    code, document, _ = gra_bench(*arguments, "--scorer", "close")
    assert code == 0 and document["traces"] == 6 and document["spearman"]["value"] is None
    code, _, err = gra_bench(*arguments, "--scorer", "closer")
    assert code == 2 and "gra-bench score" in err
    code, _, err = gra_bench(*arguments)
    assert code == 2 and "go together" in err
    gra_bench("score", folder, "--scorer", "close", "--judge", "grader:2", "--json")
    code, _, err = gra_bench(*arguments, "--scorer", "close")
    assert code == 2 and "grader:1 × 3, grader:2 × 3" in err
    assert gra_bench(*arguments, "--scorer", "close", "--judge", "grader:2")[0] == 0


def test_a_wrong_file_is_told(gra_bench: Callable[..., Any], ratings: Path) -> None:
    ratings.write_text(RATINGS.replace("partial", "so so"))
    code, _, err = gra_bench("judge", "validate", str(ratings))
    assert code == 2 and "line 4, ben" in err and "so so" in err and "Traceback" not in err
    code, _, err = gra_bench("judge", "validate", str(ratings.with_name("gone.csv")))
    assert code == 2 and "gone.csv" in err
