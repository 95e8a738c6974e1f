"""A chat-completions server on the loopback interface that knows who asked what in which life of the run."""

from __future__ import annotations

import hashlib
import json
import random
import re
import threading
import time
from collections.abc import Callable
from typing import Any

from attrs import frozen

from gra_core.testing import LoopbackRequest, LoopbackServer
from gra_model_openai import testing as wire

MODEL = "openai:loopback"
# What the model does after so many results of tools.
WALK = (("walk", {"to": 1}), ("keep", {"size": 100}), None)


@frozen(kw_only=True)
class Asked:
    """A request: the number of its query, how many tool results it had, the life of the run; and what its reply says:
    `reply` identifies it, `usage` are its prompt and output tokens."""

    number: int
    step: int
    life: int
    reply: str
    usage: tuple[int, int]


class StepServer(LoopbackServer):
    """Plays `WALK`, or what `play(number, step)` says: a tool call (name, arguments), text, or a whole answer (status, headers,
    body). The usage of each reply is one of a kind, so that a sum tells which replies are in it. A reply takes up to
    `most_s`; `held` holds all of them back, those after the first `free` always."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.life = 0
        self.play: Callable[[int, int], Any] = walk
        self.usage: Callable[[int, int, int], dict[str, Any]] = usage_of
        self.most_s = 0.0
        self.free: int | None = None
        self.held = threading.Event()
        self.answered = 0
        self._came = threading.Condition()
        super().__init__()

    def answer(self, request: LoopbackRequest) -> tuple[int, dict[str, str], Any]:
        messages = request.json()["messages"]
        found = re.search(r"Sample (\d+):", json.dumps(messages))
        assert found, messages
        number, step = int(found[1]), sum(m["role"] == "tool" for m in messages)
        with self._came:
            count = len(self.asked)
            usage = self.usage(number, step, count)
            reply = f"reply-{count}"
            tokens = (usage["prompt_tokens"], usage["completion_tokens"])
            self.asked.append(Asked(number=number, step=step, life=self.life, reply=reply, usage=tokens))
            self._came.notify_all()
        time.sleep(self.most_s * random.Random(count).random())
        while self.held.is_set() or (self.free is not None and count >= self.free):
            time.sleep(0.01)
        self.answered += 1
        played = self.play(number, step)
        return played if isinstance(played, tuple) and len(played) == 3 else whole(played, reply, usage)

    def forget(self) -> None:
        """Begin anew."""
        self.held.clear()
        self.asked.clear()
        self.received.clear()
        self.life = self.answered = 0
        self.most_s, self.free, self.play, self.usage = 0.0, None, walk, usage_of

    def wait_for(self, count: int, unless: Callable[[], bool]) -> None:
        """Until so many requests have come in all, or `unless` holds."""
        with self._came:
            while len(self.asked) < count and not unless():
                self._came.wait(0.02)


def walk(number: int, step: int) -> Any:
    """Two tool calls, then the right answer."""
    return WALK[step] or f"{number} is there"


def usage_of(number: int, step: int, count: int) -> dict[str, Any]:
    """Usage that no other reply has."""
    digest = hashlib.sha256(f"{number}/{step}/{count}".encode()).digest()
    prompt, output = int.from_bytes(digest[:4]), int.from_bytes(digest[4:8])
    return wire.usage(prompt, output)


def whole(said: str | tuple[str, Any], reply: str, usage: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
    """A whole reply: text, or a tool call. The model's version carries the reply's identity."""
    if isinstance(said, str):
        return 200, {}, wire.completion(said, usage, id=reply, model=reply)
    turn = wire.calling(wire.call(said[0], json.dumps(said[1]), id=f"call-{reply}"))
    return 200, {}, wire.completion(turn, usage, finish="tool_calls", id=reply, model=reply)
