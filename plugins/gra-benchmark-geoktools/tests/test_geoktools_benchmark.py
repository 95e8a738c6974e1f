"""The benchmark as the runner sees it."""

from typing import Any

import pytest

from gra_benchmark_geoktools.benchmark import GeoKTools
from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.drawing import draw, instance_seed
from gra_benchmark_geoktools.template import all_templates
from gra_core import QueryRequest, QuerySet, Sources, UsageError, dump
from gra_core.testing.solvers import ShuffledSources

DEV = [t for t in all_templates().values() if t.split == "dev"]


@pytest.fixture(scope="module")
def benchmark() -> GeoKTools:
    return GeoKTools()


@pytest.fixture(scope="module")
def dev(benchmark: GeoKTools, sources: Sources) -> QuerySet:
    return benchmark.queries(QueryRequest(), sources)


def test_dev_is_the_default_and_has_30_to_40_queries(dev: QuerySet) -> None:
    assert {q.split for q in dev.queries} == {"dev"} and 30 <= len(dev.queries) <= 40
    assert {q.template for q in dev.queries} == {t.id for t in DEV}
    assert len({q.id for q in dev.queries}) == len({q.text for q in dev.queries}) == len(dev.queries)


def test_a_limit_keeps_the_variety(dev: QuerySet, benchmark: GeoKTools, sources: Sources) -> None:
    first = benchmark.queries(QueryRequest(limit=len(DEV)), sources)
    assert [q.template for q in first.queries] == [t.id for t in DEV]
    assert first.queries == dev.queries[: len(DEV)] and first.dataset_hash == dev.dataset_hash


def test_all_splits_together_have_305_queries_or_more(
    dev: QuerySet, benchmark: GeoKTools, sources: Sources
) -> None:
    everything = benchmark.queries(QueryRequest(split="all"), sources).queries
    assert len(everything) >= 305 and len({q.id for q in everything}) == len(
        {q.text for q in everything}
    ) == len(everything)
    assert [q for q in everything if q.split == "dev"] == list(dev.queries)
    infeasible = [q for q in everything if not q.solvable]
    assert (
        {q.split for q in infeasible} == {"test"}
        and len({q.template for q in infeasible}) >= 3
        and len(infeasible) >= 20
    )
    assert all((q.answer == []) == (not q.solvable) for q in everything)


def test_another_run_gives_the_same_queries(dev: QuerySet, sources: Sources) -> None:
    assert GeoKTools().queries(QueryRequest(), sources) == dev


def test_the_order_of_the_sources_rows_does_not_matter(dev: QuerySet, sources: Sources) -> None:
    shuffled = Data(ShuffledSources(sources, 4))  # type: ignore[arg-type]
    for template in ("neighbours-statistic", "largest-gain"):
        drawn = draw(all_templates()[template], shuffled, seed=0)
        assert [dump(q) for q in drawn] == [dump(q) for q in dev.queries if q.template == template]


def test_the_seed_changes_queries_and_hash(dev: QuerySet, benchmark: GeoKTools, sources: Sources) -> None:
    other = benchmark.queries(QueryRequest(seed=1), sources)
    assert other.dataset_hash != dev.dataset_hash
    assert {q.id for q in other.queries} == {q.id for q in dev.queries}, "ids do not depend on the seed"
    assert (
        sum(a.text == b.text for a, b in zip(dev.queries, other.queries, strict=True)) < len(dev.queries) / 4
    )


def test_version_and_snapshot_change_the_instances(data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    template = all_templates()["neighbours-statistic"]
    before = instance_seed(template, data, 0)
    monkeypatch.setattr(type(template), "version", 2)
    assert instance_seed(template, data, 0) != before
    monkeypatch.undo()
    monkeypatch.setitem(data.snapshot, "statistics", "atlas@other")
    assert instance_seed(template, data, 0) != before
    monkeypatch.setitem(data.snapshot, "statistics", "atlas@other")
    monkeypatch.setitem(data.snapshot, "cyclones", "not used by this template")
    seed = instance_seed(template, data, 0)
    monkeypatch.setitem(data.snapshot, "cyclones", "something else")
    assert instance_seed(template, data, 0) == seed


def test_instances_are_independent_of_other_templates(dev: QuerySet, data: Data) -> None:
    for template in DEV[:4]:
        alone = draw(template, data, seed=0)
        assert alone == [q for q in dev.queries if q.template == template.id]


def test_more_instances_begin_with_the_same(data: Data) -> None:
    template = all_templates()["largest-part"]
    assert draw(template, data, seed=0, count=6)[:3] == draw(template, data, seed=0, count=3)


def test_named_queries(dev: QuerySet) -> None:
    found = QueryRequest(ids=("farthest-county-statistic-1",)).select(dev.queries)
    assert [q.parameters["landmark"] for q in found] == ["Carhenge"]
    with pytest.raises(UsageError, match="no-such-query"):
        QueryRequest(ids=("no-such-query",)).select(dev.queries)


def test_the_public_form_of_a_query(dev: QuerySet) -> None:
    query = next(q for q in dev.queries if q.id == "farthest-county-statistic-1")
    public = query.public()
    assert public["answer"] == ["Richardson County", 5.7] and public["K"] == 3 and public["split"] == "dev"
    assert list(public["tool_types"]) == ["spatial-analysis", "place-lookup", "public-statistics"]
    assert "Farthest county, Unemployment rate (%)" in public["text"]


def test_skills_and_reference_of_a_query(dev: QuerySet) -> None:
    query = next(q for q in dev.queries if q.id == "farthest-county-statistic-1")
    assert set(GeoKTools().skills(query)) == {"admin-boundaries", "geometry", "places", "data-commons"}
    name, arguments = next(GeoKTools().reference(query))
    assert name == "get_place_center" and arguments["name"] == "Carhenge"


def test_answers_can_be_computed_anew(dev: QuerySet, benchmark: GeoKTools, sources: Sources) -> None:
    for query in dev.queries[::5]:
        assert benchmark.answer(query, sources) == query.answer


def test_a_missing_source_is_said_before_anything_is_drawn() -> None:
    class Empty:
        def snapshot(self) -> dict[str, str]:
            return {"boundaries": "x@1"}

        def open(self, kind: str) -> Any:
            raise AssertionError("nothing may be asked")

    with pytest.raises(UsageError, match=r"cyclones.*elevation.*places.*statistics"):
        GeoKTools().queries(QueryRequest(), Empty())  # type: ignore[arg-type]
