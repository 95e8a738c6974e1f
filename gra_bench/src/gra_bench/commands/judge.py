"""`gra-bench judge`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gra_bench.options import json_option, print_json


@click.group(short_help="Validate a judge against ratings by people.")
def command() -> None:
    """Is a judge as good as the people it stands for?"""


@command.command("validate", short_help="Agreement of a judge with human ratings.")
@click.argument("ratings", type=click.Path(path_type=Path), metavar="RATINGS.csv")
@click.option(
    "--judge-name", metavar="NAME", help="The judge's column or rater. [default: judge or autorater]"
)
@click.option(
    "--scale",
    type=float,
    default=1.0,
    show_default=True,
    metavar="MAX",
    help="The highest rating; 0 is the lowest.",
)
@click.option(
    "--run",
    "run_dir",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Take the judge's scores from this run; traces are trial ids.",
)
@click.option("--scorer", metavar="NAME", help="With --run: the autorater.")
@click.option("--judge", metavar="ID", help="With --run: the judge, when several have scored it.")
@click.option(
    "--resamples",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    metavar="N",
    help="Bootstrap resamples.",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the bootstrap.")
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the intervals.",
)
@json_option
def validate_command(
    ratings: Path, judge_name: str | None, scale: float, run_dir: Path | None, scorer: str | None, judge: str | None,
    resamples: int, seed: int, confidence: float, as_json: bool,
) -> int:  # fmt: skip
    """Compare a judge with human raters: Krippendorff's alpha, Spearman's correlation, differences, reversals.

    RATINGS.csv has a row for each trace: a column `trace`, a column for each rater and a column `judge`; or the columns
    `trace`, `rater` and `rating`. Ratings are numbers from 0 to --scale, or good, partial and poor; an empty cell is a
    missing rating. Intervals come from a bootstrap over traces.
    """
    from gra_core import dump
    from gra_judge.ratings import read_ratings
    from gra_judge.validation import validate

    if (run_dir is None) != (scorer is None) or (judge and run_dir is None):
        raise click.UsageError("--run and --scorer go together, and --judge needs them")
    scores = judge_scores(run_dir, scorer, judge) if run_dir and scorer else None
    found = validate(
        read_ratings(ratings, judge=judge_name, scale=scale, scores=scores),
        resamples=resamples,
        seed=seed,
        confidence=confidence,
    )
    if as_json:
        print_json(dump(found))
    else:
        print_validation(found)
    return 0


def judge_scores(run: Path, scorer: str, judge: str | None) -> dict[str, float | None]:
    """An autorater's scores of a run by trial."""
    from gra_bench.scores import read_scores
    from gra_bench.store import read_manifest

    read_manifest(run)
    mine = [s for s in read_scores(run) if s["scorer"] == scorer and judge in (None, s["judge"])]
    kinds = sorted({f"{s['judge']} × {s['passes']}" for s in mine})
    if not mine:
        raise click.UsageError(
            f"{run} has no scores of {scorer!r}; `gra-bench score {run} --scorer {scorer}` makes them"
        )
    if len(kinds) > 1:
        raise click.UsageError(
            f"{run} was scored by several judges: {', '.join(kinds)}; choose one with --judge"
        )
    return {s["trial"]: s["score"] for s in mine}


def print_validation(found: Any) -> None:
    """The statistics as a table."""
    from gra_bench.tables import print_rows

    rows = [
        ("alpha among raters", found.alpha_raters),
        ("alpha with the judge", found.alpha_with_judge),
        *((f"alpha, judge in place of {name}", e) for name, e in found.alpha_judge_replacing.items()),
        *((f"alpha of {name}", e) for name, e in found.alpha_rater_pairs.items()),
        *((f"alpha of judge, {name}", e) for name, e in found.alpha_judge_pairs.items()),
        ("Spearman, judge and mean rating", found.spearman),
        ("mean absolute difference", found.mean_absolute_difference),
        ("bias (judge minus mean rating)", found.bias),
        ("share within a third", found.within_third),
    ]
    level = f"{100 * found.confidence:g}% interval"
    shown = [{"statistic": name, "value": number(e.value), level: interval(e)} for name, e in rows]
    click.echo(
        f"{found.traces} traces, {found.ratings} ratings by {', '.join(found.raters)}; {found.unscored} unscored left out"
    )
    print_rows(shown, ["statistic", "value", level])
    click.echo(
        f"Reversals: {len(found.reversals)}{': ' if found.reversals else ''}{', '.join(found.reversals)}"
    )


def number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.3f}"


def interval(estimate: Any) -> str:
    """The interval, and in how many resamples the statistic was not defined."""
    if estimate.low is None:
        return ""
    missing = f" ({estimate.undefined} resamples not defined)" if estimate.undefined else ""
    return f"{estimate.low:.3f} to {estimate.high:.3f}{missing}"
