"""Names compared and taken apart."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_geo.names import MATCHES, PlaceName, fold, is_id, match_folded, match_of, split_qualifier, to_ascii

WORDS = st.lists(st.sampled_from(["new", "york", "saint", "louis", "east"]), min_size=1, max_size=3).map(
    " ".join
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("São Paulo", "sao paulo"), ("  NEW   york ", "new york"), ("St. Louis", "saint louis"), ("Łódź", "lodz"),
        ("Coeur d'Alene", "coeur dalene"), ("Coeur d’Alene", "coeur dalene"), ("Straße", "strasse"), ("東京", "東京"),
        ("Wilkes-Barre", "wilkes barre"), ("Tromsø", "tromso"), ("", ""), ("Washington, D.C.", "washington dc"),
        ("Ḩaʼil", "hail"), ("Tʻovuz", "tovuz"), ("A Sǽra", "a saera"), ("Gəncə", "ganca"), ("Il-Mellieħa", "il mellieha"),
        ("İstanbul", "istanbul"), ("ＴＯＫＹＯ", "tokyo"), ("sao-paulo", "sao paulo"), ("ST", "saint"), ("Stade", "stade"),
        ("snake_case", "snake case"), (None, ""),
    ],
)  # fmt: skip
def test_fold(text, expected):
    assert fold(text) == expected
    assert fold(expected) == expected


@given(st.text())
def test_folding_is_idempotent(text):
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_a_folded_text_is_clean(text):
    folded = fold(text)
    assert folded == folded.strip() and "  " not in folded
    assert all(c.isalnum() or c == " " or not c.isascii() for c in folded)


@given(st.text(alphabet=st.characters(max_codepoint=0x24F, categories=["L", "Zs"])))
def test_latin_letters_become_ascii_whatever_their_case(text):
    assert fold(text) == fold(text.upper()) == fold(text.lower()) or not to_ascii(text.upper()).isascii()


def test_ascii_keeps_case():
    assert to_ascii("Þórshöfn Århus") == "Thorshofn Arhus"
    assert to_ascii("Ǽra ŁÓDŹ Straße Москва") == "Aera LODZ Strasse Москва"


@pytest.mark.parametrize(
    ("wanted", "name", "others", "match"),
    [
        ("york", "York", (), "exact"), ("york", "New York", (), "part"), ("new york", "New York City", (), "prefix"),
        ("peking", "Beijing", ("Peking",), "alias"), ("york", "Yorkshire", (), ""), ("york", "York", ("York",), "exact"),
        ("NE", "Nebraska", ("US-NE", "NE"), "alias"), ("", "York", ("",), ""), ("!", "?", (), ""),
    ],
)  # fmt: skip
def test_how_names_match(wanted, name, others, match):
    assert match_of(wanted, name, others) == match


@given(WORDS, WORDS)
def test_a_match_is_the_best_that_fits(wanted, name):
    padded = f" {name} "
    fits = [wanted == name, False, padded.startswith(f" {wanted} "), f" {wanted} " in padded]
    expected = next((m for m, fit in zip(MATCHES, fits, strict=True) if fit), "")
    assert match_folded(wanted, name) == match_of(wanted.upper(), name.title()) == expected


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("Newcastle, UK", ("Newcastle", "UK")), ("Springfield, Illinois, USA", ("Springfield, Illinois", "USA")),
        ("Georgia (country)", ("Georgia", "country")), ("Portland OR", ("Portland", "OR")), ("Orange County CA", ("Orange County", "CA")),
        ("Washington, D.C.", ("Washington", "D.C.")), ("Paris (Texas), USA", ("Paris (Texas)", "USA")), (" Paris ", ("Paris", "")),
        ("Paris,", ("Paris,", "")), (", TX", (", TX", "")), ("NY", ("NY", "")), ("(x)", ("(x)", "")), ("Washington Dc", ("Washington Dc", "")),
        ("Lake USAF", ("Lake USAF", "")), ("", ("", "")),
    ],
)  # fmt: skip
def test_the_last_qualifier(name, split):
    assert split_qualifier(name) == split


@given(st.text())
def test_splitting_comes_to_an_end(text):
    seen = 0
    while (parts := split_qualifier(text))[1]:
        assert len(parts[0]) < len(text) and all(part == part.strip() != "" for part in parts)
        text, seen = parts[0], seen + 1
    assert parts == (text.strip(), "")


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("Springfield, Illinois, USA", PlaceName(name="Springfield", inside=("Illinois", "USA"))),
        ("Georgia (country)", PlaceName(name="Georgia", level="country")),
        ("Washington, US State", PlaceName(name="Washington", level="state")),
        ("Paris (Lamar County, Texas)", PlaceName(name="Paris", inside=("Lamar County", "Texas"))),
        ("Orange, county, California", PlaceName(name="Orange", inside=("California",), level="county")),
        ("Paris", PlaceName(name="Paris")), ("", PlaceName(name="")), (" , ", PlaceName(name=",")),
    ],
)  # fmt: skip
def test_names_taken_apart(text, parsed):
    assert PlaceName.parse(text) == parsed


@pytest.mark.parametrize(
    "text", ["country/USA", "geoId/31147", "iso3166-2/BR-SP", "osm/node/1", "google/ChIJ_-x", "Earth"]
)
def test_ids(text):
    assert is_id(text)


@pytest.mark.parametrize(
    "text", ["Nebraska", "Castrop Rauxel/Ruhr", "/x", "x/", "ds://", "geoId/ 31", "earth", "31/2", ""]
)
def test_what_is_no_id(text):
    assert not is_id(text)


def test_names_are_light():
    code = "import sys, gra_geo.names; print([m for m in ('numpy', 'pandas', 'pyproj') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
