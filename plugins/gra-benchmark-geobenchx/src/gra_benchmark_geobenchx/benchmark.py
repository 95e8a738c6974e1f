"""The benchmark: published tasks or the sample, as queries."""

from __future__ import annotations

from typing import Any

from gra_benchmark_geobenchx.task import decision, solutions, workflows
from gra_core import Query
from gra_core.benchmark import ReferenceTrajectory, Split
from gra_core.download import LocalFile, PublishedFile
from gra_core.published import PublishedBenchmark
from gra_core.records import RecordError, pick_fields, read_records

BENCHMARK = "geobenchx"
# The state of the repository that the checksum is of.
COMMIT = "bb3cd88f6834dee8004a2add6f9f0c150053788d"
SHA256 = "ec21a16df85279093e3a599b9b4ecb6906510c549972955eca9b92f2dac64ae3"
PATH = "benchmark_set/tasks_and_reference_solutions.json"
FIELDS = {
    "task_ID": ("id",),
    "task_text": ("task", "question", "query"),
    "task_labels": ("labels",),
    "reference_solutions": ("solutions",),
    "reference_solution_description": ("description",),
}
STRICT = "an agent can abstain only when best effort is off: run it with --strict"


class GeoBenchX(PublishedBenchmark):
    """GeoBenchX as published (``test``), or seven tasks of ours (``dev``)."""

    file = PublishedFile(
        title="GeoBenchX",
        name="geobenchx/tasks_and_reference_solutions.json",
        file_env="GRA_GEOBENCHX_FILE",
        base_url=f"https://raw.githubusercontent.com/Solirinai/GeoBenchX/{COMMIT}",
        base_env="GRA_BASE_URL_GEOBENCHX",
        path=PATH,
        page=f"https://github.com/Solirinai/GeoBenchX/blob/{COMMIT}/{PATH}",
        sha256=SHA256,
    )
    sample = ("gra_benchmark_geobenchx", "sample.json")

    def read(self, file: LocalFile, split: Split) -> list[Query]:
        name = str(file.path)
        tasks = pick_fields(
            read_records(file.data, name),
            FIELDS,
            required=("task_ID", "task_text", "reference_solutions"),
            name=name,
        )
        queries = [_query(task, split, f"{name}, task {number}") for number, task in enumerate(tasks, 1)]
        if len({q.id for q in queries}) < len(queries):
            raise RecordError(f"{name}: two tasks have the same task_ID")
        return queries

    def remarks(self, split: Split, queries: list[Query]) -> tuple[str, ...]:
        return (*super().remarks(split, queries), STRICT)

    def reference(self, query: Query) -> ReferenceTrajectory | None:
        from gra_benchmark_geobenchx.references import REFERENCES

        make = REFERENCES.get(query.id)
        return make() if make else None

    def skills(self, query: Query) -> tuple[str, ...]:
        from gra_benchmark_geobenchx.references import SKILLS

        return SKILLS.get(query.id, ())


def _query(task: dict[str, Any], split: Split, where: str) -> Query:
    labels = [str(label) for label in task["task_labels"] or ()]
    found = solutions(task, where)
    try:
        choice = decision(found, labels)
    except RecordError as error:
        raise RecordError(f"{where}: {error.message}") from error
    extra: dict[str, Any] = {"decision": choice, "edition": "sample" if split == "dev" else "published"}
    if task["reference_solution_description"]:
        extra["remark"] = str(task["reference_solution_description"])
    if choice == "answer":
        extra["plan_is_answer"] = True  # no tool has to be used, so that none may be missed
    return Query(
        id=str(task["task_ID"]).strip(), benchmark=BENCHMARK, text=str(task["task_text"]).strip(), split=split,
        domain=next((label for label in labels if not label.startswith(("Task Set", "Vague"))), ""),
        tier=next((label for label in labels if label.startswith("Task Set")), ""),
        golden_workflows=workflows(found, choice), solvable=choice != "abstain", extra=extra,
    )  # fmt: skip
