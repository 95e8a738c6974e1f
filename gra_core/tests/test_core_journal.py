"""What an attempt that was cut off has paid for is used again, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gra_core import (
    Configuration,
    Executor,
    Limits,
    Message,
    ModelReply,
    ModelRequest,
    Registry,
    Sources,
    Tool,
    ToolCall,
    ToolContext,
    Usage,
    hookimpl,
    tool,
)
from gra_core.errors import RunStopped
from gra_core.journal import Journal, RequestKeys
from gra_core.loop import converse
from gra_core.model import Model
from gra_core.session import Session
from gra_core.testing import registry_of
from gra_core.trial import TrialRecord, TrialSetup, run_trial

STEPS = 4
SEARCHES: list[str] = []
LOOKUPS: list[str] = []


class Model4:
    """Calls a tool with a bill, then one without, then a third time, then answers. Stops the run at call `stop_at`."""

    model_id, context_window = "four", None

    def __init__(self, stop_at: int | None = None, word: str = "") -> None:
        self.seen: list[int] = []
        self._stop_at, self._word = stop_at, word

    def generate(self, request: ModelRequest, clock: Any) -> ModelReply:
        turn = sum(m.role == "model" for m in request.messages)
        if turn == self._stop_at:
            raise RunStopped("the disk is full")
        self.seen.append(turn)
        calls = (
            [
                ToolCall(
                    id=f"c{turn}", name=("search", "lookup", "search")[turn], arguments={"what": f"x{turn}"}
                )
            ]
            if turn < 3
            else []
        )
        message = Message(
            role="model",
            text="" if calls else f"done {self._word}",
            tool_calls=tuple(calls),
            provider="four",
            state={"turn": turn},
        )
        clock.advance(10.0)
        return ModelReply(message=message, requests=(Usage(requests=1, input=100 + turn, output=turn),))

    def close(self) -> None:
        pass


@pytest.fixture
def registry() -> Iterator[Registry]:
    @tool()
    def search(ctx: ToolContext, what: str) -> dict[str, str]:
        """Search, at a price.

        Args:
            what: What to search for.
        """
        SEARCHES.append(what)
        ctx.bill("searcher", Usage(requests=1, input=7))
        return {"found": what}

    @tool()
    def lookup(ctx: ToolContext, what: str) -> dict[str, Any]:
        """Look something up for nothing.

        Args:
            what: What to look up.
        """
        LOOKUPS.append(what)
        return {"found": what}

    tools = [Tool(handler=search, skill="x"), Tool(handler=lookup, skill="x")]

    def loop(session: Session) -> str:
        return converse(session, system=lambda: "Go on.", tools=lambda: tools)

    class Plugin:
        @hookimpl
        def gra_executors(self) -> list[Executor]:
            return [Executor(name="loop", title="loop", function=loop)]

    SEARCHES.clear()
    LOOKUPS.clear()
    yield registry_of(Plugin())


def attempt(
    registry: Registry, client: Model4, folder: Path, events: list[dict[str, Any]], name: str, **limits: Any
) -> TrialRecord | None:
    """One attempt with what `events` hold; its own events are added to them."""

    class Keep:
        @hookimpl
        def gra_event(self, event: Any, context: Any) -> None:
            events.append({"attempt": name, "kind": event.kind, "data": event.data})

    earlier = list(events)
    keeper = Keep()
    registry.plugins.manager.register(keeper)
    try:
        return run_trial(
            TrialSetup(
                registry=registry, configuration=Configuration(name="c", executor="loop", limits=Limits(**limits)), sources=Sources(registry),
                model=Model(id="four", open=lambda brief: client), workspace=folder, text="Q", journal=Journal(earlier),
            )
        )  # fmt: skip
    except RunStopped:
        return None
    finally:
        registry.plugins.manager.unregister(keeper)


@pytest.mark.parametrize("stop_at", [0, 1, 2, 3])
def test_the_next_attempt_asks_only_what_has_no_answer_yet(
    registry: Registry, tmp_path: Path, stop_at: int
) -> None:
    events: list[dict[str, Any]] = []
    first, second = Model4(stop_at), Model4()
    assert attempt(registry, first, tmp_path / "a", events, "one") is None
    record = attempt(registry, second, tmp_path / "b", events, "two")
    assert record is not None and record.outcome.status == "answered"
    assert first.seen + second.seen == [0, 1, 2, 3]
    # All four replies and both bills are in the account, once; time passes as if nothing had been cut off.
    assert record.outcome.usage == Usage(requests=4, input=406, output=6)
    assert record.outcome.tool_usage == Usage(requests=2, input=14)
    assert record.outcome.model_calls == 4 and record.outcome.tools == {"search": 2, "lookup": 1}
    assert 40 <= record.outcome.seconds < 50
    assert sorted(SEARCHES) == ["x0", "x2"]  # what had a bill is not asked for again
    assert (["x1", "x1"] if stop_at >= 2 else ["x1"]) == LOOKUPS


def test_a_third_attempt_uses_what_both_have_paid(registry: Registry, tmp_path: Path) -> None:
    events: list[dict[str, Any]] = []
    clients = [Model4(1), Model4(3), Model4()]
    for number, client in enumerate(clients):
        record = attempt(registry, client, tmp_path / str(number), events, f"a{number}")
    assert [c.seen for c in clients] == [[0], [1, 2], [3]]
    assert record is not None and record.outcome.usage.input == 406
    origins = [
        e["data"].get("paid_by") for e in events if e["attempt"] == "a2" and e["kind"] == "model_replied"
    ]
    assert origins == [["a0", 1], ["a1", 2], ["a1", 3], None]


def test_limits_strike_where_they_would_have(registry: Registry, tmp_path: Path) -> None:
    events: list[dict[str, Any]] = []
    attempt(registry, Model4(3), tmp_path / "a", events, "one")
    record = attempt(registry, Model4(), tmp_path / "b", events, "two", wall_clock_s=25.0)
    assert record is not None and record.outcome.reason == "wall_clock_s" and record.outcome.model_calls == 3
    record = attempt(registry, Model4(), tmp_path / "c", events, "three", model_calls=2)
    assert record is not None and record.outcome.reason == "model_calls"


def test_other_requests_find_nothing(registry: Registry, tmp_path: Path) -> None:
    """A journal of another question is of no use, and does no harm."""
    events: list[dict[str, Any]] = []
    attempt(registry, Model4(3), tmp_path / "a", events, "one")
    for event in events:
        if event["kind"] == "model_called":
            event["data"]["request"] = "0" * 32
        elif event["kind"] == "tool_called":
            event["data"]["arguments"] = {"what": "else"}
    client = Model4()
    record = attempt(registry, client, tmp_path / "b", events, "two")
    assert client.seen == [0, 1, 2, 3] and record is not None and record.outcome.status == "answered"


def test_a_key_depends_on_all_of_a_request() -> None:
    from attrs import evolve

    from gra_core import ModelSettings, ToolChoice, ToolDeclaration

    tool = ToolDeclaration(name="t", description="d", parameters={"type": "object"})
    request = ModelRequest(messages=(Message.user("q"),), system="s", tools=(tool,))
    others = [
        evolve(request, messages=(Message.user("p"),)),
        evolve(request, messages=(Message.user("q"), Message.user("q"))),
        evolve(request, system="t"),
        evolve(request, tools=()),
        evolve(request, tools=(evolve(tool, description="e"),)),
        evolve(request, choice=ToolChoice(mode="any")),
        evolve(request, settings=ModelSettings(temperature=0.5)),
    ]
    keys = RequestKeys()
    assert keys.of(request) == RequestKeys().of(request)
    assert len({keys.of(r) for r in (request, *others)}) == 8
