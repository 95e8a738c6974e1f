import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_judge.name import same_name, same_text


@pytest.mark.parametrize(
    ("value", "reference"),
    [
        ("Richardson", "Richardson County"), ("richardson county", "Richardson County"), ("Richardson Co.", "Richardson County"),
        ("Richardson County, NE", "Richardson County"), ("Richardson County, Nebraska, USA", "Richardson County"),
        ("Saint Louis County", "St. Louis County"), ("St.Louis", "St. Louis"), ("Dona Ana County", "Doña Ana County"),
        ("LaSalle Parish", "La Salle Parish"), ("O’Brien County", "O'Brien County"), ("NE", "Nebraska"), ("Nebraska", "NE"),
        ("USA", "United States of America"), ("Cote d'Ivoire", "Côte d'Ivoire"), ("Ivory Coast", "Côte d'Ivoire"), ("Lodz", "Łódź"),
        ("Bosnia & Herzegovina", "Bosnia and Herz."), ("The Gambia", "Gambia"), ("Portland, OR", "Portland, Oregon"),
        ("Portland", "Portland, Oregon"), ("Denver International Airport (DEN)", "Denver Intl Airport"), ("Mt. Rainier", "Mount Rainier"),
        ("Washington DC", "Washington, D.C."), ("Baltimore", "Baltimore city"), ("São Paulo", "Sao Paulo"),
    ],
)  # fmt: skip
def test_one_name(value: str, reference: str) -> None:
    assert same_name(value, reference)


@pytest.mark.parametrize(
    ("value", "reference"),
    [
        ("Baltimore city", "Baltimore County"), ("Kansas City", "Kansas"), ("Mexico City", "Mexico"), ("ne", "Nebraska"),
        ("Portland, ME", "Portland, Oregon"), ("Congo", "Democratic Republic of the Congo"), ("Guinea", "Guinea-Bissau"),
        ("Niger", "Nigeria"), ("Richardson County or Nemaha County", "Richardson County"), ("The farthest is Richardson County", "Richardson County"),
        ("", "Richardson County"), (5, "5"), (None, "None"), (["Richardson County"], "Richardson County"), ("District 9", "District 90"),
    ],
)  # fmt: skip
def test_two_names(value: object, reference: str) -> None:
    assert not same_name(value, reference)


def test_aliases_and_their_qualifiers() -> None:
    aliases = ("Richardson County, Nebraska", "geoId/31147")
    assert same_name("geoId/31147", "Richardson County", aliases)
    assert same_name("Richardson, NE", "Richardson County", aliases)
    assert not same_name("Richardson County, Kansas", "Richardson County", aliases)


names = st.text(st.characters(categories=["L"]), min_size=3, max_size=20)


@given(names)
def test_every_name_is_itself_in_any_case(name: str) -> None:
    assert same_name(name, name)
    assert same_name(f" {name}. ", name)
    assert same_text(name, name)


@given(names, names)
def test_sameness_goes_both_ways(a: str, b: str) -> None:
    assert same_name(a, b) == same_name(b, a)


@given(st.text(max_size=40), st.text(min_size=1, max_size=40))
def test_any_text_can_be_compared(value: str, reference: str) -> None:
    assert same_name(value, reference) in (True, False)
