"""Reading tables: times, frequencies, gaps, repeats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import Column, ToolError
from gra_skill_time_series_forecast.frequency import infer_frequency
from gra_skill_time_series_forecast.series import Series, read_table, to_grid
from gra_skill_time_series_forecast.times import read_times, write_time


def rows(times: list[Any], values: list[Any] | None = None) -> list[dict[str, Any]]:
    return [{"t": t, "v": v} for t, v in zip(times, values or range(len(times)), strict=True)]


@pytest.mark.parametrize(
    ("times", "style", "first"),
    [
        (["2000", "2001"], "year", "2000-01-01"), ([2000, 2001], "year", "2000-01-01"), ([2000.0, 2001.0], "year", "2000-01-01"),
        (["2000-05", "2000-06"], "month", "2000-05-01"), (["2000-Q2", "2000Q3"], "quarter", "2000-04-01"), (["2000-05-31", "2000-06-30"], "day", "2000-05-31"),
        (["2000-05-31T06:00", "2000-05-31T12:00"], "time", "2000-05-31T06:00"), (["2000-05-31T23:00-02:00", "2000-06-01T05:00Z"], "time", "2000-06-01T01:00"),
    ],
)  # fmt: skip
def test_times(times: list[Any], style: str, first: str) -> None:
    read = read_times(pd.Series(times), "t")
    assert read.style == style and read.stamps.iloc[0] == pd.Timestamp(first)


@pytest.mark.parametrize(
    "times",
    [
        ["05/31/2020", "06/30/2020"],
        [1234567890, 1234567891],
        [True, False],
        ["soon", "later"],
        [2000.5, 2001.5],
        ["2000-13", "2001-01"],
    ],
)
def test_values_that_are_no_times(times: list[Any]) -> None:
    with pytest.raises(ToolError, match="is not a time") as error:
        read_times(pd.Series(times), "t")
    assert error.value.kind == "bad_argument" and "2020-05" in error.value.hint


def test_a_row_without_time_is_named() -> None:
    with pytest.raises(ToolError, match="row 2 has no time"):
        read_times(pd.Series(["2000", None]), "t")


def test_clock_times_of_a_zone_are_kept() -> None:
    stamps = pd.date_range(
        "2024-03-09", periods=4, freq="D", tz="America/New_York"
    )  # the clock changes on the 10th
    read = read_times(pd.Series(stamps), "t")
    assert infer_frequency(read.stamps).label == "daily" and "America/New_York" in read.notes[0]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("times", "label", "season", "after"),
    [
        (pd.date_range("1990-01-01", periods=5, freq="YS"), "yearly", 1, "1995-01-01"), (pd.to_datetime(["1952-01-01", "1957-01-01", "1962-01-01"]), "every 5 years", 1, "1967-01-01"),
        (pd.date_range("2020-01-31", periods=5, freq="ME"), "monthly", 12, "2020-06-30"), (pd.date_range("2020-01-01", periods=5, freq="MS"), "monthly", 12, "2020-06-01"),
        (pd.date_range("2020-01-01", periods=5, freq="QS"), "quarterly", 4, "2021-04-01"), (pd.date_range("2020-01-06", periods=5, freq="7D"), "weekly", 52, "2020-02-10"),
        (pd.date_range("2020-02-27", periods=5, freq="D"), "daily", 7, "2020-03-03"), (pd.date_range("2020-01-01", periods=12, freq="B"), "weekdays", 5, "2020-01-17"),
        (pd.date_range("2020-01-01", periods=5, freq="h"), "hourly", 24, "2020-01-01T05:00"), (pd.date_range("2020-01-01", periods=5, freq="6h"), "6-hourly", 4, "2020-01-02T06:00"),
        (pd.date_range("2020-01-01", periods=5, freq="10min"), "every 10 minutes", 1, "2020-01-01T00:50"),
    ],
)  # fmt: skip
def test_frequencies(times: pd.DatetimeIndex, label: str, season: int, after: str) -> None:
    frequency = infer_frequency(pd.Series(times))
    assert frequency is not None and (frequency.label, frequency.season) == (label, season)
    assert frequency.after(times[-1], 1) == pd.Timestamp(after)


@given(
    st.datetimes(pd.Timestamp("1900-01-01").to_pydatetime(), pd.Timestamp("2100-01-01").to_pydatetime()),
    st.sampled_from(["YS", "MS", "ME", "QS", "W", "D", "h", "15min", "s"]), st.integers(4, 40), st.data(),
)  # fmt: skip
def test_steps_and_positions_agree_whatever_is_missing(start: Any, freq: str, count: int, data: Any) -> None:
    full = pd.Series(pd.date_range(pd.Timestamp(start).floor("s"), periods=count, freq=freq))
    kept = full.drop(
        data.draw(st.sets(st.integers(2, count - 2), max_size=max(0, count // 3 - 2)))
    ).reset_index(drop=True)
    frequency = infer_frequency(kept)
    assert frequency is not None
    positions = frequency.positions(kept)
    assert positions is not None
    assert [frequency.after(kept.iloc[0], int(p)) for p in positions] == list(kept)


def test_irregular_times_have_no_frequency(ctx: Any) -> None:
    table = read_table(ctx, rows(["2000-01-01", "2000-01-02", "2000-01-05", "2000-01-05T13:00"]), "t", "v")
    with pytest.raises(ToolError, match="no regular step") as error:
        to_grid(table.series[0])
    assert "query_table" in error.value.hint


def test_gaps_are_filled_on_a_line_and_told(ctx: Any) -> None:
    [series] = read_table(ctx, rows(["2000", "2001", "2003", "2004"], [1.0, 2.0, 6.0, 7.0]), "t", "v").series
    grid, notes = to_grid(series)
    assert (
        grid.values.tolist() == [1, 2, 4, 6, 7]
        and grid.filled == 1
        and "1 of 5 yearly steps were filled" in notes[0]
    )


def test_too_many_gaps_are_refused(ctx: Any) -> None:
    [series] = read_table(ctx, rows(["2000", "2001", "2002", "2010", "2011"]), "t", "v").series
    with pytest.raises(ToolError, match="7 of 12 yearly steps have no value"):
        to_grid(series)


def test_order_repeats_missing_values_and_text_numbers(ctx: Any) -> None:
    table = read_table(
        ctx,
        rows(["2002", "2000", "2001", "2001", "2003", "2004"], ["3", 1, 2, 2, None, float("nan")]),
        "t",
        "v",
    )
    assert table.series[0].values.tolist() == [1, 2, 3]
    assert table.notes == ["2 rows without a value are left out", "1 repeated rows are left out"]


def test_two_values_at_one_time_are_refused(ctx: Any) -> None:
    with pytest.raises(ToolError, match="several values at 2001-01-01 00:00:00: 2, 3") as error:
        read_table(ctx, rows(["2000", "2001", "2001"], [1, 2, 3]), "t", "v")
    assert "group_col" in error.value.hint


def test_groups_keep_their_names(ctx: Any) -> None:
    data = [
        {"t": "2000", "v": 1, "g": "geoId/06"},
        {"t": "2000", "v": 2, "g": "geoId/31"},
        {"t": "2001", "v": 3, "g": "geoId/06"},
    ]
    assert [s.group for s in read_table(ctx, data, "t", "v", "g").series] == ["geoId/06", "geoId/31"]


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ([{"t": "2000", "x": 1}], "no column 'v'"), ([{"t": "2000", "v": "many"}], "'many' .row 1. is not a number"), ([{"t": "2000", "v": None}], "no values"),
        ([{"t": "2000", "v": True}], "holds no numbers"), ("ds://nothing-1", "no dataset"), ("table.csv", "not a dataset reference"),
    ],
)  # fmt: skip
def test_bad_tables(ctx: Any, table: Any, text: str) -> None:
    with pytest.raises(ToolError, match=text):
        read_table(ctx, table, "t", "v")


def test_unit_of_a_dataset_column_is_carried(ctx: Any) -> None:
    frame = pd.DataFrame({"t": ["2000", "2001"], "v": [1.0, 2.0]})
    saved = ctx.save(frame, name="x", columns={"v": Column(unit="mm", quantity="intensive")})
    assert read_table(ctx, saved.ref, "t", "v").column.unit == "mm"


@given(st.integers(1900, 2100), st.integers(1, 12))
def test_written_times_read_back(year: int, month: int) -> None:
    stamp = pd.Timestamp(year, month, 1)
    for style in ("month", "day", "time"):
        assert read_times(pd.Series([write_time(stamp, style)] * 2), "t").stamps.iloc[0] == stamp
    quarter = pd.Timestamp(year, (month - 1) // 3 * 3 + 1, 1)
    assert read_times(pd.Series([write_time(quarter, "quarter")]), "t").stamps.iloc[0] == quarter


def test_series_of_one_value_is_too_short() -> None:
    with pytest.raises(ToolError, match="too few"):
        to_grid(
            Series(
                group="", times=pd.Series([pd.Timestamp("2000-01-01")]), values=np.array([1.0]), style="year"
            )
        )
