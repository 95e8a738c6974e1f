"""How well simple forecasts would have done."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pandas as pd

from gra_benchmark_geoktools.choices import some_countries
from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.facts import world_values
from gra_benchmark_geoktools.indicators import YEARLY
from gra_benchmark_geoktools.solving.backtest import FOLDS, errors
from gra_benchmark_geoktools.solving.ranking import significant
from gra_benchmark_geoktools.solving.trend import direction, sens_slope
from gra_benchmark_geoktools.steps import MANN_KENDALL, dataset, places_of_statistics, series_of, verdict
from gra_benchmark_geoktools.template import Parameters, Template
from gra_core import Blank, IllPosed
from gra_core.benchmark import ReferenceTrajectory

# Names that backtest_forecast gives the two forecasts.
MODELS = {"naive": "Naive", "drift": "RandomWalkWithDrift"}


def a_series(data: Data, rng: random.Random) -> Parameters:
    """A yearly series of a country, and a horizon to test forecasts with."""
    i = rng.choice(list(YEARLY.values()))
    start, horizon = rng.randrange(1970, 1981), rng.randint(2, 5)
    country = some_countries(data, rng, 1, values=world_values(data, i, 2010)).iloc[0]
    return {"country_id": country["region_id"], "country": country["name"], "title": i.title, "provider": i.provider, "start": start,
            "end": rng.randrange(2005, 2014), "horizon": horizon, "folds": FOLDS, "years": FOLDS * horizon}  # fmt: skip


def series_in(data: Data, parameters: Parameters) -> pd.Series:
    """The series of an instance; `IllPosed` when a year is missing."""
    i = YEARLY[parameters["title"]]
    series = data.series(
        i.variable, i.facet, parameters["country_id"], parameters["start"], parameters["end"]
    )
    if len(series) != parameters["end"] - parameters["start"] + 1:
        raise IllPosed("a year is missing")
    return series


def better(found: dict[str, float]) -> str:
    """The forecast with the smaller error; `IllPosed` when they are nearly equally good."""
    small, large = sorted(found.values())
    if small > 0.95 * large:
        raise IllPosed("both forecasts are about as good")
    return min(found, key=lambda name: found[name])


class SimpleForecasts(Template):
    id = "simple-forecasts"
    tool_types = ("statistics-history", "forecasting")
    wording = (
        "Take the {title} of {country} from {start} to {end} ({provider}). Test two forecasts on the last {years} years, cut into {folds} windows of "
        "{horizon} years, each window predicted from all earlier values: 'naive' repeats the last known value, 'drift' adds the mean yearly change "
        "so far. Which has the smaller mean absolute error over the windows, and how large is it?"
    )
    blanks = (
        Blank(label="better forecast: naive or drift", type="text"),
        Blank(label="its mean absolute error", type="number", tolerance="rate", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        return a_series(data, rng)

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        found = errors(series_in(data, parameters), parameters["horizon"])
        name = better(found)
        return [name, significant(found[name])]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        country = yield from places_of_statistics([slots["country"]])
        series = yield series_of(YEARLY[slots["title"]], country, slots["start"], slots["end"])
        tested = yield backtest_of(dataset(series), slots)
        return smaller_error(tested)


def backtest_of(table: str, slots: Mapping[str, Any]) -> Any:
    """The call for the errors of forecasts of a series."""
    return "backtest_forecast", {
        "table": table, "time_col": "date", "value_col": "value", "horizon": slots["horizon"], "folds": slots["folds"], "metric": "mae",
    }  # fmt: skip


def smaller_error(reply: dict[str, Any]) -> list[Any]:
    """The better of the two simple forecasts of a backtest, and its error."""
    models = {row["model"]: row["error"] for row in reply["content"]["results"][0]["models"]}
    name = min(MODELS, key=lambda name: models[MODELS[name]])
    return [name, models[MODELS[name]]]


class TrendAndForecast(Template):
    id = "trend-and-forecast"
    tool_types = ("statistics-history", "trend-testing", "forecasting")
    wording = (
        "For the {title} of {country} from {start} to {end} ({provider}): is there a monotonic trend at the 5% level (Mann-Kendall), what is Sen's "
        "slope per year, and which forecast would have had the smaller mean absolute error on the last {years} years, cut into {folds} windows of "
        "{horizon} years that are each predicted from all earlier values: 'naive' (the last known value) or 'drift' (plus the mean yearly change so "
        "far)?"
    )
    blanks = (
        Blank(label="trend: increasing, decreasing or no trend", type="text"),
        Blank(label="Sen's slope per year", type="number", tolerance="rate"),
        Blank(label="better forecast: naive or drift", type="text"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        return a_series(data, rng)

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        series = series_in(data, parameters)
        return [
            direction(series),
            significant(sens_slope(series)),
            better(errors(series, parameters["horizon"])),
        ]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        country = yield from places_of_statistics([slots["country"]])
        series = yield series_of(YEARLY[slots["title"]], country, slots["start"], slots["end"])
        test = yield "test_trend", MANN_KENDALL | {"table": dataset(series)}
        tested = yield backtest_of(dataset(series), slots)
        return [*verdict(test), smaller_error(tested)[0]]
