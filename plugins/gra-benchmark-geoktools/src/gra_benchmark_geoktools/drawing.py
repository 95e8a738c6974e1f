"""Drawing instances: a function of seed, split, source snapshot and template, and of nothing else."""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any

from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.template import USUAL_COUNT, Parameters, Template
from gra_core import IllPosed, Query

BENCHMARK = "geoktools"
# A sampler that hits no new well-posed instance this many times in a row has no more.
MAX_TRIES = 300


def draw(template: Template, data: Data, *, seed: int, count: int | None = None) -> list[Query]:
    """The pinned instances, then sampled ones, up to `count` (default: the template's own), all different."""
    count = (template.count or USUAL_COUNT[template.split]) if count is None else count
    rng = random.Random(instance_seed(template, data, seed))
    drawn: dict[str, Query] = {}
    for parameters in template.pinned:
        drawn[_key(parameters)] = make_query(template, data, parameters, len(drawn) + 1)
    misses = 0
    while len(drawn) < count and misses < MAX_TRIES:
        misses += 1
        try:
            parameters = template.sample(data, rng)
            if _key(parameters) in drawn:
                continue
            drawn[_key(parameters)] = make_query(template, data, parameters, len(drawn) + 1)
            misses = 0
        except IllPosed:
            continue
    if len(drawn) < min(count, 1):
        raise IllPosed(
            f"template {template.id}: no well-posed instance in {MAX_TRIES} samples on the present sources"
        )
    return list(drawn.values())[:count]


def make_query(template: Template, data: Data, parameters: Parameters, number: int) -> Query:
    """One instance with its answer."""
    return Query(
        id=f"{template.id}-{number}", benchmark=BENCHMARK, text=template.text_of(parameters), split=template.split,
        answer=template.solve(data, parameters), template=template.id, K=template.K, tool_types=template.tool_types,
        blanks=template.blanks_of(parameters), solvable=template.solvable, parameters=parameters,
        extra={"template_version": template.version},
    )  # fmt: skip


def instance_seed(template: Template, data: Data, seed: int) -> int:
    """The seed of a template's random numbers."""
    snapshot = {kind: data.snapshot.get(kind, "") for kind in template.source_kinds}
    text = json.dumps([seed, template.split, template.id, template.version, snapshot], sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def _key(parameters: dict[str, Any]) -> str:
    return json.dumps(parameters, sort_keys=True)
