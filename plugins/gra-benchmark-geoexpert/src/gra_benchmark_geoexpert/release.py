"""The published development split, in whatever form its file has."""

from __future__ import annotations

from typing import Any

from gra_benchmark_geoexpert.domains import full_domain
from gra_core import Query
from gra_core.download import LocalFile, PublishedFile
from gra_core.records import RecordError, pick_fields, read_records
from gra_core.workflow import Workflow, read_workflow, read_workflows

BENCHMARK = "geoexpert"
# The release was not at hand when this was written: these are the names it may use, the likeliest first.
FIELDS = {
    "id": ("query_id", "qid", "uid", "index"),
    "query": ("question", "prompt", "text", "user_query", "query_text"),
    "domain": ("category", "domain_label", "topic"),
    "golden_workflow": (
        "consensus_golden_workflow", "consensus_workflow", "golden_plan", "consensus", "reference_workflow", "workflow", "golden",
    ),
    "golden_workflows": (
        "alternative_golden_workflows", "alternative_workflows", "golden_workflow_alternatives", "expert_workflows", "golden_plans",
        "workflows", "alternatives",
    ),
}  # fmt: skip
RELEASE = PublishedFile(
    title="the published development split of GeoExpertQueries",
    name="geoexpert",
    file_env="GRA_GEOEXPERT_FILE",
    page="https://github.com/google-research/geospatial-reasoning-benchmarks",
    advice="JSON, JSON lines and CSV will do",
)


def read_release(file: LocalFile) -> list[Query]:
    """The queries of the release; `RecordError` names what a file lacks."""
    name = str(file.path)
    rows = pick_fields(read_records(file.data, name), FIELDS, required=("query",), name=name)
    if not any(row["golden_workflow"] or row["golden_workflows"] for row in rows):
        wanted = (*FIELDS["golden_workflow"], *FIELDS["golden_workflows"])
        raise RecordError(
            f"{name}: no field golden_workflow or golden_workflows (also: {', '.join(wanted)})",
            hint="the workflow autorater cannot rate a query without a golden workflow",
        )
    queries = [_query(row, number, f"{name}, record {number}") for number, row in enumerate(rows, 1)]
    if len({q.id for q in queries}) < len(queries):
        raise RecordError(f"{name}: two records have the same id")
    return queries


def _query(row: dict[str, Any], number: int, where: str) -> Query:
    return Query(
        id=str(row["id"]).strip() if row["id"] is not None else f"geoexpert-{number}",
        benchmark=BENCHMARK, text=str(row["query"]).strip(), split="dev", domain=full_domain(str(row["domain"] or "")),
        golden_workflows=_workflows(row, where), extra={"edition": "published"},
    )  # fmt: skip


def _workflows(row: dict[str, Any], where: str) -> tuple[Workflow, ...]:
    try:
        if row["golden_workflow"]:
            return (read_workflow(row["golden_workflow"]),)
        if row["golden_workflows"]:
            return read_workflows(row["golden_workflows"])
    except RecordError as error:
        raise RecordError(f"{where}: {error.message}", hint=error.hint) from error
    raise RecordError(f"{where}: golden_workflow is empty", hint="every query needs a golden workflow")
