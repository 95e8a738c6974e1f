"""Reading observations and choosing one facet: invariants."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_skill_data_commons.sources.indicators import quantity_of
from gra_skill_data_commons.sources.levels import place_type
from gra_skill_data_commons.sources.observations import choose_facet, read_tracks
from gra_skill_data_commons.sources.transport import _merge

FACETS = ["a", "b", "c"]
ORDERS = st.lists(
    st.permutations(FACETS).flatmap(lambda p: st.integers(1, 3).map(lambda n: list(p)[:n])),
    min_size=1,
    max_size=12,
)


def response(orders: list[list[str]]) -> dict[str, Any]:
    by_entity = {
        f"r{i}": {
            "orderedFacets": [{"facetId": f, "observations": [{"date": "2020", "value": i}]} for f in order]
        }
        for i, order in enumerate(orders)
    }
    return {
        "byVariable": {"v": {"byEntity": by_entity}},
        "facets": {f: {"importName": f.upper()} for f in FACETS},
    }


@given(ORDERS)
def test_choice_does_not_depend_on_the_order_of_places(orders: list[list[str]]) -> None:
    tracks = read_tracks(response(orders))
    chosen = choose_facet(tracks)
    assert chosen is not None and chosen == choose_facet(tracks[::-1])


@given(ORDERS)
def test_chosen_facet_covers_nine_tenths_or_the_most(orders: list[list[str]]) -> None:
    chosen = choose_facet(read_tracks(response(orders)))
    covered = {f: sum(f in order for order in orders) for f in FACETS}
    assert chosen is not None
    assert covered[chosen.id] >= 0.9 * len(orders) or covered[chosen.id] == max(covered.values())


def test_preferred_facet_wins_over_a_slightly_wider_one() -> None:
    orders = [["a", "b"]] * 19 + [["b"]]
    assert choose_facet(read_tracks(response(orders))).id == "a"  # type: ignore[union-attr]
    assert choose_facet(read_tracks(response([["a", "b"]] * 3 + [["b"]] * 2))).id == "b"  # type: ignore[union-attr]


def test_no_tracks_no_facet() -> None:
    assert read_tracks({}) == [] and choose_facet([]) is None


def test_pages_put_together_again() -> None:
    def page(dates: list[str]) -> dict[str, Any]:
        ordered = [{"facetId": "a", "observations": [{"date": d, "value": int(d)} for d in dates]}]
        return {
            "byVariable": {"v": {"byEntity": {"r": {"orderedFacets": ordered}}}},
            "facets": {"a": {"importName": "A"}},
        }

    [track] = read_tracks(_merge(page(["2001", "2000"]), page(["2002"])))
    assert [d for d, _ in track.observations] == ["2000", "2001", "2002"] and track.facet.import_name == "A"


def test_observations_without_a_number_are_left_out() -> None:
    data = response([["a"]])
    data["byVariable"]["v"]["byEntity"]["r0"]["orderedFacets"][0]["observations"] = [
        {"date": "2020"},
        {"date": "2021", "value": "7.5"},
    ]
    assert read_tracks(data)[0].observations == (("2021", 7.5),)


@pytest.mark.parametrize(
    ("variable", "definition", "quantity"),
    [
        ("Count_Person", {"measuredProperty": ["count"], "statType": ["measuredValue"]}, "count"),
        ("Count_Person_PerArea", {"measuredProperty": ["count"]}, "rate"),
        ("Median_Age_Person", {"statType": ["medianValue"], "measuredProperty": ["age"]}, "intensive"),
        (
            "Amount_EconomicActivity_GrossDomesticProduction_Nominal",
            {"measuredProperty": ["amount"]},
            "count",
        ),
        (
            "Amount_EconomicActivity_GrossDomesticProduction_Nominal_PerCapita",
            {"measurementDenominator": ["Count_Person"]},
            "rate",
        ),
        ("Percent_Person_Obesity", {}, "rate"),
        ("dc/4mm2p1rxr5wz4", {}, ""),
    ],
)
def test_quantity(variable: str, definition: dict[str, list[str]], quantity: str) -> None:
    assert quantity_of(variable, definition) == quantity


@pytest.mark.parametrize(
    ("level", "parent", "expected"),
    [
        ("state", "country/USA", "State"), ("state", "country/BRA", "AdministrativeArea1"), ("county", "geoId/31", "County"),
        ("county", "country/DEU", "AdministrativeArea2"), ("country", "Earth", "Country"), ("EurostatNUTS2", "country/DEU", "EurostatNUTS2"),
        ("tract", "geoId/31", "CensusTract"), ("", "geoId/31", ""),
    ],
)  # fmt: skip
def test_place_type(level: str, parent: str, expected: str) -> None:
    assert place_type(level, parent) == expected
