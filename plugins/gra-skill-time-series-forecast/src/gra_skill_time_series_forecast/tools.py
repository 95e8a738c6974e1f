"""The tools of the skill."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from gra_core import Column, Param, ToolContext, ToolError, ToolResult, tool

TableLike = Annotated[
    str | list[dict[str, Any]],
    Param(
        description='A table: a dataset reference (ds://…), or rows such as [{"date": "2020", "value": 5.1}, …].'
    ),
]
Horizon = Annotated[int, Param(minimum=1, maximum=1000)]
SHOWN_GROUPS = 20


@tool(
    coverage="Any regular series of at least 4 values", resolution="That of the table: from seconds to years",
    limits="No outside drivers; one series at a time; intervals hold only while the past's behaviour lasts", timeout_s=900,
)  # fmt: skip
def forecast_series(
    ctx: ToolContext,
    table: TableLike,
    time_col: str,
    value_col: str,
    horizon: Horizon,
    group_col: str = "",
    quantiles: list[float] | None = None,
) -> ToolResult:
    """Forecast a series, or one for each group, with quantiles of the uncertainty.

    The model (naive, drift, seasonal naive, Theta, ETS, ARIMA) is chosen per series by its error in rolling-origin
    tests. Returns model, errors, frequency and forecast; the dataset holds every step of every group.

    Args:
        table: Where the history is.
        time_col: Column with years, months, days or ISO times.
        value_col: Column with the values.
        horizon: Number of steps ahead, in the series' own frequency (12 for a year of months).
        group_col: Column that tells series apart, such as region_id.
        quantiles: Between 0 and 1; default [0.1, 0.5, 0.9], an 80% interval and the median.
    """
    import pandas as pd

    from gra_skill_time_series_forecast.forecast import check_quantiles, make_forecast, quantile_name
    from gra_skill_time_series_forecast.series import read_table, to_grid

    chosen = check_quantiles(quantiles)
    read = read_table(ctx, table, time_col, value_col, group_col)
    notes, made = list(read.notes), []
    for series in read.series:
        try:
            grid, filled = to_grid(series)
            made.append(make_forecast(grid, horizon, chosen, groups=len(read.series)))
            notes += filled + made[-1].notes
        except ToolError as error:
            if len(read.series) == 1:
                raise
            notes.append(f"left out: {error.message}")
    if not made:
        raise ToolError(
            "bad_argument",
            f"none of {len(read.series)} series can be forecast: {notes[-1]}",
            hint="see the notes of one series alone",
        )
    frame = pd.concat([f.frame() for f in made], ignore_index=True)
    columns = {
        c: Column(unit=read.column.unit, quantity=read.column.quantity)
        for c in ("mean", *map(quantile_name, chosen))
    }
    if group_col:
        frame = frame.rename(columns={"group": group_col})
    else:
        frame = frame.drop(columns="group")
    saved = ctx.save(
        frame, name=f"forecast-{value_col}", columns=columns, notes=("forecast, not observation",)
    )
    content: dict[str, Any] = {
        "value": value_col,
        "unit": read.column.unit,
        "horizon": horizon,
        "quantiles": chosen,
        "series": len(made),
    }
    content["forecasts"] = [_entry(f, len(made)) for f in made[:SHOWN_GROUPS]]
    if len(made) > SHOWN_GROUPS:
        notes.append(f"{SHOWN_GROUPS} of {len(made)} series are shown, all are in the dataset")
    return ToolResult.ok(content, datasets=[saved], notes=notes[:50])


def _entry(forecast: Any, count: int) -> dict[str, Any]:
    """What is shown of one series: all steps of a few series, first and last of many."""
    from gra_skill_time_series_forecast.times import write_time

    grid, rows = forecast.grid, forecast.rows()
    limit = 60 if count <= 3 else 12
    shown = rows if len(rows) <= limit else [*rows[: limit - 1], rows[-1]]
    entry = {
        "model": forecast.model, "frequency": grid.frequency.label, "season_steps": grid.frequency.season, "observations": len(grid.values) - grid.filled,
        "first": write_time(grid.start, grid.style), "last": write_time(grid.end, grid.style), "last_value": float(grid.values[-1]),
        "backtest_mae": {k: None if v is None else float(f"{v:.6g}") for k, v in forecast.errors.items()}, "forecast": shown,
        "backtest_coverage_80pct": None if forecast.coverage is None else round(forecast.coverage, 3),
    }  # fmt: skip
    return ({"group": grid.group} if grid.group else {}) | entry


@tool(
    coverage="Any regular series of at least 4 values",
    limits="Errors of the past; they grow with the horizon",
    timeout_s=900,
)
def backtest_forecast(
    ctx: ToolContext,
    table: TableLike,
    time_col: str,
    value_col: str,
    horizon: Horizon,
    folds: Annotated[int, Param(minimum=1, maximum=20)] = 3,
    metric: Literal["mae", "rmse", "mape", "smape", "mase"] = "mae",
    group_col: str = "",
) -> ToolResult:
    """Measure how well each model would have forecast the series: rolling-origin folds, each from earlier values only.

    Returns the error by model and fold, the share of values inside the 80% interval, and the skill of the best model
    against the naive (or seasonal naive) one. Use it to say how far a forecast can be trusted.

    Args:
        table: Where the history is.
        time_col: Column with years, months, days or ISO times.
        value_col: Column with the values.
        horizon: Steps ahead that each fold forecasts.
        folds: Number of folds.
        metric: mae and rmse in the values' unit, mape and smape in per cent, mase relative to naive.
        group_col: Column that tells series apart.
    """
    from gra_skill_time_series_forecast.evaluation import backtest_series
    from gra_skill_time_series_forecast.series import read_table, to_grid

    read = read_table(ctx, table, time_col, value_col, group_col)
    if len(read.series) > SHOWN_GROUPS:
        raise ToolError(
            "bad_argument",
            f"{len(read.series)} series, at most {SHOWN_GROUPS} in a backtest",
            hint="choose some groups first",
        )
    notes, results = list(read.notes), []
    for series in read.series:
        grid, filled = to_grid(series)
        entry, more = backtest_series(grid, horizon, folds, metric, groups=len(read.series))
        results.append(entry)
        notes += filled + more
    unit = {"mape": "%", "smape": "%", "mase": "1"}.get(metric, read.column.unit)
    return ToolResult.ok(
        {"metric": metric, "unit": unit, "horizon": horizon, "results": results}, notes=notes
    )


@tool(coverage="Any series of 4 to 2500 values, regular or not", limits="A trend in the past is no forecast")
def test_trend(
    ctx: ToolContext,
    table: TableLike,
    time_col: str,
    value_col: str,
    method: Literal["mann-kendall", "hamed-rao", "seasonal", "ols"] = "mann-kendall",
    group_col: str = "",
    alpha: Annotated[float, Param(minimum=0.0001, maximum=0.5)] = 0.05,
) -> ToolResult:
    """Test whether a series rises or falls over time, and by how much a year (slope with confidence interval).

    Args:
        table: Where the series is.
        time_col: Column with years, months, days or ISO times.
        value_col: Column with the values.
        method: mann-kendall (no assumption on the distribution, ties allowed); hamed-rao the same for autocorrelated values; seasonal
            for months, quarters or days with a season; ols least squares.
        group_col: Column that tells series apart, such as region_id.
        alpha: Level of significance; the interval is of 1 - alpha.
    """
    import pandas as pd

    from gra_skill_time_series_forecast.series import read_table
    from gra_skill_time_series_forecast.trendtest import check_trend

    read = read_table(ctx, table, time_col, value_col, group_col)
    notes, results = list(read.notes), []
    for series in read.series:
        try:
            entry, more = check_trend(series, method, alpha)
        except ToolError as error:
            if len(read.series) == 1:
                raise
            notes.append(f"left out: {error.message}")
            continue
        results.append(entry)
        notes += more
    if not results:
        raise ToolError("bad_argument", f"none of {len(read.series)} series can be tested: {notes[-1]}")
    content: dict[str, Any] = {
        "value": value_col,
        "unit": f"{read.column.unit or 'unit of the values'} per year",
        "series": len(results),
    }
    datasets = []
    if len(results) > SHOWN_GROUPS:
        flat = pd.DataFrame([{k: v for k, v in r.items() if k != "slope_interval"} for r in results])
        flat["slope_low"], flat["slope_high"] = (
            [r.get("slope_interval", [0.0, 0.0])[i] for r in results] for i in (0, 1)
        )
        datasets.append(ctx.save(flat.rename(columns={"group": group_col}), name=f"trend-{value_col}"))
        counts = flat["trend"].value_counts()
        content["trends"] = {str(k): int(v) for k, v in counts.items()}
        notes.append(
            f"the {SHOWN_GROUPS} series with the steepest slopes of {len(results)} are shown, all are in the dataset"
        )
        results = sorted(results, key=lambda r: (-abs(r["slope_per_year"]), r["group"]))[:SHOWN_GROUPS]
    return ToolResult.ok(content | {"results": results}, datasets=datasets, notes=notes[:50])
