"""What the tests of the atlas share: the files, read once."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pytest

DATA = Path(str(files("gra_atlas"))) / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    return DATA


@pytest.fixture(scope="session")
def regions() -> gpd.GeoDataFrame:
    parts = [gpd.read_parquet(DATA / f"regions_{name}.parquet") for name in ("us", "world")]
    return pd.concat(parts).set_index("region_id", drop=False)


@pytest.fixture(scope="session")
def landmarks() -> pd.DataFrame:
    return pd.read_csv(DATA / "landmarks.csv", comment="#", keep_default_na=False).set_index(
        "place_id", drop=False
    )
