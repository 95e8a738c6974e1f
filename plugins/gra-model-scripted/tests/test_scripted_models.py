"""Oracle, nop and replay through their public hook."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gra_core import (
    Clock,
    Message,
    ModelError,
    ModelRequest,
    Query,
    ToolDeclaration,
    ToolReply,
    TrialBrief,
    UsageError,
)
from gra_core.testing import PluginConformance
from gra_model_scripted.plugin import gra_model_families, gra_models


class TestConformance(PluginConformance):
    plugin = "gra_model_scripted.plugin"


def declared(*names: str) -> tuple[ToolDeclaration, ...]:
    return tuple(
        ToolDeclaration(name=n, description=n, parameters={"type": "object", "properties": {}}) for n in names
    )


def path() -> Iterator[Any]:
    reply = yield "find", {"name": "Alps"}
    reply = yield "count", {"id": reply["content"]["id"]}
    return [reply["content"]["n"], "Alps"]


def reply(name: str, content: Any) -> Message:
    return Message.results([ToolReply(call_id="1", name=name, output={"status": "ok", "content": content})])


def test_the_oracle_plans_loads_plays_and_answers() -> None:
    model = gra_models("oracle")
    assert model is not None
    client = model.open(TrialBrief(skills=("rivers",), reference=path))
    user = Message.user("?")
    plan = client.generate(ModelRequest(messages=(user,), tools=declared("submit_plan")), Clock())
    assert plan.message.tool_calls[0].arguments["milestones"][0]["skills"] == ["rivers"]
    load = client.generate(ModelRequest(messages=(user,), tools=declared("load_skills")), Clock())
    assert load.message.tool_calls[0].arguments == {"names": ["rivers"]}
    tools = declared("load_skills", "find", "count")
    first = client.generate(ModelRequest(messages=(user, reply("load_skills", {})), tools=tools), Clock())
    assert (first.message.tool_calls[0].name, first.message.tool_calls[0].arguments) == (
        "find",
        {"name": "Alps"},
    )
    second = client.generate(ModelRequest(messages=(user, reply("find", {"id": 7})), tools=tools), Clock())
    assert second.message.tool_calls[0].arguments == {"id": 7}
    last = client.generate(ModelRequest(messages=(user, reply("count", {"n": 3})), tools=tools), Clock())
    assert json.loads(last.message.text) == [3, "Alps"] and last.stop == "stop"
    client.close()


def test_the_oracle_uses_the_runner_tool_where_there_is_one() -> None:
    client = gra_models("oracle").open(TrialBrief(reference=path))
    made = client.generate(
        ModelRequest(messages=(Message.user("?"),), tools=declared("run_skill_tool")), Clock()
    )
    assert made.message.tool_calls[0].arguments == {"tool": "find", "arguments": {"name": "Alps"}}


@pytest.mark.parametrize("reference", [path, None])
def test_the_oracle_has_nothing_to_say_without_the_tools(reference: Any) -> None:
    client = gra_models("oracle").open(TrialBrief(reference=reference))
    said = client.generate(ModelRequest(messages=(Message.user("?"),)), Clock())
    assert said.message.text and "[" not in said.message.text


def test_an_error_reply_ends_the_oracle_in_words() -> None:
    client = gra_models("oracle").open(TrialBrief(reference=path))
    client.generate(ModelRequest(messages=(Message.user("?"),), tools=declared("find")), Clock())
    error = Message.results([ToolReply(call_id="1", name="find", output={"status": "error", "error": {}})])
    said = client.generate(ModelRequest(messages=(error,), tools=declared("find")), Clock())
    assert "cannot read" in said.message.text


def abstaining() -> Any:
    yield "find", {"name": "Atlantis"}
    yield "abstain", {"reason": "no such place"}
    return []


def test_the_oracle_abstains_by_the_tool_where_there_is_one_and_else_by_an_empty_answer() -> None:
    for tools, called in ((("find", "abstain"), ["abstain"]), (("find",), []), (("run_skill_tool",), [])):
        client = gra_models("oracle").open(TrialBrief(reference=abstaining))
        asked = declared(*tools)
        client.generate(ModelRequest(messages=(Message.user("?"),), tools=asked), Clock())
        last = client.generate(ModelRequest(messages=(reply("find", []),), tools=asked), Clock()).message
        assert [call.name for call in last.tool_calls] == called and (last.text == "[]") == (not called)


def test_nop_answers_at_once() -> None:
    client = gra_models("nop").open(TrialBrief())
    assert client.generate(ModelRequest(messages=(Message.user("?"),)), Clock()).message.text == "[]"


def recorded(tmp_path: Path) -> Path:
    lines = []
    for trial, text in (("a", "First?"), ("b", "Second?")):
        lines.append({"trial": trial, "kind": "trial_started", "data": {"query": text}})
        data = {
            "text": f"To {text}", "thoughts": "", "stop": "stop", "stop_detail": "", "provider": "p", "state": None,
            "tool_calls": [], "requests": [{"requests": 1, "input": 5}],
        }  # fmt: skip
        lines.append({"trial": trial, "kind": "model_replied", "data": data})
    file = tmp_path / "events.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_replay_finds_the_trial_by_its_query_and_ends_in_an_error(tmp_path: Path) -> None:
    model = gra_models(f"replay:{recorded(tmp_path)}")
    assert model.snapshot
    client = model.open(TrialBrief(query=Query(id="x", benchmark="b", text="Second?")))
    made = client.generate(ModelRequest(messages=(Message.user("?"),)), Clock())
    assert made.message.text == "To Second?" and made.usage.input == 5
    with pytest.raises(ModelError, match="no reply number 2"):
        client.generate(ModelRequest(messages=(Message.user("?"),)), Clock())


@pytest.mark.parametrize("text", ["not json\n", '{"kind": "x"}\n', "[1]\n"])
def test_replay_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(text)
    with pytest.raises(UsageError, match="line 1"):
        gra_models(f"replay:{file}")
    with pytest.raises(UsageError, match=r"gone\.jsonl"):
        gra_models(f"replay:{tmp_path / 'gone.jsonl'}")


def test_other_ids_are_not_ours() -> None:
    assert gra_models("gemini:x") is None and gra_models("oracle2") is None
    assert {f.prefix for f in gra_model_families()} == {"oracle", "nop", "replay", "judge-script"}


def judge(tmp_path: Path, *lines: Any) -> str:
    (tmp_path / "judge.jsonl").write_text(
        "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
    )
    return f"judge-script:{tmp_path / 'judge.jsonl'}"


def asked(client: Any, text: str = "material", system: str = "rules") -> str:
    return client.generate(ModelRequest(messages=(Message.user(text),), system=system), Clock()).message.text


def test_a_scripted_judge_takes_the_first_line_that_fits_and_its_replies_in_turn(tmp_path: Path) -> None:
    model_id = judge(
        tmp_path,
        {"query": "flood-*", "match": "rules.*workflow", "replies": ["SCORE: 2", "SCORE: 1"]},
        {"query": "flood-*", "replies": [{"reasoning": "x", "blanks": []}]},
        {"replies": ["SCORE: 0"]},
    )
    model = gra_models(model_id)
    assert model is not None and len(model.snapshot) == 64
    flood = model.open(TrialBrief(query=Query(id="flood-1", benchmark="b", text="?")))
    assert [asked(flood, system="rules on workflow") for _ in range(3)] == [
        "SCORE: 2",
        "SCORE: 1",
        "SCORE: 2",
    ]
    assert json.loads(asked(flood)) == {"reasoning": "x", "blanks": []}
    assert asked(model.open(TrialBrief(query=Query(id="fire-1", benchmark="b", text="?")))) == "SCORE: 0"
    again = gra_models(model_id)
    assert again is not None and again.snapshot == model.snapshot


def test_a_scripted_judge_without_a_fitting_line_says_so(tmp_path: Path) -> None:
    model = gra_models(judge(tmp_path, {"query": "flood-*", "replies": ["x"]}))
    assert model is not None
    with pytest.raises(ModelError, match="no line fits"):
        asked(model.open(TrialBrief()))


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"replies": []}', '{"reply": ["x"]}', '{"match": "(", "replies": ["x"]}']
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(UsageError, match="line 2"):
        gra_models(judge(tmp_path, {"replies": ["x"]}, line))


def test_a_missing_script_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.jsonl"):
        gra_models(f"judge-script:{tmp_path / 'nowhere.jsonl'}")
