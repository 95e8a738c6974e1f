"""Source ``cyclones=ibtracs-csv``: IBTrACS v4 files on disk.

File format: one header row, one row of units, then fixes; a blank is a single space; basin ``NA`` is the North
Atlantic; spurs repeat parts of main tracks and are left out. Wind, pressure, status, category and radii are those of
the US agencies (1-minute mean), because the other agencies average over other periods.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gra_core import SourceSettings, ToolError
from gra_geo.protocols import FIX_COLUMNS, QUADRANTS, RADII_COLUMNS, WINDS_KT

NMI_KM = 1.852
_TEXT = ["SID", "BASIN", "NAME", "NATURE", "TRACK_TYPE", "USA_ATCF_ID", "USA_STATUS", "WMO_AGENCY"]
_NUMBERS = ["SEASON", "LAT", "LON", "USA_WIND", "USA_PRES", "USA_SSHS", "USA_RMW", "WMO_WIND", "WMO_PRES"]
_RADII = {f"USA_R{w}_{q.upper()}": f"r{w}_{q}_km" for w in WINDS_KT for q in QUADRANTS}
_NEEDED = {"SID", "SEASON", "BASIN", "ISO_TIME", "LAT", "LON", "USA_WIND"}
EXTRA_COLUMNS = ("atcf_id", "nature", "provisional", "wmo_wind_kt", "wmo_agency", "rmw_km", *RADII_COLUMNS)


class IbtracsCsv:
    """A `gra_geo.protocols.CycloneSource` over ``ibtracs.*.csv``; the setting `path` is a file or a folder of them."""

    def __init__(self, settings: SourceSettings) -> None:
        self._path = Path(str(settings.get("path", ""))).expanduser()

    @cached_property
    def _table(self) -> pd.DataFrame:
        frames = [read_ibtracs(file) for file in _files(self._path)]
        table = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
        return table.drop_duplicates(["storm_id", "time"]).sort_values(
            ["storm_id", "time"], ignore_index=True
        )

    def coverage(self) -> dict[str, Any]:
        """Seasons, basins and number of storms of the files; winds are 1-minute means, radii are recorded."""
        table = self._table
        return {
            "first_season": int(table["season"].min()),
            "last_season": int(table["season"].max()),
            "last_time": table["time"].max().isoformat(),
            "basins": sorted(table["basin"].unique()),
            "storms": int(table["storm_id"].nunique()),
            "wind_averaging_min": 1,
            "radii": bool(table[list(RADII_COLUMNS)].notna().any(axis=None)),
        }

    def fixes(
        self,
        *,
        seasons: list[int] | None = None,
        name: str = "",
        storm_ids: list[str] | None = None,
        basin: str = "",
        bbox: list[float] | None = None,
    ) -> pd.DataFrame:
        """Fixes of whole storms, columns `FIX_COLUMNS` and `EXTRA_COLUMNS`; `storm_ids` may be SIDs or ATCF ids."""  # fmt: skip
        table = self._table
        keep = pd.Series(True, index=table.index)
        if seasons is not None:
            keep &= table["season"].isin(seasons)
        if name:
            keep &= table["name"] == name.strip().upper()
        if storm_ids is not None:
            wanted = {s.strip().upper() for s in storm_ids}
            keep &= table["storm_id"].isin(wanted) | table["atcf_id"].isin(wanted)
        if basin:
            keep &= table["basin"] == basin.upper()
        if bbox is not None:
            west, south, east, north = bbox
            inside = (
                (table["lon"] >= west) & (table["lon"] <= east)
                if west <= east
                else (table["lon"] >= west) | (table["lon"] <= east)
            )
            keep &= inside & table["lat"].between(south, north)
        chosen = table.loc[keep, "storm_id"].unique()
        return table[table["storm_id"].isin(chosen)].reset_index(drop=True)


def _files(path: Path) -> list[Path]:
    found = sorted(path.glob("ibtracs*.csv")) if path.is_dir() else [path]
    if not found or not found[0].is_file():
        raise ToolError(
            "not_available", f"no IBTrACS file at {path}",
            hint="set path of source ibtracs-csv to a file ibtracs.*.csv or a folder of them",
        )  # fmt: skip
    return found


def read_ibtracs(file: Path) -> pd.DataFrame:
    """One file as a table, columns `FIX_COLUMNS` and `EXTRA_COLUMNS`: time UTC, wind kt, pressure hPa, radii km."""
    wanted = {*_TEXT, *_NUMBERS, *_RADII, "ISO_TIME"}
    try:
        raw = pd.read_csv(
            file,
            skiprows=[1],
            dtype=str,
            keep_default_na=False,
            usecols=lambda c: c.strip() in wanted,
            encoding="utf-8",
        )
    except (OSError, ValueError) as error:
        raise ToolError(
            "not_available", f"{file.name} is not readable as IBTrACS CSV: {error}", hint="download it again"
        ) from error
    raw.columns = [c.strip() for c in raw.columns]
    if missing := sorted(_NEEDED - set(raw.columns)):
        raise ToolError(
            "not_available",
            f"{file.name} is no IBTrACS v4 CSV: no column {', '.join(missing)}",
            hint="use a list file of IBTrACS v4",
        )
    raw = raw.apply(lambda column: column.str.strip())
    kind = raw["TRACK_TYPE"].str.casefold() if "TRACK_TYPE" in raw else pd.Series("main", index=raw.index)
    raw, kind = raw[~kind.str.contains("spur")], kind[~kind.str.contains("spur")]
    return _tidy(raw, kind).dropna(subset=["time", "lon", "lat"]).reset_index(drop=True)


def _tidy(raw: pd.DataFrame, kind: pd.Series) -> pd.DataFrame:
    def number(column: str) -> pd.Series:
        return (
            pd.to_numeric(raw[column], errors="coerce")
            if column in raw
            else pd.Series(np.nan, index=raw.index)
        )

    def text(column: str) -> pd.Series:
        return raw[column] if column in raw else pd.Series("", index=raw.index)

    data = {
        "storm_id": text("SID"), "name": text("NAME").replace({"NOT_NAMED": "", "UNNAMED": ""}), "season": number("SEASON").astype("int64"),
        "basin": text("BASIN"), "time": pd.to_datetime(raw["ISO_TIME"], errors="coerce"),
        "lon": (number("LON") + 180.0) % 360.0 - 180.0, "lat": number("LAT"), "wind_kt": number("USA_WIND"),
        "pressure_hpa": number("USA_PRES").fillna(number("WMO_PRES")), "status": text("USA_STATUS"),
        "category": number("USA_SSHS").fillna(-5).astype("int64"), "atcf_id": text("USA_ATCF_ID"), "nature": text("NATURE"),
        "provisional": kind.str.contains("provisional"), "wmo_wind_kt": number("WMO_WIND"), "wmo_agency": text("WMO_AGENCY"),
        "rmw_km": number("USA_RMW") * NMI_KM,
    }  # fmt: skip
    frame = pd.DataFrame(data | {ours: number(theirs) * NMI_KM for theirs, ours in _RADII.items()})
    return frame[[*FIX_COLUMNS, *EXTRA_COLUMNS]]
