"""The real model, SmolLM2-135M-Instruct, through llama.cpp. Greedy decoding: the same on every run."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time

import pytest

from gra_core import (
    Clock,
    LimitExceeded,
    Message,
    ModelError,
    ModelSettings,
    ToolCall,
    ToolChoice,
    ToolReply,
    TrialBrief,
    Usage,
    UsageError,
)  # fmt: skip
from gra_model_local.plugin import gra_models

pytestmark = pytest.mark.slow
LONG = {"settings": ModelSettings(temperature=0.0, max_output_tokens=4000, extra={"ignore_eos": True})}

# A template after the Hermes convention, which puts declarations and calls between XML tags.
TOOL_TEMPLATE = """\
{%- if tools %}{{- '<|im_start|>system\\n' }}
{%- if messages[0]['role'] == 'system' %}{{- messages[0]['content'] + '\\n\\n' }}{%- endif %}
{{- "Functions:\\n<tools>" }}{%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}
{{- '\\n</tools>\\nCall one by a JSON object within <tool_call></tool_call>.<|im_end|>\\n' }}
{%- elif messages[0]['role'] == 'system' %}{{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}{%- endif %}
{%- for message in messages %}
{%- if (message.role == 'user') or (message.role == 'assistant' and not message.tool_calls) %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
{%- elif message.role == 'assistant' %}{{- '<|im_start|>' + message.role }}
{%- if message.content %}{{- '\\n' + message.content }}{%- endif %}
{%- for tool_call in message.tool_calls %}
{%- if tool_call.function is defined %}{%- set tool_call = tool_call.function %}{%- endif %}
{{- '\\n<tool_call>\\n{"name": "' }}{{- tool_call.name }}{{- '", "arguments": ' }}{{- tool_call.arguments | tojson }}
{{- '}\\n</tool_call>' }}{%- endfor %}{{- '<|im_end|>\\n' }}
{%- elif message.role == 'tool' %}
{{- '<|im_start|>user\\n<tool_response>\\n' }}{{- message.content }}{{- '\\n</tool_response><|im_end|>\\n' }}
{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
"""


def test_it_answers_a_question_and_counts_its_tokens(ask, client):
    reply = ask("Who wrote Hamlet?")
    assert "Shakespeare" in reply.message.text and reply.stop == "stop"
    assert client.context_window == 8192 and "sha256:b179c9523d0e" in reply.model_version
    (used,) = reply.requests
    assert used.prompt > 10 and used.output > 5 and not used.estimated
    again = ask("Who wrote Hamlet?")
    assert again.message.text == reply.message.text
    assert again.usage.prompt == used.prompt and again.usage.cached >= used.prompt - 2, (
        "the prompt cache is counted as such"
    )


def test_it_makes_a_constrained_call_that_fits_the_schema(ask, tool):
    tools = (
        tool(
            name={"type": "string"},
            kind={"enum": ["city", "county"]},
            limit={"type": "integer", "minimum": 1, "maximum": 9},
        ),
    )
    reply = ask("Find the city called Helsinki.", tools=tools, choice=ToolChoice(mode="any"))
    assert reply.stop == "tool_calls"
    (call,) = reply.message.tool_calls
    assert (call.id, call.name) == ("call_1", "find_place")
    assert (
        call.arguments["name"] == "Helsinki"
        and call.arguments["kind"] in ("city", "county")
        and 1 <= call.arguments["limit"] <= 9
    )


def test_it_goes_on_after_a_result(ask, tool):
    first = ask("Find the place called Helsinki.", tools=(tool(),), choice=ToolChoice(mode="any"))
    (call,) = first.message.tool_calls
    result = ToolReply(
        call_id=call.id, name=call.name, output={"status": "ok", "content": {"country": "Finland"}}
    )
    turns = (Message.user("In which country is Helsinki?"), first.message, Message.results([result]))
    second = ask(messages=turns, tools=(tool(),))
    assert second.stop in ("stop", "tool_calls")
    if second.message.tool_calls:
        assert second.message.tool_calls[0].id == "call_2"
    else:
        assert second.message.text


def test_a_choice_of_names_is_kept(ask, tool):
    tools = (tool(), tool("list_counties"), tool("measure"))
    reply = ask("Find Helsinki.", tools=tools, choice=ToolChoice(mode="any", names=("measure",)))
    assert [c.name for c in reply.message.tool_calls] == ["measure"]


def test_no_choice_is_plain_text(ask, tool):
    reply = ask(tools=(tool(),), choice=ToolChoice(mode="none"))
    assert "Shakespeare" in reply.message.text and not reply.message.tool_calls


def test_thirty_tools_fit_because_they_are_written_short(ask, tool):
    long = "Computes something of use. " + "It can do a lot more than that, and here is all of it. " * 12
    tools = tuple(tool(f"tool_{n}", long, name={"type": "string", "description": long}) for n in range(30))
    assert ask("Use tool_7 on Helsinki.", tools=tools).usage.prompt < 2000


def test_the_same_seed_gives_the_same_answer(ask):
    settings = ModelSettings(seed=7, temperature=0.9, max_output_tokens=20)
    assert (
        ask("Tell me a story.", settings=settings).message.text
        == ask("Tell me a story.", settings=settings).message.text
    )


def test_the_output_limit_is_no_clean_stop(ask, tool):
    settings = ModelSettings(temperature=0.0, max_output_tokens=4)
    reply = ask(settings=settings)
    assert (reply.stop, reply.stop_detail, reply.usage.output) == ("max_tokens", "length", 4)
    constrained = ask(settings=settings, tools=(tool(),), choice=ToolChoice(mode="any"))
    assert constrained.stop == "max_tokens" and not constrained.message.tool_calls


def test_output_that_is_no_json_is_asked_for_once_more_then_malformed(ask, tool):
    """Without its grammar the model writes prose."""
    free = ModelSettings(temperature=0.0, max_output_tokens=300, extra={"grammar": ""})
    reply = ask("What is 2+2?", settings=free, tools=(tool(),))
    assert reply.stop == "malformed_response" and "JSON" in reply.stop_detail
    assert len(reply.requests) == 2 and all(u.output > 0 for u in reply.requests)


def test_a_schema_that_makes_no_grammar_leaves_the_arguments_open(ask, tool):
    odd, short = tool(name={"$ref": "#/$defs/missing"}), ModelSettings(temperature=0.0, max_output_tokens=250)
    reply = ask("Find the place Helsinki.", tools=(odd,), choice=ToolChoice(mode="any"), settings=short)
    assert reply.message.tool_calls[0].name == "find_place" and len(reply.requests) == 2


def test_patterns_and_ranges_are_kept_by_the_grammar(ask, tool):
    dated = tool(
        name={"type": "string"},
        month={"type": "string", "pattern": r"^\d{4}-\d{2}$"},
        lat={"type": "number", "minimum": -90, "maximum": 90},
    )
    (call,) = ask("Find Helsinki.", tools=(dated,), choice=ToolChoice(mode="any")).message.tool_calls
    assert re.fullmatch(r"\d{4}-\d{2}", call.arguments["month"]) and -90 <= call.arguments["lat"] <= 90


def test_a_prompt_beyond_the_window_is_an_overflow_with_the_numbers(ask):
    with pytest.raises(ModelError, match=r"the prompt has 9\d\d\d tokens, the context window 8192") as caught:
        ask("word " * 9000)
    assert caught.value.kind == "context_overflow"


def test_a_bad_setting_is_named(ask, tool):
    with pytest.raises(UsageError, match="tool_mode"):
        ask(tools=(tool(),), settings=ModelSettings(extra={"tool_mode": "magic"}))
    with pytest.raises(ModelError) as caught:
        ask(settings=ModelSettings(extra={"messages": "none"}))
    assert caught.value.kind == "bad_request"


def test_the_clock_ends_an_answer(ask):
    with pytest.raises(LimitExceeded, match="wall_clock_s"):
        ask("Tell me a story.", clock=Clock(1.0), **LONG)
    assert "Shakespeare" in ask().message.text


def test_the_clock_ends_the_reading_of_a_long_prompt_between_two_batches(ask, client):
    with pytest.raises(LimitExceeded):
        ask("ward " * 3000, clock=Clock(0.3))
    seen = []
    body = {"messages": [{"role": "user", "content": "word " * 3000}], "max_tokens": 1}
    client.engine.take_turn(lambda: False)
    completion = client.engine.ask(body, lambda: seen.append(1) is None and len(seen) > 2)
    client.engine.end_turn()
    assert len(seen) == 3 and not completion.finish, "given up at the third of about twelve batches"


def test_close_ends_an_answer_and_leaves_the_model_to_others(ask, smollm2):
    other = gra_models("local:smollm2").open(TrialBrief())
    threading.Timer(0.5, other.close).start()
    with pytest.raises(ModelError, match="given up"):
        ask("Tell me a story.", on=other, **LONG)
    assert "Shakespeare" in ask().message.text


def test_clients_share_one_engine_and_wait_for_their_turn(ask, client, smollm2):
    other = gra_models(f"local:{smollm2}").open(TrialBrief())
    assert other.engine is client.engine
    replies, clock = [], Clock(120)
    long = {"settings": ModelSettings(temperature=0.0, max_output_tokens=150, extra={"ignore_eos": True})}
    thread = threading.Thread(target=lambda: replies.append(ask("Tell me a story.", on=other, **long)))
    thread.start()
    time.sleep(0.3)
    reply = ask(clock=clock)
    thread.join()
    assert "Shakespeare" in reply.message.text and replies[0].usage.output == 150
    assert reply.waited_s > 0.1 and clock.waited == pytest.approx(reply.waited_s, abs=0.1)


def test_conversations_that_take_turns_do_not_read_their_history_again(ask):
    """Three conversations under the same instructions, two rounds each."""
    shared = "Rule of the road. " * 60
    turns = {name: [Message.user(f"{name} came to the river. " * 20)] for name in ("Ada", "Bela", "Cleo")}

    def go_on(name: str) -> Usage:
        reply = ask(
            system=shared,
            messages=tuple(turns[name]),
            settings=ModelSettings(temperature=0.0, max_output_tokens=5),
        )
        turns[name] += [reply.message, Message.user("And then?")]
        return reply.usage

    first = [go_on(name) for name in turns]
    assert first[1].cached > 200 < first[2].cached, "the instructions are read once"
    for name, before in zip(turns, first, strict=True):
        used = go_on(name)
        assert used.cached >= before.prompt - 10 and used.input < 40


def test_a_file_cut_short_is_refused(smollm2, tmp_path):
    broken = tmp_path / "broken.gguf"
    with smollm2.open("rb") as stream:
        broken.write_bytes(stream.read(8_000_000))
    with pytest.raises(UsageError, match=r"cannot load .*broken\.gguf"):
        gra_models(f"local:{broken}").open(TrialBrief())


# -- native declarations, by a chat template that knows tools ---------------------------------------------------------


@pytest.fixture
def native(smollm2, tmp_path, monkeypatch):
    template = tmp_path / "tools.jinja"
    template.write_text(TOOL_TEMPLATE)
    monkeypatch.setenv("GRA_LOCAL_CHAT_TEMPLATE", str(template))
    monkeypatch.setenv("GRA_LOCAL_CONTEXT_TOKENS", "4096")
    return gra_models("local:smollm2").open(TrialBrief())


def examples() -> list[Message]:
    """Earlier rounds that show the model what a call looks like."""
    turns = []
    for number, name in enumerate(["Lancaster", "Douglas", "Sarpy"]):
        call = ToolCall(id=f"x{number}", name="find_county", arguments={"name": name, "state": "Nebraska"})
        turns += [
            Message.user(f"Find the county called {name} in Nebraska."), Message(role="model", tool_calls=(call,)),
            Message.results([ToolReply(call_id=call.id, name=call.name, output={"id": "geoId/31109"})]),
            Message(role="model", text=f"{name} is geoId/31109."),
        ]  # fmt: skip
    return turns


def test_native_calls_are_made_and_sent_back(ask, native, tool):
    county = tool("find_county", "Find a county by name.", name={"type": "string"}, state={"type": "string"})
    turns = [*examples(), Message.user("Find the county called Richardson in Nebraska.")]
    first = ask(on=native, messages=tuple(turns), tools=(county,), choice=ToolChoice(mode="any"))
    assert len(first.requests) == 1 and first.stop == "tool_calls" and native.context_window == 4096
    (call,) = first.message.tool_calls
    assert call.arguments == {"name": "Richardson", "state": "Nebraska"} and call.id == "call_4"
    assert first.message.state["tool_calls"][0]["id"] == "call_4"
    result = Message.results([ToolReply(call_id=call.id, name=call.name, output={"id": "geoId/31147"})])
    second = ask(on=native, messages=(*turns, first.message, result), tools=(county,))
    assert second.stop == "stop" and "31147" in second.message.text


def test_where_the_model_fails_at_native_calls_constrained_output_takes_over(ask, native, tool):
    """Without examples the small model writes prose although a call is required."""
    settings = ModelSettings(temperature=0.0, max_output_tokens=60)
    reply = ask(
        "Find the place called Helsinki.",
        on=native,
        tools=(tool(),),
        choice=ToolChoice(mode="any"),
        settings=settings,
    )
    assert reply.stop == "tool_calls" and reply.message.tool_calls[0].name == "find_place"
    assert len(reply.requests) == 2


# -- as a guest in a process -----------------------------------------------------------------------------------------

OPEN = """
import os, signal, sys, threading, time
from gra_core import *
from gra_model_local.plugin import gra_models
client = gra_models("local:smollm2").open(TrialBrief())
def ask(question, tokens):
    settings = ModelSettings(temperature=0.0, max_output_tokens=tokens, extra={"ignore_eos": True})
    tool = ToolDeclaration(name="f", description="", parameters={"type": "object", "properties": {"d": {"type": "string", "pattern": r"^\\\\d{4}(?=x)$"}}})
    return client.generate(ModelRequest(messages=(Message.user(question),), settings=settings, tools=(tool,)), Clock(60))
"""


def run(code: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", OPEN + code], capture_output=True, text=True, timeout=60)


def test_it_writes_nothing_of_its_own_and_ends_cleanly(smollm2):
    done = run("ask('Hi', 10)")
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_the_environment_of_child_processes_stays_as_it_was(smollm2):
    assert run("print([name for name in os.environ if 'OMP' in name])").stdout == "[]\n"


def test_a_process_ends_although_a_request_runs(smollm2):
    done = run(
        "threading.Thread(target=ask, args=('Hi', 4000), daemon=True).start(); time.sleep(1); print('end')"
    )
    assert (done.stdout, done.returncode) == ("end\n", 0)
    assert "Fatal" not in done.stderr and "terminate" not in done.stderr


def test_an_interrupt_still_interrupts(smollm2):
    # A suite that runs in the background of a shell hands down an ignored SIGINT.
    code = "signal.signal(signal.SIGINT, signal.default_int_handler)\ntry:\n    os.kill(os.getpid(), signal.SIGINT); time.sleep(5)\nexcept KeyboardInterrupt:\n    print('interrupted')"
    assert run(code).stdout == "interrupted\n"
