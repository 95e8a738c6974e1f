"""Choosing passages of a text."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from gra_skill_web_search.passages import LONGEST, best_passages, bm25, paragraphs_of

TEXTS = st.lists(st.text(alphabet="abc \n", max_size=3000), max_size=5).map("\n\n".join)


@given(TEXTS)
def test_paragraphs_keep_every_word(text):
    paragraphs = paragraphs_of(text)
    assert "".join("".join(paragraphs).split()) == "".join(text.split())
    assert all(0 < len(p) <= LONGEST for p in paragraphs)


@given(
    st.lists(st.text(alphabet="abc ", min_size=1, max_size=40), max_size=12),
    st.text(alphabet="abc ", max_size=10),
    st.integers(0, 200),
)
def test_passages_fit_and_are_in_order(paragraphs, question, room):
    chosen = best_passages(paragraphs, question, room)
    assert chosen == sorted(set(chosen))
    assert sum(len(paragraphs[n]) for n in chosen) <= room
    left_out = set(range(len(paragraphs))) - set(chosen)
    free = room - sum(len(paragraphs[n]) for n in chosen)
    assert all(len(paragraphs[n]) > free for n in left_out)


def test_bm25_by_hand():
    # Three texts of 2, 2 and 4 words, mean 8/3; "corn" is in two of them, once and twice.
    scores = bm25(["corn price", "blue sky", "corn corn and oats"], "Corn?")
    rarity = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    first = rarity * 1 * 2.5 / (1 + 1.5 * (0.25 + 0.75 * 2 / (8 / 3)))
    third = rarity * 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 4 / (8 / 3)))
    assert all(math.isclose(a, b) for a, b in zip(scores, [first, 0.0, third], strict=True))


def test_words_of_any_script_and_case():
    assert best_passages(["ein Wort", "столица МОСКВА", "STRASSE"], "москва", 15) == [1]
    assert bm25(["STRASSE"], "straße")[0] > 0


def test_nothing_at_all():
    assert best_passages([], "x", 10) == []
    assert bm25(["", "!!"], "x") == [0.0, 0.0]
