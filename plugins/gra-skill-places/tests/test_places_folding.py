"""Names compared, types named, areas cut."""

from __future__ import annotations

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from gra_core import ToolError
from gra_skill_places.folding import fold, match_of
from gra_skill_places.kinds import types_known
from gra_skill_places.sources.cover import cover, quarters

KNOWN = {"city": 5, "airport": 3, "landmark": 1}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("São Paulo", "SAO PAULO"),
        ("St. Louis", "saint louis"),
        ("Coeur d'Alene", "Coeur d’Alene"),
        ("Łódź", "lodz"),
        ("Washington, D.C.", "washington dc"),
    ],
)
def test_folding_makes_names_equal(first, second):
    assert fold(first) == fold(second)


@given(st.text())
def test_folding_is_idempotent(text):
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("wanted", "name", "others", "match"),
    [
        ("york", "York", (), "exact"), ("york", "New York", (), "part"), ("new york", "New York City", (), "prefix"),
        ("peking", "Beijing", ("Peking",), "alias"), ("york", "Yorkshire", (), "part"),
    ],
)  # fmt: skip
def test_how_names_match(wanted, name, others, match):
    assert match_of(wanted, name, others) == match


def test_types_in_the_words_of_people():
    assert types_known(["Cities", "towns", "AIRPORT", "city"], KNOWN) == ["city", "airport"]
    assert types_known(["hospital"], {}) == ["hospital"]
    assert types_known(None, KNOWN) == []


def test_an_unknown_type_lists_what_there_is():
    with pytest.raises(ToolError, match=r"'airprot' here; did you mean 'airport'") as caught:
        types_known(["airprot"], KNOWN)
    assert (
        caught.value.kind == "not_available"
        and "city (5)" in caught.value.hint
        and "overpass" in caught.value.hint
    )


def test_quarters_fill_the_box():
    assert shapely.union_all([shapely.box(*q) for q in quarters((0, 0, 4, 2))]).equals(
        shapely.box(0, 0, 4, 2)
    )
    assert quarters((0, 0, 0.0005, 0.0005)) == []


def test_cover_skips_boxes_off_the_shape_and_gives_what_stays_too_full():
    asked = []

    def ask(box):
        asked.append(box)
        return not shapely.box(*box).covers(shapely.Point(1, 1))

    short = cover([(0, 0, 8, 8)], shapely.box(0, 0, 2, 2), ask)
    assert len(short) >= 1 and all(shapely.box(*b).covers(shapely.Point(1, 1)) for b in short)
    assert not any(b[0] > 2 or b[1] > 2 for b in asked)
