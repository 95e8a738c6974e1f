"""The real sources, the installed tools and the scorer, made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gra_benchmark_geoktools.data import Data
from gra_core import Scorer, Sources
from gra_core.registry import Registry
from gra_core.testing.solvers import tool_player


@cache
def installed() -> Registry:
    return Registry.load()


@cache
def real_sources() -> Sources:
    return Sources(installed())


@cache
def real_data() -> Data:
    return Data(real_sources())


@pytest.fixture(scope="session")
def sources() -> Sources:
    return real_sources()


@pytest.fixture(scope="session")
def data() -> Data:
    return real_data()


@pytest.fixture(scope="session")
def scorer() -> Scorer:
    return installed().scorers["blanks"]


@pytest.fixture
def called() -> list[str]:
    """The tools that `play` has called."""
    return []


@pytest.fixture
def play(tmp_path: Path, called: list[str]) -> Callable[[Any], Any]:
    return tool_player(installed(), tmp_path, record=called)
