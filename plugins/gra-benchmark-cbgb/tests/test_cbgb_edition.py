"""Editions: what is known is applied, what is unknown is said and never made up, users extend."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gra_benchmark_cbgb.benchmark import Cbgb
from gra_benchmark_cbgb.edition import built_in, read_edition
from gra_core import QueryRequest, QuerySet, UsageError

NO_SOURCES: Any = SimpleNamespace()
TIERS = ["Easy"] * 15 + ["Intermediate"] * 20 + ["Difficult"] * 10
CSV = "id,title,difficulty,question,expected_answer\n" + "".join(
    f"q{n},Synthetic,{tier},How much is synthetic quantity {n}?,{n}\n" for n, tier in enumerate(TIERS, 1)
)
HEAD = 'schema_version = 1\nname = "mine"\ntitle = "Synthetic edition"\n'
REASON = 'reason = "synthetic"\ndate = 2026-12-01\n'


@pytest.fixture(autouse=True)
def published_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "published.csv").write_text(CSV)
    monkeypatch.setenv("GRA_CBGB_FILE", str(tmp_path / "published.csv"))
    monkeypatch.delenv("GRA_CBGB_EDITION", raising=False)


@pytest.fixture
def use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., QuerySet]:
    def queries(text: str | None = None, name: str = "mine.toml", edition: str = "") -> QuerySet:
        if text is not None:
            (tmp_path / name).write_text(text)
        monkeypatch.setenv("GRA_CBGB_EDITION", edition or str(tmp_path / name))
        return Cbgb().queries(QueryRequest(split="test"), NO_SOURCES)

    return queries


def test_edition_44_says_what_the_paper_says_and_what_it_does_not() -> None:
    edition = read_edition("44")
    assert [e.tier for e in edition.exclude] == ["Difficult"]
    assert sorted(e.tier for e in edition.correct) == [
        "Difficult",
        "Intermediate",
        "Intermediate",
        "Intermediate",
    ]
    for entry in edition.entries:
        assert entry.reason and isinstance(entry.date, dt.date)
        assert entry in edition.open and not entry.id
    assert all(e.answer == "" and e.unknown == ("id", "answer") for e in edition.correct)


def test_what_is_unknown_is_not_applied_and_told() -> None:
    made = Cbgb().queries(QueryRequest(split="test"), NO_SOURCES)
    assert [q.answer for q in made.queries] == list(range(1, 46))
    assert made.notes[0].startswith(
        "edition 44 is incomplete: 1 exclusion(s) and 4 corrected answer(s) are not known"
    )
    assert {q.extra["edition"] for q in made.queries} == {"44 (incomplete)"}


def test_edition_45_is_what_was_published(use: Callable[..., QuerySet]) -> None:
    made = use(edition="45")
    assert len(made.queries) == 45 and made.notes == ()
    assert built_in() == ["44", "45"]


def test_a_user_fills_edition_44_in(use: Callable[..., QuerySet]) -> None:
    entries = "".join(
        f'[[correct]]\nkey = "{key}"\nid = "{id}"\nanswer = "{answer}"\n{REASON}'
        for key, id, answer in (
            ("intermediate-1", "q20", "1.5"), ("intermediate-2", "q21", "2.50"), ("intermediate-3", "q22", "3,500"), ("difficult-1", "q45", "-4"),
        )
    )  # fmt: skip
    made = use(
        HEAD
        + 'extends = "44"\n'
        + f'[[exclude]]\nkey = "too-long-for-one-attempt"\nid = "q40"\n{REASON}'
        + entries
    )
    answers = {q.id: q.answer for q in made.queries}
    assert len(answers) == 44 and "q40" not in answers and made.notes == ()
    assert [answers[i] for i in ("q20", "q21", "q22", "q45", "q1")] == [1.5, 2.5, "3,500", -4, 1]
    tiers = [q.tier for q in made.queries]
    assert [tiers.count(t) for t in ("Easy", "Intermediate", "Difficult")] == [15, 20, 9]
    (corrected,) = (q for q in made.queries if q.id == "q20")
    assert corrected.extra["corrected"] == {"published": 20, "reason": "synthetic", "date": "2026-12-01"}
    assert corrected.extra["edition"] == "mine"


def test_an_entry_may_stay_open(use: Callable[..., QuerySet]) -> None:
    made = use(
        HEAD + 'extends = "44"\n' + f'[[exclude]]\nkey = "too-long-for-one-attempt"\nid = "q40"\n{REASON}'
    )
    assert len(made.queries) == 44 and "0 exclusion(s) and 4 corrected answer(s)" in made.notes[0]


def test_editions_extend_files_beside_them(use: Callable[..., QuerySet], tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(HEAD + f'[[exclude]]\nkey = "a"\nid = "q1"\n{REASON}')
    made = use(HEAD + 'extends = "base.toml"\n' + f'[[exclude]]\nkey = "b"\nid = "q2"\n{REASON}')
    assert [q.id for q in made.queries][:2] == ["q3", "q4"]
    before = made.dataset_hash
    (tmp_path / "base.toml").write_text(HEAD + f'[[exclude]]\nkey = "a"\nid = "q9"\n{REASON}')
    assert use().dataset_hash != before


def test_the_edition_is_part_of_the_hash(use: Callable[..., QuerySet]) -> None:
    assert use(edition="44").dataset_hash != use(edition="45").dataset_hash


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + f'[[exclude]]\nkey = "a"\n{REASON}', "entry a: id is missing"),
        (HEAD + f'[[correct]]\nkey = "a"\nid = "q1"\n{REASON}', "entry a: answer is missing"),
        (
            HEAD + f'[[correct]]\nkey = "a"\nid = "q1"\nanswer = "2"\nunknown = ["answer"]\n{REASON}',
            "given and called unknown",
        ),
        (
            HEAD + f'[[exclude]]\nkey = "a"\nid = "q1"\nunknown = ["answer"]\n{REASON}',
            "answer is nothing such an entry needs",
        ),
        (
            HEAD + f'[[exclude]]\nkey = "a"\nid = "q99"\n{REASON}',
            "entries for q99, which the file does not have",
        ),
        (
            HEAD + f'[[exclude]]\nkey = "a"\nid = "q1"\n{REASON}[[exclude]]\nkey = "a"\nid = "q2"\n{REASON}',
            "key a stands in two",
        ),
        (
            HEAD
            + f'[[exclude]]\nkey = "a"\nid = "q1"\n{REASON}[[correct]]\nkey = "b"\nid = "q1"\nanswer = "1"\n{REASON}',
            "id q1 stands in two",
        ),
        (
            HEAD + f'[[correct]]\nkey = "a"\nid = "q1"\nanswer = "many"\n{REASON}',
            "entry a: the expected answer 'many' is no number",
        ),
        (HEAD + '[[exclude]]\nkey = "a"\nid = "q1"\ndate = 2026-12-01\n', "reason"),
        (HEAD + '[[exclude]]\nkey = "a"\nid = "q1"\nreason = "synthetic"\n', "date"),
        (HEAD + 'colour = "blue"\n', "colour"),
        (HEAD.replace("= 1", "= 2"), "schema_version"),
        (HEAD + 'extends = "46"\n', "unknown edition '46'"),
        (HEAD + 'extends = "mine.toml"\n', "extends itself"),
        ("not toml", "is not TOML"),
    ],
)
def test_editions_that_will_not_do(use: Callable[..., QuerySet], text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        use(text)


def test_editions_that_are_not_there(use: Callable[..., QuerySet]) -> None:
    with pytest.raises(UsageError, match="unknown edition '46' of cbgb") as caught:
        use(edition="46")
    assert "44, 45" in caught.value.hint
    with pytest.raises(UsageError, match="cannot be read"):
        use(edition="/no/such/edition.toml")
