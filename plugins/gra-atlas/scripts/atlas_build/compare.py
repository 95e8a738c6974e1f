"""Comparison of two builds by value: writers of another version give other bytes for the same table."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import rasterio


def differences(new: Path, old: Path) -> list[str]:
    """One line per file of `new` that is missing in `old` or has other values."""
    found = []
    for file in sorted(new.iterdir()):
        other = old / file.name
        if not other.exists():
            found.append(f"{file.name}: not there")
        elif problem := _rasters(file, other) if file.suffix == ".tif" else _tables(file, other):
            found.append(f"{file.name}: {problem}")
    return found


def _rasters(new: Path, old: Path) -> str:
    with rasterio.open(new) as a, rasterio.open(old) as b:
        if (a.transform, a.crs, a.nodata, a.shape) != (b.transform, b.crs, b.nodata, b.shape):
            return "another grid"
        return "" if np.array_equal(a.read(), b.read()) else "other values"


def _tables(new: Path, old: Path) -> str:
    a, b = _read(new), _read(old)
    try:
        pd.testing.assert_frame_equal(a, b, check_categorical=False)
    except AssertionError as error:
        return str(error).splitlines()[0]
    return ""


def _read(file: Path) -> pd.DataFrame:
    try:
        return pd.DataFrame(gpd.read_parquet(file).to_wkb())
    except ValueError:
        return pd.read_parquet(file)
