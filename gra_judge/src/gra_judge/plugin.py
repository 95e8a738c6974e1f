"""Plugin: the deterministic scorers and the autoraters."""

from __future__ import annotations

from gra_core import Autorater, Scorer, hookimpl


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


@hookimpl
def gra_autoraters() -> list[Autorater]:
    from gra_judge.partial import ANSWER
    from gra_judge.workflow import WORKFLOW

    return [ANSWER, WORKFLOW]
