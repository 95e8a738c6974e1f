"""Plugin: the deterministic scorers."""

from __future__ import annotations

from gra_core import Scorer, hookimpl


@hookimpl
def gra_scorers() -> list[Scorer]:
    return [
        Scorer(name="blanks", function="gra_judge.blanks:score_blanks", title="Mean closeness of the answer's blanks, each in its own domain"),
        Scorer(name="label", function="gra_judge.label:score_label", title="Exact label; an inconclusive answer counts as wrong"),
        Scorer(
            name="two-significant-figures", function="gra_judge.figures:score_figures",
            title="One number that equals the reference to two significant figures",
        ),
    ]  # fmt: skip
