"""Ways of asking: plain text, native tool declarations, or constrained output. Each builds a request body and
reads what comes back."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any, Protocol

from attrs import frozen

from gra_core import Message, ModelRequest, ToolCall, ToolDeclaration
from gra_core.model import StopReason
from gra_model_local.completion import Completion
from gra_model_local.grammar import grammar_of, portable
from gra_model_local.output import BadOutput, open_answer, output_schema, read_output, well_begun
from gra_model_local.prompt import constrained_messages, native_call, native_messages

FINISH: dict[str, StopReason] = {"stop": "stop", "length": "max_tokens", "tool_calls": "tool_calls"}


@frozen(kw_only=True)
class Reading:
    """What a completion says: the turn and why it ended."""

    message: Message
    stop: StopReason
    detail: str


@frozen(kw_only=True)
class Asked:
    """A request as the ways need it: with the tools that may be called now."""

    model_id: str
    request: ModelRequest
    tools: tuple[ToolDeclaration, ...]
    window: int

    @property
    def must_call(self) -> bool:
        return self.request.choice.mode == "any"

    def ids(self) -> Iterator[str]:
        """Ids for new calls: counted through the trial, so the same conversation gives the same ids."""
        used = {call.id for turn in self.request.messages for call in turn.tool_calls}
        return (name for n in itertools.count(len(used) + 1) if (name := f"call_{n}") not in used)

    def reading(self, completion: Completion, **fields: Any) -> Reading:
        finish = completion.finish
        stop = fields.pop("stop", None) or FINISH.get(finish, "unknown")
        message = Message(role="model", thoughts=completion.thoughts, provider=self.model_id, **fields)
        return Reading(message=message, stop=stop, detail=finish)


class Way(Protocol):
    """`read` raises `BadOutput` when the completion cannot be used."""

    def body(self) -> dict[str, Any]: ...

    def read(self, completion: Completion) -> Reading: ...


@frozen(kw_only=True)
class Plain:
    """No tools: the text is the answer."""

    asked: Asked

    def body(self) -> dict[str, Any]:
        messages = constrained_messages(self.asked.request, (), answer=True, window=self.asked.window)
        return {"messages": messages}

    def read(self, completion: Completion) -> Reading:
        return self.asked.reading(completion, text=completion.text)


@frozen(kw_only=True)
class Native:
    """Declarations through the chat template; llama.cpp parses the calls."""

    asked: Asked

    def body(self) -> dict[str, Any]:
        declared = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": portable(tool.parameters),
                },
            }
            for tool in self.asked.tools
        ]
        choice = "required" if self.asked.must_call else "auto"
        messages = native_messages(self.asked.request, self.asked.model_id)
        return {"messages": messages, "tools": declared, "tool_choice": choice}

    def read(self, completion: Completion) -> Reading:
        if not completion.calls and self.asked.must_call:
            raise BadOutput("no tool was called, and one had to be")
        cut = completion.finish == "length"
        try:
            calls = tuple(
                _native_call(call, name)
                for call, name in zip(completion.calls, self.asked.ids(), strict=False)
            )
        except BadOutput:
            if not cut:
                raise
            calls = ()
        return self.asked.reading(
            completion, text=completion.text, tool_calls=calls, state=_state(completion, calls)
        )


def _native_call(call: dict[str, Any], identity: str) -> ToolCall:
    try:
        arguments = json.loads(call["arguments"] or "{}")
    except (ValueError, RecursionError) as error:
        raise BadOutput(f"the arguments of {call['name']} are not valid JSON ({error})") from None
    if not isinstance(arguments, dict):
        raise BadOutput(f"the arguments of {call['name']} are not an object")
    return ToolCall(id=identity, name=call["name"], arguments=arguments)


def _state(completion: Completion, calls: tuple[ToolCall, ...]) -> dict[str, Any]:
    """The turn as the chat template takes it back, thoughts included."""
    state: dict[str, Any] = {"role": "assistant", "content": completion.text}
    if completion.thoughts:
        state["reasoning_content"] = completion.thoughts
    if calls:
        state["tool_calls"] = [native_call(call.id, call.name, call.arguments) for call in calls]
    return state


@frozen(kw_only=True)
class Constrained:
    """Output held to a JSON schema by a grammar. `fault` is what was wrong with the attempt before; the arguments
    are left open then, since a schema that makes no grammar is silently not enforced."""

    asked: Asked
    fault: str = ""

    def body(self) -> dict[str, Any]:
        asked = self.asked
        answer = not asked.must_call
        messages = constrained_messages(asked.request, asked.tools, answer=answer, window=asked.window)
        if self.fault:
            correction = f"Your last reply cannot be used: {self.fault}. Reply again, with one JSON object as described."
            messages[-1] = messages[-1] | {"content": f"{messages[-1]['content']}\n\n{correction}"}
        schema = output_schema(asked.tools, answer=answer, loose=bool(self.fault))
        return {"messages": messages, "grammar": grammar_of(schema)}

    def read(self, completion: Completion) -> Reading:
        if completion.finish == "length" and well_begun(completion.text):
            return self.asked.reading(completion, text=open_answer(completion.text))
        output = read_output(completion.text, self.asked.tools, answer=not self.asked.must_call)
        if not output.tool:
            return self.asked.reading(completion, text=output.answer)
        call = ToolCall(id=next(self.asked.ids()), name=output.tool, arguments=output.arguments)
        return self.asked.reading(completion, tool_calls=(call,), stop="tool_calls")
