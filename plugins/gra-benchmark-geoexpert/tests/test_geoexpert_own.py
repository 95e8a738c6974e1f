"""Our own set: its make-up, golden workflows that are whole, and that it says whose it is."""

from __future__ import annotations

import importlib.resources
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from gra_benchmark_geoexpert.benchmark import GeoExpert
from gra_benchmark_geoexpert.domains import DOMAINS, full_domain
from gra_benchmark_geoexpert.ownset import FILES, own_queries
from gra_benchmark_geoexpert.plugin import gra_benchmarks
from gra_benchmark_geoexpert.references import REFERENCES
from gra_core import Query, QueryRequest, QuerySet
from gra_core.testing import PluginConformance

NO_SOURCES: Any = SimpleNamespace()
QUERIES = {q.id: q for q in own_queries()}
# Queries of the paper's set by domain: dev and test.
PAPER = {DOMAINS[0]: 11 + 35, DOMAINS[1]: 5 + 17, DOMAINS[2]: 8 + 20, DOMAINS[3]: 1 + 4}


class TestConformance(PluginConformance):
    plugin = "gra_benchmark_geoexpert.plugin"


@pytest.fixture(autouse=True)
def no_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRA_GEOEXPERT_FILE", raising=False)


def own(split: Any, **more: Any) -> QuerySet:
    return GeoExpert().queries(QueryRequest(split=split, **more), NO_SOURCES)


def test_twenty_four_queries_in_the_papers_proportions() -> None:
    counts = Counter(q.domain for q in QUERIES.values())
    assert len(QUERIES) == 24 and sum(PAPER.values()) == 101
    assert counts == {domain: round(24 * n / 101) for domain, n in PAPER.items()}


def test_dev_is_a_quarter_within_the_domains() -> None:
    dev, test, every = own("dev").queries, own("test").queries, own("all").queries
    assert (len(dev), len(test)) == (6, 18) and {q.id for q in dev} | {q.id for q in test} == {
        q.id for q in every
    }
    for domain, n in Counter(q.domain for q in every).items():
        assert abs(sum(q.domain == domain for q in dev) - n / 4) < 1


def test_four_have_alternative_workflows_that_can_be_told_apart() -> None:
    several = [q for q in QUERIES.values() if len(q.golden_workflows) > 1]
    assert len(several) == 4
    for query in several:
        titles = [flow.title for flow in query.golden_workflows]
        assert len(set(titles)) == len(titles) and all(titles)
        first, second = query.golden_workflows[:2]
        assert set(first.datasets) != set(second.datasets) and first.steps != second.steps


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_golden_workflows_are_whole(query: Query) -> None:
    assert query.id.startswith("own-") and query.extra["edition"] == "own"
    assert query.text == " ".join(query.text.split()) and query.text.endswith((".", "?"))
    for flow in query.golden_workflows:
        assert len(flow.datasets) >= 2 and len(flow.outputs) >= 2
        assert sum(not step.optional for step in flow.steps) >= 4
        assert len({step.text for step in flow.steps}) == len(flow.steps)
    assert any(step.optional for flow in query.golden_workflows for step in flow.steps)


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_golden_workflows_name_no_tool_of_ours(query: Query, gra_registry: Any) -> None:
    text = str(query.golden_workflows)
    assert not [name for name in gra_registry.tools if name in text]


def test_the_files_say_that_we_wrote_them() -> None:
    folder = importlib.resources.files("gra_benchmark_geoexpert").joinpath("queries")
    assert sorted(entry.name for entry in folder.iterdir()) == sorted(FILES)
    for name in FILES:
        head = folder.joinpath(name).read_text("utf-8").split("schema_version")[0]
        assert (
            "Written for this project" in head
            and "none is one of GeoExpertQueries" in head
            and "CC BY 4.0" in head
        )


def test_what_the_shipped_tools_cannot_do_is_said() -> None:
    for query in QUERIES.values():
        assert query.extra["shortfall"]
        assert (query.extra["shipped"] == "no") == (query.id not in REFERENCES)
    assert Counter(q.extra["shipped"] for q in QUERIES.values()) == {"no": 10, "partly": 7, "mostly": 7}


def test_whoever_runs_it_is_told_which_set_it_is() -> None:
    assert "not the published GeoExpertQueries" in own("dev").notes[0]
    (benchmark,) = gra_benchmarks()
    assert benchmark.scorers == () and benchmark.autoraters == ("workflow-autorater",)
    assert "CC BY 4.0" in benchmark.licence and "written for this project" in benchmark.attribution


def test_the_autorater_exists(gra_registry: Any) -> None:
    assert gra_benchmarks()[0].autoraters[0] in gra_registry.autoraters


def test_a_part_has_the_hash_of_the_whole_split() -> None:
    assert own("dev").dataset_hash == own("dev", limit=2).dataset_hash != own("test").dataset_hash


@pytest.mark.parametrize(
    ("written", "full"),
    [
        ("crisis resilience", DOMAINS[0]),
        ("Natural Hazards & Crisis Resilience", DOMAINS[0]),
        ("public_health", DOMAINS[1]),
        ("Site Selection and Urban Planning", DOMAINS[2]),
        ("Operational", DOMAINS[3]),
        ("Agriculture", "Agriculture"),
        ("Urban health", "Urban health"),
    ],
)
def test_domains_as_others_write_them(written: str, full: str) -> None:
    assert full_domain(written) == full
