"""The scorer `abstention-decision`: whether the agent declined what has no solution, and nothing else."""

from __future__ import annotations

from gra_core import Query, Score


def score_decision(query: Query, answer: str, status: str = "answered") -> Score:
    """1 when the agent abstained on a task without a solution or answered one with a solution, else 0.

    How good an answer is does not enter. Tasks of which ``extra["decision"]`` is ``either`` have reference solutions of
    both kinds: an answer and an abstention are right.
    """
    abstained = status == "abstained"
    if abstained:
        right = not query.solvable or query.extra.get("decision") == "either"
    else:
        right = query.solvable and bool(answer.strip())
    what = "abstained" if abstained else "answered" if answer.strip() else "gave no answer"
    return Score(
        value=float(right), explanation=f"{what}; the task has {'a' if query.solvable else 'no'} solution"
    )
