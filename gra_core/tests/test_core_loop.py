"""The agent loop through its public face: disclosure, limits, failures, guards and the trajectory."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gra_core import (
    Configuration,
    Executor,
    GuidanceRule,
    Limits,
    Message,
    ModelError,
    ModelReply,
    ModelRequest,
    Price,
    Skill,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    Usage,
    hookimpl,
    tool,
)
from gra_core.coretools import CORE_TOOLS
from gra_core.loop import converse
from gra_core.session import MAX_REPLY_CHARACTERS, Session
from gra_core.testing import ScriptedModel, calls, registry_of, scripted_trial
from gra_core.trial import TrialRecord
from gra_core.usage import Tier

HERE = Path(__file__).parent / "skills"
NEVER = threading.Event()


def get_temperature(ctx: ToolContext, place: str) -> dict[str, Any]:
    """Get a temperature.

    Args:
        place: Where.
    """
    return {"place": place, "temperature_c": 21.5}


async def get_wind(ctx: ToolContext, place: str) -> dict[str, Any]:
    """Get the wind.

    Args:
        place: Where.
    """
    await asyncio.sleep(0)
    return {"wind_kt": 12}


def get_rivers(ctx: ToolContext, many: bool = False) -> ToolResult:
    """Get rivers.

    Args:
        many: Very many.
    """
    if many:
        return ToolResult.ok([{"river": n, "name": "x" * 50} for n in range(5000)])
    return ToolResult.empty("no rivers here")


def break_down(ctx: ToolContext) -> None:
    """Break."""
    raise ZeroDivisionError("synthetic fault")


@tool(timeout_s=0.2)
def hang_briefly(ctx: ToolContext) -> None:
    """Hang until its own timeout."""
    NEVER.wait(20)


def hang(ctx: ToolContext) -> None:
    """Hang for good."""
    NEVER.wait(60)


class Skills:
    @hookimpl
    def gra_skills(self) -> list[Skill]:
        return [
            Skill(
                folder=HERE / "weather",
                tools=tuple(Tool(handler=f, skill="weather") for f in (get_temperature, get_wind)),
            ),
            Skill(
                folder=HERE / "rivers",
                tools=tuple(
                    Tool(handler=f, skill="rivers") for f in (get_rivers, break_down, hang_briefly, hang)
                ),
            ),
        ]

    @hookimpl
    def gra_executors(self) -> list[Executor]:
        def plain(session: Session) -> str:
            core = [
                CORE_TOOLS[n]
                for n in ("load_skills", "read_skill_resource", "run_skill_tool", "record_proxy", "abstain")
            ]
            return converse(
                session,
                system=lambda: "Answer.",
                tools=lambda: core + session.disclosed(),
                finished=lambda: session.abstention is not None,
            )

        return [Executor(name="plain", title="plain", function=plain)]


CONFIGURATION = Configuration(name="test", executor="plain", skills=("*",))


def trial(
    tmp_path: Path,
    replies: list[Any],
    *,
    plugins: tuple[Any, ...] = (),
    best_effort: bool = True,
    **changes: Any,
) -> tuple[TrialRecord, ScriptedModel]:
    from attrs import evolve

    model = ScriptedModel(replies)
    registry = registry_of(Skills(), *plugins)
    record = scripted_trial(
        registry, evolve(CONFIGURATION, **changes), model, tmp_path, best_effort=best_effort
    )
    return record, model


def returned(record: TrialRecord, name: str) -> dict[str, Any]:
    return next(
        e.data["output"] for e in record.events if e.kind == "tool_returned" and e.data["name"] == name
    )


LOAD = calls(("load_skills", {"names": ["weather", "rivers"]}))
TEMPERATURE = calls(("get_temperature", {"place": "Oslo"}))


def declared(request: ModelRequest) -> set[str]:
    return {t.name for t in request.tools}


def test_native_disclosure_declares_a_skills_tools_after_loading(tmp_path: Path) -> None:
    record, model = trial(tmp_path, [LOAD, TEMPERATURE, "It is 21.5 °C in Oslo."])
    assert record.outcome.status == "answered" and record.outcome.answer == "It is 21.5 °C in Oslo."
    assert "get_temperature" not in declared(model.requests[0])
    assert {"get_temperature", "get_wind", "get_rivers"} <= declared(model.requests[1])
    loaded = returned(record, "load_skills")["content"]["loaded"]
    assert loaded["weather"]["guidance"] == "Ask for the temperature first."
    assert loaded["rivers"]["resources"] == ["references/notes.md"]
    assert record.outcome.skills == ("weather", "rivers")
    assert record.outcome.tools == {"get_temperature": 1, "load_skills": 1}
    assert (
        record.outcome.disclosure["invalidations"] == 1
        and record.outcome.disclosure["invalidated_tokens"] > 0
    )
    assert model.closed


def test_guidance_is_given_once(tmp_path: Path) -> None:
    record, _ = trial(tmp_path, [LOAD, calls(("load_skills", {"names": ["weather"]})), "Done."])
    second = [e.data["output"] for e in record.events if e.kind == "tool_returned"][1]
    assert second["content"] == {"loaded": {}, "already_loaded": ["weather"]}


def test_runner_disclosure_keeps_the_tool_list_constant(tmp_path: Path) -> None:
    run = calls(("run_skill_tool", {"tool": "get_temperature", "arguments": {"place": "Oslo"}}))
    record, model = trial(tmp_path, [LOAD, run, "21.5"], disclosure="runner")
    assert declared(model.requests[0]) == declared(model.requests[2])
    assert returned(record, "run_skill_tool")["content"]["temperature_c"] == 21.5
    assert returned(record, "load_skills")["content"]["loaded"]["weather"]["tools"][0]["parameters"][
        "required"
    ] == ["place"]
    assert record.outcome.disclosure["invalidations"] == 0


def test_all_disclosure_declares_everything_from_the_start(tmp_path: Path) -> None:
    _, model = trial(tmp_path, [TEMPERATURE, "21.5"], disclosure="all")
    assert {"get_temperature", "get_rivers"} <= declared(model.requests[0])


def test_disclosure_costs_are_ordered(tmp_path: Path) -> None:
    def tokens(mode: str) -> int:
        record, _ = trial(tmp_path / mode, ["Done."], disclosure=mode)
        return record.outcome.disclosure["declared_tokens_sum"]

    assert tokens("native") == tokens("runner") < tokens("all")


def test_a_tool_of_a_skill_that_is_not_loaded_is_not_called(tmp_path: Path) -> None:
    record, _ = trial(tmp_path, [TEMPERATURE, "?"])
    error = returned(record, "get_temperature")["error"]
    assert error["kind"] == "not_available" and 'load_skills(["weather"])' in error["hint"]


@pytest.mark.parametrize(
    ("call", "kind", "word"),
    [
        (("no_such_tool", {}), "not_found", "no_such_tool"),
        (("get_temperature", {}), "bad_argument", "place"),
        (("get_temperature", {"place": 3}), "bad_argument", "string"),
        (("break_down", {}), "internal", "synthetic fault"),
        (("hang_briefly", {}), "timeout", "0.2 s"),
        (("load_skills", {"names": ["whether"]}), "not_found", "whether"),
        (
            ("read_skill_resource", {"skill": "rivers", "path": "../weather/SKILL.md"}),
            "not_found",
            "references/notes.md",
        ),
        (("run_skill_tool", {"tool": "abstain", "arguments": {}}), "bad_argument", "directly"),
    ],
)
def test_a_failed_call_is_answered_and_the_trial_goes_on(
    tmp_path: Path, call: Any, kind: str, word: str
) -> None:
    record, _ = trial(tmp_path, [LOAD, calls(call), "Went on."])
    error = (
        returned(record, call[0])["error"]
        if call[0] != "load_skills"
        else [e.data["output"] for e in record.events if e.kind == "tool_returned"][1]["error"]
    )
    assert error["kind"] == kind
    assert word in error["message"] + error["hint"]
    assert record.outcome.answer == "Went on." and record.outcome.tool_errors == 1


def test_async_tools_and_parallel_calls_are_answered_in_order(tmp_path: Path) -> None:
    both = calls(("get_wind", {"place": "a"}), ("get_temperature", {"place": "b"}))
    _, model = trial(tmp_path, [LOAD, both, "Done."])
    replies = model.requests[2].messages[-1].tool_replies
    assert [(r.call_id, r.name) for r in replies] == [(c.id, c.name) for c in both]
    assert replies[0].output["content"] == {"wind_kt": 12}


def test_an_empty_result_is_not_an_error(tmp_path: Path) -> None:
    record, _ = trial(tmp_path, [LOAD, calls(("get_rivers", {})), "None."])
    assert returned(record, "get_rivers") == {"status": "empty", "content": {"reason": "no rivers here"}}
    assert record.outcome.tool_errors == 0


def test_large_content_stays_out_of_the_context(tmp_path: Path) -> None:
    record, _ = trial(tmp_path, [LOAD, calls(("get_rivers", {"many": True})), "Many."])
    output = returned(record, "get_rivers")
    assert len(json.dumps(output)) < MAX_REPLY_CHARACTERS / 10
    assert output["stored"] == "ds://get-rivers-content-1"
    assert len(json.loads((tmp_path / "datasets/get-rivers-content-1/data.json").read_text())) == 5000


def test_the_call_limit_is_exact_and_the_cost_counts(tmp_path: Path) -> None:
    record, model = trial(tmp_path, [LOAD] * 10, limits=Limits(model_calls=3))
    assert (record.outcome.status, record.outcome.reason) == ("limit", "model_calls")
    assert len(model.requests) == record.outcome.model_calls == 3
    assert record.outcome.usage == Usage(requests=3, input=300, output=30)


def test_a_model_that_is_stuck_ends_before_the_other_limits(tmp_path: Path) -> None:
    record, model = trial(tmp_path, [LOAD, *[TEMPERATURE] * 50], limits=Limits(repeated_calls=4))
    assert (record.outcome.status, record.outcome.reason) == ("limit", "repeated_calls")
    assert len(model.requests) == 1 + 5 and record.outcome.tools["get_temperature"] == 4
    other = calls(("get_temperature", {"place": "Bergen"}))
    script = [LOAD, *[TEMPERATURE, other] * 6, "Done."]
    record, _ = trial(tmp_path / "b", script, limits=Limits(repeated_calls=4))
    assert record.outcome.status == "answered"
    record, _ = trial(tmp_path / "c", [LOAD, *[TEMPERATURE] * 30, "Done."], limits=Limits(repeated_calls=0))
    assert record.outcome.status == "answered"


def test_a_hung_tool_cannot_hold_the_trial(tmp_path: Path) -> None:
    started = time.monotonic()
    record, _ = trial(tmp_path, [LOAD, calls(("hang", {})), "Never."], limits=Limits(wall_clock_s=1.0))
    assert (record.outcome.status, record.outcome.reason) == ("limit", "wall_clock_s")
    assert time.monotonic() - started < 20
    struck = next(e.data for e in record.events if e.kind == "limit_struck")
    assert struck["allowed"] == 1.0 and struck["used"] >= 1.0


def test_a_hung_model_cannot_hold_the_trial(tmp_path: Path) -> None:
    record, _ = trial(tmp_path, [lambda request: NEVER.wait(60)], limits=Limits(wall_clock_s=0.5))
    assert (record.outcome.status, record.outcome.reason) == ("limit", "wall_clock_s")


def test_the_context_limit_strikes_before_and_after_the_call(tmp_path: Path) -> None:
    record, model = trial(tmp_path, [LOAD, "x"], limits=Limits(context_tokens=150))
    assert (record.outcome.reason, len(model.requests)) == ("context_tokens", 0)
    overflow = ModelError("context_overflow", "too many tokens", requests=(Usage(requests=1),))
    record, _ = trial(tmp_path / "b", [overflow])
    assert (record.outcome.status, record.outcome.reason, record.outcome.usage.requests) == (
        "limit",
        "context_tokens",
        1,
    )


@pytest.mark.parametrize(
    ("kind", "ends"), [("quota", False), ("daily_quota", True), ("auth", True), ("bad_request", False)]
)
def test_a_model_error_fails_the_trial_with_its_usage(tmp_path: Path, kind: Any, ends: bool) -> None:
    record, _ = trial(tmp_path, [LOAD, ModelError(kind, "no", requests=(Usage(requests=2, input=5),))])
    outcome = record.outcome
    assert (outcome.status, outcome.reason, outcome.ends_run) == ("failed", kind, ends)
    assert outcome.usage == Usage(requests=3, input=105, output=10)


@pytest.mark.parametrize("stop", ["safety", "malformed_call", "too_many_calls", "unknown"])
def test_a_stop_that_is_not_clean_is_never_an_answer(tmp_path: Path, stop: Any) -> None:
    reply = ModelReply(
        message=Message(role="model", text="half an ans"), stop=stop, stop_detail="WHY", requests=()
    )
    record, _ = trial(tmp_path, [reply])
    assert (record.outcome.status, record.outcome.reason, record.outcome.answer) == ("failed", stop, "")
    assert "WHY" in record.outcome.message


def test_empty_turns_are_asked_again_a_bounded_number_of_times(tmp_path: Path) -> None:
    record, model = trial(tmp_path, ["", "", "At last."])
    assert record.outcome.answer == "At last." and len(model.requests) == 3
    record, model = trial(tmp_path / "b", [""] * 9)
    assert record.outcome.status == "failed" and len(model.requests) == 3


def test_abstaining_ends_the_trial_with_the_reason(tmp_path: Path) -> None:
    record, model = trial(tmp_path, [calls(("abstain", {"reason": "no data on Mars"}))], best_effort=False)
    assert (record.outcome.status, record.outcome.reason) == ("abstained", "no data on Mars")
    assert not model.requests[0].messages[0].text.startswith("Answer this on a best-effort")


def test_the_best_effort_prefix_is_not_part_of_the_recorded_query(tmp_path: Path) -> None:
    record, model = trial(tmp_path, ["Yes."])
    started = record.events[0].data
    assert started["query"] == "A question." and started["prompt"] == model.requests[0].messages[0].text
    assert started["prompt"].endswith("A question.") and started["prompt"] != "A question."


def test_caps_show_what_is_left(tmp_path: Path) -> None:
    record, _ = trial(
        tmp_path, [LOAD, TEMPERATURE, TEMPERATURE, TEMPERATURE, "Done."], tool_caps={"get_temperature": 2}
    )
    outputs = [e.data["output"] for e in record.events if e.kind == "tool_returned"][1:]
    assert [o.get("remaining_quota") for o in outputs] == [1, 0, None]
    assert outputs[2]["error"]["kind"] == "quota"


def test_requests_that_tools_make_are_billed(tmp_path: Path) -> None:
    def search(ctx: ToolContext) -> str:
        """Search."""
        ctx.bill("gemini:gemini-3.8-flash", Usage(requests=1, input=1_000_000, searches=2))
        return "found"

    class Search:
        @hookimpl
        def gra_skills(self) -> list[Skill]:
            return [Skill(folder=HERE / "weather", tools=(Tool(handler=search, skill="weather"),))]

        gra_executors = Skills.gra_executors

    free = Price(model="scripted", tiers=(Tier(input=Decimal(0), output=Decimal(0)),))
    flash = Price(
        model="gemini:*", tiers=(Tier(input=Decimal("0.75"), output=Decimal(1)),), per_search=Decimal("0.014")
    )
    from attrs import evolve

    configuration = evolve(CONFIGURATION, prices=(free, flash), disclosure="all")
    record = scripted_trial(
        registry_of(Search()), configuration, ScriptedModel([calls(("search", {})), "Done."]), tmp_path
    )
    assert record.outcome.tool_usage == Usage(requests=1, input=1_000_000, searches=2)
    assert record.outcome.usage.requests == 2
    assert record.outcome.cost_usd == Decimal("0.778")


def test_provider_state_goes_back_unchanged(tmp_path: Path) -> None:
    state = {"parts": [{"thought_signature": "AbC+/=="}]}
    message = Message(role="model", tool_calls=tuple(LOAD), provider="p", state=state, thoughts="hm")
    record, model = trial(tmp_path, [ModelReply(message=message, stop="tool_calls"), "Done."])
    assert model.requests[1].messages[1] == message
    assert next(e.data for e in record.events if e.kind == "model_replied")["state"] == state


def test_guards_block_and_reviews_change(tmp_path: Path) -> None:
    class Rules:
        @hookimpl
        def gra_guidance(self) -> list[GuidanceRule]:
            def guard(call: ToolCall, session: Session) -> ToolResult | None:
                if call.arguments.get("place") == "Atlantis":
                    return ToolResult.failed(ToolError("not_available", "no such place"))
                return None

            def review(call: ToolCall, result: ToolResult, session: Session) -> ToolResult:
                return ToolResult(
                    status=result.status, content=result.content, notes=("reviewed",), error=result.error
                )

            return [
                GuidanceRule(id="block", instruction="", guard=guard),
                GuidanceRule(id="review", instruction="", review=review),
                GuidanceRule(id="strict", instruction="", when="strict", review=review),
            ]

    script = [LOAD, calls(("get_temperature", {"place": "Atlantis"})), TEMPERATURE, "Done."]
    record, _ = trial(tmp_path, script, plugins=(Rules(),), guidance=("*",))
    outputs = [e.data["output"] for e in record.events if e.kind == "tool_returned"]
    assert outputs[1]["error"]["message"] == "no such place" and outputs[2]["notes"] == ["reviewed"]
    assert record.events[0].data["rules"] == ["block", "review"]
    record, _ = trial(tmp_path / "off", script, plugins=(Rules(),), guidance=("*",), guidance_off=("block",))
    assert [e.data["output"]["status"] for e in record.events if e.kind == "tool_returned"] == [
        "ok",
        "ok",
        "ok",
    ]


def test_a_call_hook_can_answer_for_a_tool_and_see_every_call(tmp_path: Path) -> None:
    seen: list[str] = []

    class Cache:
        @hookimpl
        def gra_call_tool(self, call: ToolCall, context: Session) -> ToolResult | None:
            seen.append(call.name)
            return ToolResult.ok("cached") if call.name == "get_temperature" else None

    record, _ = trial(tmp_path, [LOAD, TEMPERATURE, "Done."], plugins=(Cache(),))
    assert seen == ["load_skills", "get_temperature"]
    assert returned(record, "get_temperature")["content"] == "cached"


def test_secrets_do_not_reach_the_trajectory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNTHETIC_API_KEY", "sk-very-secret-value")
    record, model = trial(
        tmp_path,
        [LOAD, calls(("get_temperature", {"place": "sk-very-secret-value"})), "key sk-very-secret-value"],
    )
    assert "sk-very-secret-value" not in json.dumps([e.data for e in record.events], default=str)
    assert "sk-very-secret-value" not in json.dumps(model.requests[2].messages[-1].tool_replies[0].output)


def test_numbers_of_the_answer_are_followed_to_their_calls(tmp_path: Path) -> None:
    record, _ = trial(tmp_path, [LOAD, TEMPERATURE, "It is 21.5 °C, about 22, and 1,000 m high."])
    numbers = next(e.data["numbers"] for e in record.events if e.kind == "answered")
    assert [(n["number"], bool(n["calls"])) for n in numbers] == [
        ("21.5", True),
        ("22", True),
        ("1,000", False),
    ]


def test_strange_text_does_no_harm(tmp_path: Path) -> None:
    text = "\ud800 lone, \x00 nul, \u200b zero width"
    record, _ = trial(tmp_path, [LOAD, calls(("get_temperature", {"place": text})), text])
    assert record.outcome.answer == text
