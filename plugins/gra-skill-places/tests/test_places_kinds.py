"""Types named, areas cut, live results collected."""

from __future__ import annotations

import pytest
import shapely

from gra_core import ToolError
from gra_skill_places.kinds import types_known
from gra_skill_places.sources.cover import cover, quarters
from gra_skill_places.sources.found import Found

KNOWN = {"city": 5, "airport": 3, "landmark": 1}


def test_what_a_service_finds_fits_somehow():
    found = Found(area=None, country="", limit=9)
    for number, (name, others) in enumerate(
        [("Yorkshire", ""), ("New York", ""), ("Beijing", "Eboracum|York")]
    ):
        found.add({"place_id": f"x/{number}", "name": name, "other_names": others, "lon": 0, "lat": 0})
    frame = found.frame("york")
    assert list(zip(frame["name"], frame["match"], strict=True)) == [
        ("Beijing", "alias"), ("Yorkshire", "part"), ("New York", "part"),
    ]  # fmt: skip


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
