"""The benchmark: the questions of an edition, or the sample, as queries."""

from __future__ import annotations

import os
import re
from typing import Any

from attrs import evolve

from gra_benchmark_cbgb.edition import DEFAULT, VARIABLE, Correction, Edition, read_edition
from gra_core import Blank, Query, UsageError
from gra_core.benchmark import ReferenceTrajectory, Split
from gra_core.download import LocalFile, PublishedFile
from gra_core.published import PublishedBenchmark
from gra_core.records import RecordError, pick_fields, read_records

BENCHMARK = "cbgb"
TIERS = ("Easy", "Intermediate", "Difficult")
FIELDS = {
    "id": ("question_id", "task_id"),
    "title": ("name",),
    "difficulty": ("tier", "level"),
    "question": ("prompt", "query"),
    "expected_answer": ("answer", "reference_answer"),
}
PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


class Cbgb(PublishedBenchmark):
    """CBGB in an edition (``test``), or four questions of ours (``dev``)."""

    file = PublishedFile(
        title="CBGB",
        name="cbgb/eval_set_2025_05_08.csv",
        file_env="GRA_CBGB_FILE",
        base_url="https://storage.googleapis.com/cbgb-1",
        base_env="GRA_BASE_URL_CBGB",
        path="eval_set_2025_05_08.csv",
        page="https://storage.googleapis.com/cbgb-1/eval_set_2025_05_08.csv",
    )
    sample = ("gra_benchmark_cbgb", "sample.csv")

    def read(self, file: LocalFile, split: Split) -> list[Query]:
        name = str(file.path)
        rows = pick_fields(
            read_records(file.data, name),
            FIELDS,
            required=("id", "difficulty", "question", "expected_answer"),
            name=name,
        )
        queries = [_query(row, split, f"{name}, record {number}") for number, row in enumerate(rows, 1)]
        if len({q.id for q in queries}) < len(queries):
            raise RecordError(f"{name}: two records have the same id")
        return queries if split == "dev" else edited(queries, chosen_edition())

    def identity(self, split: Split) -> dict[str, str]:
        return {} if split == "dev" else {"edition": chosen_edition().sha256}

    def remarks(self, split: Split, queries: list[Query]) -> tuple[str, ...]:
        if split == "dev":
            return super().remarks(split, queries)
        edition = chosen_edition()
        if not edition.open:
            return ()
        corrections = sum(isinstance(entry, Correction) for entry in edition.open)
        return (
            f"edition {edition.name} is incomplete: {len(edition.open) - corrections} exclusion(s) and {corrections} corrected "
            f"answer(s) are not known to this project and not applied, so these are {len(queries)} questions; "
            f"point {VARIABLE} to a file that fills them in, or set {VARIABLE}=45 for the questions as published",
        )

    def reference(self, query: Query) -> ReferenceTrajectory | None:
        from gra_benchmark_cbgb.references import REFERENCES

        make = REFERENCES.get(query.id)
        return make() if make else None

    def skills(self, query: Query) -> tuple[str, ...]:
        from gra_benchmark_cbgb.references import SKILLS

        return SKILLS.get(query.id, ())


def chosen_edition() -> Edition:
    """The edition that the environment names, else the paper's."""
    return read_edition(os.environ.get(VARIABLE) or DEFAULT)


def edited(queries: list[Query], edition: Edition) -> list[Query]:
    """The queries of an edition. An entry for a question that the file does not have is an error."""
    known = {q.id for q in queries}
    if strange := sorted({e.id for e in edition.entries if e.id} - known):
        raise UsageError(
            f"edition {edition.name} has entries for {', '.join(strange)}, which the file does not have",
            hint="the id of an entry is the id of a question in the CSV",
        )
    name = edition.name + (" (incomplete)" if edition.open else "")
    left_out = {e.id for e in edition.exclude if not e.unknown}
    corrected = {e.id: e for e in edition.correct if not e.unknown}
    return [_edited(q, corrected.get(q.id), name, edition.name) for q in queries if q.id not in left_out]


def _edited(query: Query, correction: Correction | None, name: str, source: str) -> Query:
    extra = {**query.extra, "edition": name}
    if correction is None:
        return evolve(query, extra=extra)
    note = {"published": query.answer, "reason": correction.reason, "date": correction.date.isoformat()}
    answer = number(correction.answer, f"edition {source}, entry {correction.key}")
    return evolve(query, answer=answer, extra={**extra, "corrected": note})


def _query(row: dict[str, Any], split: Split, where: str) -> Query:
    tier = next((t for t in TIERS if t.casefold() == str(row["difficulty"]).strip().casefold()), None)
    if tier is None:
        raise RecordError(f"{where}: difficulty {row['difficulty']!r} is none of {', '.join(TIERS)}")
    extra = {"title": str(row["title"]).strip()} if row["title"] else {}
    return Query(
        id=str(row["id"]).strip(), benchmark=BENCHMARK, text=str(row["question"]).strip(), split=split, tier=tier,
        answer=number(row["expected_answer"], where), blanks=(Blank(label="value", type="number"),),
        extra={**extra, "edition": "sample"} if split == "dev" else extra,
    )  # fmt: skip


def number(value: Any, where: str) -> int | float | str:
    """A reference answer: a plain number as such, one with separators or a unit as the text it is."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    text = str(value).strip()
    if PLAIN.fullmatch(text):
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    if not re.search(r"\d", text):
        raise RecordError(f"{where}: the expected answer {value!r} is no number")
    return text
