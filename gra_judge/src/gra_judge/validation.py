"""Does a judge agree with people as well as they agree with each other?"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from attrs import frozen

from gra_core import UsageError
from gra_judge.agreement import interval_alpha, spearman
from gra_judge.bootstrap import Bootstrap, Estimate
from gra_judge.ratings import Ratings

THIRD = 1 / 3
# Averages of a few thirds and halves carry errors in the last bits.
SLACK = 1e-9


@frozen(kw_only=True)
class Validation:
    """Agreement of a judge with raters over the traces that the judge has scored.

    Alpha is Krippendorff's, interval metric: among the raters, with the judge as one more, with the judge in place of
    each, and of every pair. The rest compares the judge with the mean rating of each trace, both from 0 to 1:
    `bias` is judge minus mean; `within_third` the share of traces at most ⅓ apart; `reversals` are traces that one
    puts above ⅔ and the other below ⅓. Intervals are percentile bootstrap intervals over traces.
    """

    traces: int
    unscored: int
    ratings: int
    raters: tuple[str, ...]
    resamples: int
    seed: int
    confidence: float
    alpha_raters: Estimate
    alpha_with_judge: Estimate
    alpha_judge_replacing: dict[str, Estimate]
    alpha_rater_pairs: dict[str, Estimate]
    alpha_judge_pairs: dict[str, Estimate]
    spearman: Estimate
    mean_absolute_difference: Estimate
    bias: Estimate
    within_third: Estimate
    reversals: tuple[str, ...]


def validate(
    ratings: Ratings, *, resamples: int = 2000, seed: int = 0, confidence: float = 0.95
) -> Validation:
    """Every statistic, over the traces that have a judge's score and at least one rating."""
    keep = [i for i, score in enumerate(ratings.judge) if score is not None]
    if len(keep) < 2:
        raise UsageError(f"the judge has scored {len(keep)} traces; at least 2 are needed")
    people = {r: np.array([ratings.values[r][i] for i in keep], dtype=float) for r in ratings.raters}
    judge = np.array([ratings.judge[i] for i in keep], dtype=float)
    boot = Bootstrap(traces=len(keep), resamples=resamples, seed=seed, confidence=confidence)

    def alpha(*rows: Any) -> Estimate:
        return boot.estimate(interval_alpha, np.stack(rows))

    mean = np.nanmean(np.stack(list(people.values())), axis=0)
    difference = judge - mean
    others = {r: [v for name, v in people.items() if name != r] for r in people}
    pairs = itertools.combinations(people, 2)
    turned = ((judge > 2 * THIRD + SLACK) & (mean < THIRD - SLACK)) | (
        (judge < THIRD - SLACK) & (mean > 2 * THIRD + SLACK)
    )
    return Validation(
        traces=len(keep), unscored=len(ratings.traces) - len(keep), raters=ratings.raters,
        ratings=int(sum((~np.isnan(v)).sum() for v in people.values())),
        resamples=resamples, seed=seed, confidence=confidence,
        alpha_raters=alpha(*people.values()),
        alpha_with_judge=alpha(*people.values(), judge),
        alpha_judge_replacing={r: alpha(*others[r], judge) for r in people},
        alpha_rater_pairs={f"{a}, {b}": alpha(people[a], people[b]) for a, b in pairs},
        alpha_judge_pairs={r: alpha(v, judge) for r, v in people.items()},
        spearman=boot.estimate(spearman, judge, mean),
        mean_absolute_difference=boot.estimate(lambda d: np.abs(d).mean(axis=-1), difference),
        bias=boot.estimate(lambda d: d.mean(axis=-1), difference),
        within_third=boot.estimate(lambda d: (np.abs(d) <= THIRD + SLACK).mean(axis=-1), difference),
        reversals=tuple(ratings.traces[i] for i, turn in zip(keep, turned, strict=True) if turn),
    )  # fmt: skip
