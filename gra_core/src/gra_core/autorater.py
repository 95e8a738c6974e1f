"""Autoraters: scorers that ask a model, and the line to that model.

The judge's requests are kept here, apart from those of the agent: what judging costs is nobody's score.
"""

from __future__ import annotations

import statistics
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from attrs import frozen

from gra_core.benchmark import Query, Score
from gra_core.clock import Clock
from gra_core.converter import dump, load
from gra_core.errors import GraError, LimitExceeded
from gra_core.journal import RequestKeys
from gra_core.lazy import load_object
from gra_core.message import Message
from gra_core.model import ModelClient, ModelError, ModelReply, ModelRequest, ModelSettings
from gra_core.trajectory import Event
from gra_core.usage import Usage

T = TypeVar("T")
ATTEMPTS = 3
TIMEOUT_S = 600.0
# A model that does not say why it stopped is taken at its word; one that was cut off is not.
COMPLETE = ("stop", "unknown")


class Unreadable(ValueError):
    """A reply that does not have the required form; the text says what is wrong with it, to the judge itself."""


class Unscored(GraError):
    """The judge gave no readable grade in as many requests as it may have."""


@frozen(kw_only=True)
class Submission:
    """What an autorater rates: one trial. `query.text` has no best-effort prefix; `status` is the outcome's."""

    query: Query
    answer: str = ""
    status: str = "answered"
    events: tuple[Event, ...] = ()


class Judge:
    """The line to the judge model for one submission. `calls`, `requests` and `waited_s` are its account;
    `observe` is told of every call, so that what an interrupted rating has cost is known; `paid` are such calls of earlier
    ratings that were cut off: what they were answered is not asked, and paid for, again."""

    def __init__(
        self,
        client: ModelClient,
        *,
        settings: ModelSettings = ModelSettings(),
        attempts: int = ATTEMPTS,
        timeout_s: float = TIMEOUT_S,
        observe: Callable[[dict[str, Any]], None] = lambda call: None,
        paid: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self._paid: defaultdict[tuple[int, str], deque[Mapping[str, Any]]] = defaultdict(deque)
        for call in paid:
            if "text" in call and "request" in call and "paid_by" not in call:
                self._paid[call["pass"], call["request"]].append(call)
        self._keys = RequestKeys()
        self._last: dict[str, Any] = {}
        self._client, self._settings, self._observe = client, settings, observe
        self._attempts, self._timeout_s = attempts, timeout_s
        self.number = 1
        self.calls = 0
        self.requests: list[Usage] = []
        self.waited_s = 0.0

    def ask(self, system: str, text: str, read: Callable[[str], T]) -> T:
        """What `read` makes of the reply. When it raises `Unreadable`, the judge is told why and asked again, a bounded
        number of times; then `Unscored`. Each `ask` is a conversation of its own."""
        messages = [Message.user(text)]
        faults: list[str] = []
        for _ in range(self._attempts):
            reply = self._call(system, messages)
            try:
                if reply.stop not in COMPLETE:
                    raise Unreadable(f"the reply ended early ({reply.stop})")
                return self._note(reply, read(reply.message.text))
            except Unreadable as fault:
                faults.append(str(fault))
                self._note(reply, None, fault=str(fault))
                if reply.stop in COMPLETE and reply.message.text.strip():
                    messages = [messages[0], reply.message, Message.user(again(fault))]
        raise Unscored(f"no readable grade in {self._attempts} replies: {'; '.join(dict.fromkeys(faults))}")

    def _call(self, system: str, messages: list[Message]) -> ModelReply:
        request = ModelRequest(messages=tuple(messages), system=system, settings=self._settings)
        self._last = {"pass": self.number, "request": self._keys.of(request)}
        self.calls += 1
        if waiting := self._paid.get((self.number, self._last["request"])):
            return self._reuse(waiting.popleft())
        clock = Clock(self._timeout_s)
        try:
            reply = clock.run(lambda: self._client.generate(request, clock))
        except LimitExceeded as error:
            self._observe({**self._last, "error": "timeout", "requests": dump(clock.repeated)})
            self._account(clock.repeated, clock.waited)
            raise ModelError("timeout", f"the judge gave no reply in {self._timeout_s:g} s") from error
        except ModelError as error:
            self._account(error.requests, error.waited_s)
            self._observe({**self._last, "error": error.kind, "requests": dump(error.requests)})
            raise
        self._account(reply.requests, reply.waited_s)
        return reply

    def _reuse(self, call: Mapping[str, Any]) -> ModelReply:
        requests = tuple(load(call["requests"], list[Usage], what="usage of a judge's call"))
        self._account(requests, 0.0)
        self._last["paid_by"] = call.get("session", "")
        message = Message(role="model", text=call["text"])
        return ModelReply(
            message=message, stop=call["stop"], model_version=call["model_version"], requests=requests
        )

    def _account(self, requests: tuple[Usage, ...], waited_s: float) -> None:
        self.requests.extend(requests)
        self.waited_s += waited_s

    def _note(self, reply: ModelReply, value: Any, *, fault: str = "") -> Any:
        self._observe(
            {
                **self._last,
                "text": reply.message.text,
                "stop": reply.stop,
                "fault": fault,
                "model_version": reply.model_version,
                "requests": dump(reply.requests),
            }
        )
        return value


def again(fault: Unreadable) -> str:
    """What the judge is told when its reply cannot be used."""
    return f"That reply cannot be used: {fault}. Give the complete reply again, in the required form."


@frozen(kw_only=True)
class Autorater:
    """An autorater by name. `function` is ``"module:callable"`` (or the callable) taking a `Submission` and a
    `Judge`, and returning the `Score` of one pass; `passes` independent ones are averaged.

    What code can decide without the judge, the function decides without asking it. `version` changes whenever
    prompts or rules do: it is part of a score's identity.
    """

    name: str
    function: str | Callable[[Submission, Judge], Score]
    title: str = ""
    passes: int = 1
    version: str = "1"

    def rate(self, submission: Submission, judge: Judge, passes: int | None = None) -> Score:
        """The mean over the passes; unscored as soon as one of them is. A pass that did not ask the judge is not
        repeated. `ModelError` when the judge cannot be reached."""
        function = load_object(self.function) if isinstance(self.function, str) else self.function
        rated: list[Score] = []
        for number in range(1, (passes or self.passes) + 1):
            judge.number = number
            before = judge.calls
            try:
                score = function(submission, judge)
            except Unscored as error:
                score = Score(value=None, explanation=error.message)
            rated.append(score)
            if score.value is None or judge.calls == before:
                break
        return combine(rated)


def combine(rated: list[Score]) -> Score:
    """One score from those of the passes; ``extra["passes"]`` keeps each of them."""
    last = rated[-1]
    extra = {"passes": [dump(score) for score in rated]}
    if last.value is None:
        return Score(value=None, explanation=last.explanation, extra=extra)
    values = [score.value for score in rated if score.value is not None]
    lengths = {len(score.parts) for score in rated}
    parts = (
        tuple(map(statistics.fmean, zip(*(score.parts for score in rated), strict=True)))
        if len(lengths) == 1
        else ()
    )
    text = last.explanation if len(rated) == 1 else "passes: " + ", ".join(f"{v:.3g}" for v in values)
    return Score(value=statistics.fmean(values), parts=parts, explanation=text, extra=extra)
