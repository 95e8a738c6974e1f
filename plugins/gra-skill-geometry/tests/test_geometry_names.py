"""Names given to a tool mean one place or are refused with the candidates (public fault 18: "Newcastle, UK")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("name", "candidates"),
    [
        # The town of that very name has 7,000 people; Newcastle upon Tyne, which has it as another name, 300,000.
        ("Newcastle, UK", ["Newcastle upon Tyne", "Northern Ireland"]),
        ("Paris", ["FRA", "Texas"]),
        ("Nebraska", ["geoId/31"]),
    ],
)
def test_a_name_of_several_places_is_refused_with_all(
    gra_call: Callable[..., Any], name: str, candidates: list[str]
) -> None:
    result = gra_call("compute_distances", a=[name], b=[[0.0, 0.0]])
    assert result.status == "error" and result.error.kind == "bad_argument"
    for candidate in candidates:
        assert candidate in result.error.message + result.error.hint


@pytest.mark.parametrize(
    ("name", "place"), [("Paris, Texas", "geonames/4717560"), ("Carhenge", "landmark/carhenge")]
)
def test_a_name_of_one_place_is_taken_and_told(gra_call: Callable[..., Any], name: str, place: str) -> None:
    result = gra_call("compute_distances", a=[name], b=[[0.0, 0.0]])
    assert result.status == "ok" and any(place in note for note in result.notes)
