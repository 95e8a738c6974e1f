"""The oracle: plays a query's reference trajectory through the real agent loop."""

from __future__ import annotations

import json
from typing import Any

from gra_core import Clock, Message, ModelReply, ModelRequest, ToolCall, TrialBrief, Usage


class Oracle:
    """One trial's player. It sees what a model sees, tool replies as they are sent, and gives up in words when a
    tool of the trajectory is not declared or a reply is an error."""

    model_id = "oracle"
    context_window = None

    def __init__(self, brief: TrialBrief) -> None:
        self._skills = list(brief.skills)
        self._steps = brief.reference() if brief.reference else None
        self._started = self._loaded = False
        self._calls = 0

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        declared = {tool.name for tool in request.tools}
        if declared & {"submit_plan"}:
            plan = {"milestones": [{"goal": "Follow the reference trajectory.", "skills": self._skills}]}
            return self._call("submit_plan", plan)
        if self._steps is None:
            return self._say("There is no reference trajectory for this query.")
        if not self._loaded and "load_skills" in declared and self._skills:
            self._loaded = True
            return self._call("load_skills", {"names": self._skills})
        try:
            tool, arguments = self._advance(request)
            if tool == "abstain" and tool not in declared:
                # Where best effort is wanted, a trajectory that abstains ends with an answer that says nothing.
                tool, arguments = self._send({"status": "empty"})
        except StopIteration as end:
            return self._say(json.dumps(end.value, ensure_ascii=False))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            return self._say(
                f"The reference trajectory met a reply it cannot read: {type(error).__name__}: {error}"
            )
        if tool in declared:
            return self._call(tool, arguments)
        if "run_skill_tool" in declared:
            return self._call("run_skill_tool", {"tool": tool, "arguments": arguments})
        return self._say(f"The reference trajectory needs {tool}, which is not available here.")

    def close(self) -> None:
        if self._steps is not None:
            self._steps.close()

    def _advance(self, request: ModelRequest) -> tuple[str, dict[str, Any]]:
        if self._started:
            return self._send(request.messages[-1].tool_replies[-1].output)
        self._started = True
        return self._send(None)

    def _send(self, reply: Any) -> tuple[str, dict[str, Any]]:
        assert self._steps is not None
        return self._steps.send(reply)

    def _call(self, name: str, arguments: dict[str, Any]) -> ModelReply:
        self._calls += 1
        call = ToolCall(id=f"oracle-{self._calls}", name=name, arguments=arguments)
        message = Message(role="model", tool_calls=(call,), provider="oracle")
        return ModelReply(message=message, stop="tool_calls", requests=(Usage(requests=1),))

    def _say(self, text: str) -> ModelReply:
        return ModelReply(
            message=Message(role="model", text=text, provider="oracle"), requests=(Usage(requests=1),)
        )
