"""The benchmark: instances of all templates of a split, and their reference trajectories."""

from __future__ import annotations

import hashlib
import itertools
import json
from typing import Any

from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.drawing import draw
from gra_benchmark_geoktools.template import Template, all_templates
from gra_core import BenchmarkProtocol, Query, QueryRequest, QuerySet, Sources, UsageError, content_hash
from gra_core.benchmark import ReferenceTrajectory


class GeoKTools(BenchmarkProtocol):
    """Queries come one of each template, then a second of each, and so on: a limit keeps the variety."""

    def __init__(self) -> None:
        self._data: Data | None = None

    def queries(self, request: QueryRequest, sources: Sources) -> QuerySet:
        """The instances of the templates of a split that the sources can answer."""
        data = self._data_of(sources)
        templates = [t for t in all_templates().values() if request.split in (t.split, "all")]
        _check_sources(templates, data)
        drawn = [draw(template, data, seed=request.seed) for template in templates]
        queries = [q for row in itertools.zip_longest(*drawn) for q in row if q is not None]
        return QuerySet(
            queries=request.select(queries), dataset_hash=dataset_hash(request, data, templates, queries)
        )

    def reference(self, query: Query) -> ReferenceTrajectory:
        return self._template(query).reference(query.parameters)

    def answer(self, query: Query, sources: Sources) -> list[Any]:
        """The solver's answer on today's sources; `IllPosed` when it is no longer clear."""
        return self._template(query).solve(self._data_of(sources), query.parameters)

    def skills(self, query: Query) -> tuple[str, ...]:
        return self._template(query).skills

    def _data_of(self, sources: Sources) -> Data:
        """What was read from the sources, kept as long as the same ones are used."""
        if self._data is None or self._data.sources is not sources:
            self._data = Data(sources)
        return self._data

    def _template(self, query: Query) -> Template:
        return all_templates()[query.template or ""]


def _check_sources(templates: list[Template], data: Data) -> None:
    needed = {kind for template in templates for kind in template.source_kinds}
    if missing := sorted(needed - set(data.snapshot)):
        raise UsageError(
            f"geoktools needs sources of kind {', '.join(missing)}, and none is ready",
            hint="`pip install gra-atlas` brings all of them; `gra-bench list sources` shows what is missing",
        )


def dataset_hash(request: QueryRequest, data: Data, templates: list[Template], queries: list[Query]) -> str:
    """Names the whole split, whatever part of it was asked for: seed, split, snapshot, template versions, content."""
    kinds = sorted({kind for template in templates for kind in template.source_kinds})
    identity = {
        "seed": request.seed,
        "split": request.split,
        "sources": {kind: data.snapshot.get(kind, "") for kind in kinds},
        "templates": {template.id: template.version for template in templates},
        "content": content_hash(queries),
    }
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
