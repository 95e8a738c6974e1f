"""The benchmark: published rows or the sample, as queries."""

from __future__ import annotations

from collections import Counter
from typing import Any

from gra_benchmark_univearth.rows import all_rows
from gra_core import Query
from gra_core.benchmark import ReferenceTrajectory, Split
from gra_core.download import LocalFile, PublishedFile
from gra_core.published import PublishedBenchmark
from gra_core.records import RecordError, pick_fields, read_records

BENCHMARK = "univearth"
LABELS = ("Yes", "No", "Inconclusive")
# The number of questions that the agent's paper reports on.
PUBLISHED_SIZE = 140
# The published names first, then those that copies of the dataset have been seen or are likely to use.
FIELDS = {
    "question": ("query", "prompt"),
    "answer": ("label", "ground_truth"),
    "url": ("link", "source"),
    "post_id": ("id", "post", "idx"),
    "tag": ("topic", "category"),
    "supporting_sentences": ("supporting_sentence", "evidence"),
}


class UnivEarth(PublishedBenchmark):
    """UnivEARTH as published (``test``), or six questions of ours (``dev``)."""

    file = PublishedFile(
        title="UnivEARTH",
        name="univearth/rows.json",
        file_env="GRA_UNIVEARTH_FILE",
        base_url="https://datasets-server.huggingface.co",
        base_env="GRA_BASE_URL_UNIVEARTH",
        path="rows?dataset=AaronKao%2FUnivEARTH&config=default&split=train",
        page="https://huggingface.co/datasets/AaronKao/UnivEARTH",
        advice='JSON, JSON lines and CSV will do; `datasets.load_dataset(...)["train"].to_json(FILE)` writes JSON lines',
        retrieve=all_rows,
    )
    sample = ("gra_benchmark_univearth", "sample.jsonl")

    def read(self, file: LocalFile, split: Split) -> list[Query]:
        name = str(file.path)
        rows = pick_fields(read_records(file.data, name), FIELDS, required=("question", "answer"), name=name)
        ids = _ids(rows)
        return [
            Query(
                id=ids[number], benchmark=BENCHMARK, text=str(row["question"]).strip(), split=split,
                answer=_label(row["answer"], f"{name}, record {number + 1}"), domain=str(row["tag"] or ""),
                extra={
                    "labels": list(LABELS), "edition": "sample" if split == "dev" else "published",
                    **{key: row[key] for key in ("url", "post_id", "supporting_sentences") if row[key] is not None},
                },
            )
            for number, row in enumerate(rows)
        ]  # fmt: skip

    def remarks(self, split: Split, queries: list[Query]) -> tuple[str, ...]:
        if split == "test" and len(queries) != PUBLISHED_SIZE:
            return (f"the file has {len(queries)} questions; published results are on {PUBLISHED_SIZE}",)
        return super().remarks(split, queries)

    def reference(self, query: Query) -> ReferenceTrajectory | None:
        from gra_benchmark_univearth.references import REFERENCES

        make = REFERENCES.get(query.id)
        return make() if make else None

    def skills(self, query: Query) -> tuple[str, ...]:
        from gra_benchmark_univearth.references import SKILLS

        return SKILLS.get(query.id, ())


def _ids(rows: list[dict[str, Any]]) -> list[str]:
    """One id a row: the post's, numbered where several questions come from one post, else the row's number."""
    posts = [
        str(row["post_id"]) if row["post_id"] is not None else f"row-{n}" for n, row in enumerate(rows, 1)
    ]
    several = {post for post, count in Counter(posts).items() if count > 1}
    seen: Counter[str] = Counter()
    made = []
    for post in posts:
        seen[post] += 1
        made.append(f"{post}-{seen[post]}" if post in several else post)
    if len(set(made)) < len(made):
        raise RecordError("two rows would have the same id: post_id values such as '7' twice and '7-1'")
    return made


def _label(value: Any, where: str) -> str:
    """A label as it is written; truth values of JSON count."""
    text = {True: "Yes", False: "No"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    found = [label for label in LABELS if label.casefold() == text.strip(" .").casefold()]
    if not found:
        raise RecordError(f"{where}: the answer {value!r} is none of {', '.join(LABELS)}")
    return found[0]
