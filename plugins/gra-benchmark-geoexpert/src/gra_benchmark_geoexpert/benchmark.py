"""The benchmark: our own queries, or the published development split when the user points to it. Never both."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

from gra_benchmark_geoexpert.ownset import own_queries
from gra_benchmark_geoexpert.release import RELEASE, read_release
from gra_core import BenchmarkProtocol, Query, QueryRequest, QuerySet, Sources, UsageError, content_hash
from gra_core.benchmark import ReferenceTrajectory

OWN = (
    "24 open-ended queries with golden workflows written for this project, not the published GeoExpertQueries; "
    f"{RELEASE.file_env} points to the published development split"
)


class GeoExpert(BenchmarkProtocol):
    """Open-ended queries; the one question on them is which file they come from."""

    def queries(self, request: QueryRequest, sources: Sources) -> QuerySet:
        if os.environ.get(RELEASE.file_env):
            return self._release(request)
        queries = [q for q in own_queries() if request.split in (q.split, "all")]
        return _set(request, queries, {"edition": "own", "split": request.split}, (OWN,))

    def reference(self, query: Query) -> ReferenceTrajectory | None:
        from gra_benchmark_geoexpert.references import REFERENCES

        found = REFERENCES.get(query.id) if query.extra.get("edition") == "own" else None
        return found.play() if found else None

    def skills(self, query: Query) -> tuple[str, ...]:
        from gra_benchmark_geoexpert.references import REFERENCES

        found = REFERENCES.get(query.id) if query.extra.get("edition") == "own" else None
        return found.skills if found else ()

    def _release(self, request: QueryRequest) -> QuerySet:
        file = RELEASE.get(read_release)
        if request.split == "test":
            raise UsageError(
                "the published release of GeoExpertQueries has a development split only",
                hint=f"take --split dev, or unset {RELEASE.file_env} for the queries of our own",
            )
        return _set(request, read_release(file), {"edition": "published", "file": file.sha256}, ())


def _set(
    request: QueryRequest, queries: list[Query], identity: dict[str, Any], notes: tuple[str, ...]
) -> QuerySet:
    text = json.dumps({**identity, "content": content_hash(queries)}, sort_keys=True)
    return QuerySet(
        queries=request.select(queries), dataset_hash=hashlib.sha256(text.encode()).hexdigest(), notes=notes
    )
