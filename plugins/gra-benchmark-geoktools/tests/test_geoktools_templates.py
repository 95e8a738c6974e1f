"""Every template: its form, its solver, and that the tools find what the solver finds."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.drawing import draw
from gra_benchmark_geoktools.template import Template, all_templates
from gra_benchmark_geoktools.tooltypes import AUXILIARY, TOOL_TYPES, types_of
from gra_core import Scorer, Sources
from gra_core.registry import Registry
from gra_core.testing import PluginConformance
from gra_core.testing.solvers import check_template, draw_parameters

TEMPLATES = [template for template in all_templates().values() if template.solvable]
each = pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)


def data_of(sources: Any, shared: Data) -> Data:
    """The shared data for the real sources, so that tables are read once; new data for shuffled ones."""
    return shared if sources is shared.sources else Data(sources)


@each
def test_form(template: Template, data: Data) -> None:
    query = draw(template, data, seed=5, count=1)[0]
    assert (
        set(template.tool_types) <= set(TOOL_TYPES) and len(set(template.tool_types)) == template.K == query.K
    )
    assert "{" not in query.text and "Answer with a JSON list: [" in query.text
    assert all(blank.label in query.text for blank in query.blanks)
    assert 1 <= len(query.blanks) <= 7 and len(query.answer) == len(query.blanks)
    assert all(blank.depends_on is None or blank.depends_on < i for i, blank in enumerate(query.blanks)), (
        "only on earlier blanks"
    )
    assert query.tool_types == template.tool_types and query.split == template.split in ("dev", "test")
    assert not any(name.endswith("_id") for name in template.slots), (
        "ids are for the solver, not for the text"
    )


@each
def test_domains_exist(template: Template) -> None:
    domains = pytest.importorskip("gra_judge.domain").domains()
    named = {blank.tolerance for blank in template.blanks if blank.type == "number"} - {"{domain}"}
    assert (named and named <= set(domains)) or not named


@each
def test_solver_and_tools_agree(
    template: Template,
    sources: Sources,
    data: Data,
    play: Callable[[Any], Any],
    called: list[str],
    scorer: Scorer,
) -> None:
    """Deterministic, independent of the order of rows, well-posed, and found by the tools; K is what the tools say."""
    parameters = draw(template, data, seed=11, count=len(template.pinned) + 1)[-1].parameters
    check_template(
        template, sources, parameters, data=lambda s: data_of(s, data), play=play, scorer=scorer, orders=1
    )
    assert types_of(called) == set(template.tool_types)
    skills = {tool: entry.value.skill for tool, entry in sources.registry.tools.entries.items()}
    assert {skills[tool] for tool in called} <= set(template.skills)


@each
def test_instances_are_well_posed(template: Template, sources: Sources, data: Data) -> None:
    """Whatever the seed, an answer has a value of the right type for every blank."""

    @given(st.integers(0, 2**32 - 1))
    @settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
    def check(seed: int) -> None:
        parameters = draw_parameters(template, data, seed)
        check_template(template, sources, parameters, data=lambda s: data_of(s, data), orders=0)

    check()


def test_there_are_enough_templates_of_every_size() -> None:
    counts = {k: sum(k == t.K for t in TEMPLATES) for k in (1, 2, 3, 4)}
    assert (
        counts[1] >= 6
        and counts[2] >= 15
        and counts[3] >= 8
        and counts[4] >= 5
        and sum(counts.values()) == len(TEMPLATES) >= 34
    )
    dev = [t for t in TEMPLATES if t.split == "dev"]
    assert {t.K for t in dev} == {1, 2, 3, 4} and 0.2 <= len(dev) / len(TEMPLATES) <= 1 / 3
    assert len({name for t in TEMPLATES for name in t.tool_types}) >= 10


def test_every_tool_of_a_type_is_installed_with_its_skill(sources: Sources) -> None:
    tools = sources.registry.tools
    assert set(AUXILIARY) <= set(tools)
    for name, kind in TOOL_TYPES.items():
        assert {tools[tool].skill for tool in kind.tools} <= set(kind.skills), name


def test_the_carhenge_example(data: Data, play: Callable[[Any], Any], sources: Sources) -> None:
    template = all_templates()["farthest-county-statistic"]
    query = draw(template, data, seed=0, count=1)[0]
    assert query.parameters["landmark"] == "Carhenge" and query.answer[0] == "Richardson County"
    # 5.7: Richardson County in the 2009 annual averages of the local area unemployment statistics
    assert query.answer[1] == 5.7
    assert play(template.reference(query.parameters)) == query.answer


def test_the_carhenge_distance_is_the_published_one(data: Data) -> None:
    parameters = all_templates()["farthest-county-statistic"].pinned[0] | {"extreme": "farthest from"}
    name, distance = all_templates()["farthest-county"].solve(data, parameters)
    assert name == "Richardson County" and distance == pytest.approx(639.7, abs=0.1)


def test_two_templates_of_one_id_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Twin(type(TEMPLATES[0])):  # type: ignore[misc]
        __module__ = "gra_benchmark_geoktools.templates.twin"

    all_templates.cache_clear()
    try:
        with pytest.raises(ValueError, match="two templates have the id"):
            all_templates()
    finally:
        Twin.id = ""
        all_templates.cache_clear()


class TestConformance(PluginConformance):
    plugin = "gra_benchmark_geoktools.plugin"
    skip_examples = "a benchmark has no tools"


def test_plugin_alone_names_the_benchmark() -> None:
    from gra_core import PluginSelection

    registry = Registry.load(PluginSelection(only=("benchmark-geoktools",)))
    assert list(registry.benchmarks) == ["geoktools"] and not registry.plugins.failures
