"""The planner, the two executors, each guidance rule, and the four configurations as they add up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import gra_orchestration.plugin
from gra_core import Configuration, Limits, Skill, Tool, ToolContext, ToolError, ToolResult, hookimpl
from gra_core.testing import PluginConformance, ScriptedModel, calls, registry_of, scripted_trial
from gra_core.trial import TrialRecord


class TestConformance(PluginConformance):
    plugin = "gra_orchestration.plugin"


def count_rivers(ctx: ToolContext, region: str = "") -> ToolResult:
    """Count rivers.

    Args:
        region: Where.
    """
    if region == "Sahara":
        return ToolResult.empty("no rivers")
    if region == "bad":
        raise ToolError("upstream", "synthetic outage")
    return ToolResult.ok({"rivers": 3})


def search_web(ctx: ToolContext, query: str) -> ToolResult:
    """Search (synthetic).

    Args:
        query: What.
    """
    return ToolResult.ok({"answer": "from the web"})


class Skills:
    def __init__(self, folder: Path) -> None:
        self.made = []
        for name, function in (("rivers", count_rivers), ("web-search", search_web)):
            path = folder / "skills" / name
            path.mkdir(parents=True)
            (path / "SKILL.md").write_text(
                f"---\nname: {name}\ndescription: Synthetic {name}.\n---\nGuidance of {name}.\n"
            )
            self.made.append(Skill(folder=path, tools=(Tool(handler=function, skill=name),)))

    @hookimpl
    def gra_skills(self) -> list[Skill]:
        return self.made


PLAN = calls(
    ("submit_plan", {"milestones": [{"goal": "Count.", "skills": ["rivers"]}], "gaps": ["No lakes."]})
)
LOAD = calls(("load_skills", {"names": ["rivers"]}))
COUNT = calls(("count_rivers", {"region": "Alps"}))
FAIL = calls(("count_rivers", {"region": "bad"}))
SEARCH = calls(("search_web", {"query": "rivers"}))


@pytest.fixture
def run(tmp_path: Path):
    registry = registry_of(gra_orchestration.plugin, Skills(tmp_path))

    def call(
        name: str, replies: list[Any], *, best_effort: bool = True, **changes: Any
    ) -> tuple[TrialRecord, ScriptedModel]:
        model = ScriptedModel(replies)
        configuration: Configuration = evolve(registry.configurations[name], **changes)
        return scripted_trial(registry, configuration, model, tmp_path / "w", best_effort=best_effort), model

    return call


def outputs(record: TrialRecord, name: str) -> list[dict[str, Any]]:
    return [e.data["output"] for e in record.events if e.kind == "tool_returned" and e.data["name"] == name]


def test_each_configuration_adds_one_layer(run) -> None:
    def first(name: str, script: list[Any]) -> tuple[set[str], str]:
        _, model = run(name, script)
        return {t.name for t in model.requests[0].tools}, model.requests[0].system

    assert first("llm", ["Three."])[0] == set()
    tools, system = first("llm-tools", ["Three."])
    assert (
        tools == {"load_skills"}
        and "Synthetic rivers." in system
        and "Rules:" not in system
        and "Guidance of" not in system
    )
    tools, system = first("gra", [PLAN, "Three."])
    assert tools == {"submit_plan"} and "count_rivers" in system
    _, model = run("gra", [PLAN, "Three."])
    execution = model.requests[1]
    assert {t.name for t in execution.tools} == {"load_skills", "update_plan", "record_proxy"}
    assert "Count." in execution.system and "Rules:" in execution.system and "No lakes." in execution.system


def test_the_basic_configuration_declares_its_tools_and_caps_the_search() -> None:
    basic = {c.name: c for c in gra_orchestration.plugin.gra_configurations()}["llm-basic"]
    assert basic.tools == ("search_web", "search_maps", "run_python") and basic.tool_caps == {
        "search_web": 25
    }
    assert "no network" in basic.instructions and "Earth Engine" in basic.instructions


def test_limits_are_the_published_ones() -> None:
    for configuration in gra_orchestration.plugin.gra_configurations():
        assert configuration.limits == Limits(model_calls=100, wall_clock_s=1800.0)


def test_planning_comes_before_any_domain_tool_and_counts(run) -> None:
    record, model = run(
        "gra",
        [PLAN, LOAD, COUNT, calls(("update_plan", {"step": 1, "status": "done", "note": "3"})), "Three."],
    )
    kinds = [e.kind for e in record.events]
    assert kinds.index("plan_submitted") < kinds.index("skills_loaded")
    assert record.outcome.plan["steps"][0]["status"] == "done" and record.outcome.model_calls == 5
    assert model.requests[0].choice.mode == "any"
    # The instruction stays as it is while the plan is updated: only loading skills may invalidate the prefix.
    assert len({r.system for r in model.requests[1:]}) == 1


def test_a_refused_plan_can_be_mended_and_a_weak_model_goes_on(run) -> None:
    wrong = calls(("submit_plan", {"milestones": [{"goal": "x", "skills": ["lakes"]}]}))
    record, _ = run("gra", [wrong, PLAN, "Three."])
    assert (
        "lakes" in outputs(record, "submit_plan")[0]["error"]["message"] and record.outcome.answer == "Three."
    )
    record, _ = run("gra", ["I would just count them.", "Three."])
    assert (
        record.outcome.answer == "Three."
        and record.outcome.plan["steps"][0]["note"] == "I would just count them."
    )
    record, _ = run("gra", [wrong] * 4 + ["Three."])
    assert record.outcome.answer == "Three." and record.outcome.model_calls == 5


def test_abstaining_is_offered_without_best_effort_only(run) -> None:
    record, model = run("gra", [calls(("abstain", {"reason": "no lakes"}))], best_effort=False)
    assert record.outcome.status == "abstained" and record.outcome.model_calls == 1
    _, model = run("gra", [PLAN, "Three."])
    assert all("abstain" not in {t.name for t in r.tools} for r in model.requests)
    record, _ = run("llm-tools", [calls(("abstain", {"reason": "no lakes"}))], best_effort=False)
    assert record.outcome.status == "abstained"


def test_dedicated_source_first(run) -> None:
    load = calls(("load_skills", {"names": ["web-search"]}))
    record, _ = run("gra", [PLAN, load, SEARCH, SEARCH, "Three."])
    assert [o["status"] for o in outputs(record, "search_web")] == ["error", "ok"]
    both = calls(("load_skills", {"names": ["web-search", "rivers"]}))
    record, _ = run("gra", [PLAN, both, SEARCH, "Three."])
    assert [o["status"] for o in outputs(record, "search_web")] == ["ok"]
    record, _ = run("gra", [PLAN, load, SEARCH, "Three."], guidance_off=("dedicated-source-first",))
    assert [o["status"] for o in outputs(record, "search_web")] == ["ok"]
    record, _ = run("llm-tools", [load, SEARCH, "Three."])
    assert [o["status"] for o in outputs(record, "search_web")] == ["ok"]


def test_dead_end_after_more_than_three_failures(run) -> None:
    record, _ = run("gra", [PLAN, LOAD, *[FAIL] * 5, "Unknown."])
    failed = outputs(record, "count_rivers")
    assert [o["error"]["kind"] for o in failed] == ["upstream"] * 4 + ["not_available"]
    assert "4 times" in failed[4]["error"]["message"]
    record, _ = run("gra", [PLAN, LOAD, *[FAIL] * 5, "Unknown."], guidance_off=("dead-end",))
    assert [o["error"]["kind"] for o in outputs(record, "count_rivers")] == ["upstream"] * 5


def test_a_success_or_a_new_step_starts_the_count_anew(run) -> None:
    record, _ = run("gra", [PLAN, LOAD, FAIL, FAIL, FAIL, COUNT, FAIL, FAIL, FAIL, FAIL, COUNT, "Three."])
    assert outputs(record, "count_rivers")[-1]["error"]["kind"] == "not_available"
    closed = calls(("update_plan", {"step": 1, "status": "dropped", "note": "dead end"}))
    record, _ = run("gra", [PLAN, LOAD, *[FAIL] * 4, closed, COUNT, "Three."])
    assert outputs(record, "count_rivers")[-1]["status"] == "ok"


def test_an_empty_result_is_labelled_as_a_finding(run) -> None:
    dry = calls(("count_rivers", {"region": "Sahara"}))
    record, _ = run("gra", [PLAN, LOAD, dry, "None."])
    assert any("finding" in n for n in outputs(record, "count_rivers")[0]["notes"])
    record, _ = run("gra", [PLAN, LOAD, dry, "None."], guidance_off=("empty-is-a-finding",))
    assert "notes" not in outputs(record, "count_rivers")[0]


@pytest.mark.parametrize("rule", gra_orchestration.plugin.gra_guidance(), ids=lambda r: r.id)
@pytest.mark.parametrize("best_effort", [True, False])
def test_every_rule_can_be_switched_off_alone(run, rule: Any, best_effort: bool) -> None:
    _, on = run("gra", [PLAN, "Three."], best_effort=best_effort)
    _, off = run("gra", [PLAN, "Three."], best_effort=best_effort, guidance_off=(rule.id,))
    assert (rule.instruction in on.requests[1].system) == rule.applies(best_effort)
    assert rule.instruction not in off.requests[1].system


def test_proxies_are_recorded(run) -> None:
    proxy = {"wanted": "lakes", "used": "rivers", "effect": "undercounts"}
    record, _ = run("gra", [PLAN, calls(("record_proxy", proxy)), "Three."])
    assert record.outcome.proxies == (proxy,)
