"""A session: the state of one trial, and the two things an agent does: call the model and call tools."""

from __future__ import annotations

import inspect
import json
import traceback
from collections import Counter
from collections.abc import Awaitable
from typing import Any

from gra_core.clock import Clock
from gra_core.configuration import Configuration
from gra_core.context import ToolContext
from gra_core.converter import dump
from gra_core.disclosure import DisclosureMeter
from gra_core.errors import GraError, LimitExceeded, RunStopped, ToolError
from gra_core.guidance import GuidanceRule
from gra_core.journal import Journal, RequestKeys
from gra_core.message import Message, ToolCall, ToolReply
from gra_core.model import ModelClient, ModelError, ModelReply, ModelRequest, ToolChoice, ToolDeclaration
from gra_core.plan import Plan
from gra_core.registry import Registry
from gra_core.result import ToolResult
from gra_core.secrets import redact, secret_values
from gra_core.skill import Skill
from gra_core.sources import Sources
from gra_core.text import plain, shortened
from gra_core.tokens import estimate_tokens
from gra_core.tool import Tool
from gra_core.trajectory import Event, Trajectory
from gra_core.usage import Usage
from gra_core.workspace import Workspace

MAX_REPLY_CHARACTERS = 60_000


class Session:
    """What planners, executors, guards and core tools work on.

    `text` is the query as the agent reads it (with best-effort prefix and answer instruction). `state` is free
    for plugins, under their own name. What `journal` holds is not paid for again.
    """

    def __init__(
        self,
        *,
        registry: Registry,
        configuration: Configuration,
        client: ModelClient,
        workspace: Workspace,
        sources: Sources,
        text: str,
        best_effort: bool = True,
        clock: Clock | None = None,
        journal: Journal | None = None,
    ) -> None:
        self.registry, self.configuration, self.client = registry, configuration, client
        self.workspace, self.sources = workspace, sources
        self.text, self.best_effort = text, best_effort
        self.clock = clock or Clock(configuration.limits.wall_clock_s)
        self.trajectory = Trajectory(self._observe)
        self.skills = chosen_skills(registry, configuration)
        self.rules = chosen_rules(registry, configuration, best_effort)
        self.loaded: list[str] = []
        self.plan: Plan | None = None
        self.proxies: list[dict[str, str]] = []
        self.abstention: str | None = None
        self.requests: list[Usage] = []
        self.bills: list[tuple[str, Usage]] = []
        self.model_calls = self.reused_calls = 0
        self.tool_counts: Counter[str] = Counter()
        self.meter = DisclosureMeter()
        self.state: dict[str, Any] = {}
        self.journal = journal or Journal()
        self._keys = RequestKeys()
        self._declared: dict[str, Tool] = {}
        self._secrets = secret_values()

    # -- events ------------------------------------------------------------------------------------------------

    def record(self, kind: str, **data: Any) -> Event:
        """Add an event to the trajectory, secrets removed."""
        return self.trajectory.add(kind, self.clock.used, **redact(data, self._secrets))

    def _observe(self, event: Event) -> None:
        self.registry.tell(event, self)

    # -- tools that are disclosed ------------------------------------------------------------------------------

    def skill_tools(self, name: str) -> tuple[Tool, ...]:
        return self.skills[name].tools

    def disclosed(self) -> list[Tool]:
        """The domain tools that are declared at this moment, by the configuration's mode of disclosure."""
        direct = [self.registry.tools[name] for name in self.configuration.tools]
        if self.configuration.disclosure == "all":
            names = list(self.skills)
        elif self.configuration.disclosure == "native":
            names = self.loaded
        else:
            names = []
        tools = direct + [t for n in names for t in self.skill_tools(n)]
        return list({t.name: t for t in tools}.values())

    def reachable(self, name: str) -> Tool | None:
        """A tool that may be called now though it is not declared: of a loaded skill, in `runner` mode."""
        if self.configuration.disclosure == "runner":
            return next((t for n in self.loaded for t in self.skill_tools(n) if t.name == name), None)
        return None

    def unavailable(self, skill: str) -> str:
        """Why none of a skill's tools can work here, or an empty text."""
        reasons: list[str] = []
        for tool in self.skill_tools(skill):
            if not (reason := self.missing_sources(tool)):
                return ""
            reasons.append(reason)
        return reasons[0] if reasons else ""

    def missing_sources(self, tool: Tool) -> str:
        """Which source kind of a tool's card has no ready source, and why; empty when all are ready."""
        for kind in tool.card.sources:
            if kind.endswith("?"):
                continue
            try:
                self.sources.choose(kind)
            except ToolError as error:
                return str(error)
        return ""

    # -- the model ---------------------------------------------------------------------------------------------

    def call_model(
        self, messages: list[Message], *, system: str, tools: list[Tool], choice: ToolChoice = ToolChoice()
    ) -> ModelReply:
        """One model call within the limits. Raises `LimitExceeded` and `ModelError`; usage counts either way."""
        limits = self.configuration.limits
        self.clock.check()
        if self.model_calls >= limits.model_calls:
            raise LimitExceeded("model_calls", limits.model_calls, self.model_calls)
        self._declared = {t.name: t for t in tools}
        declarations = tuple(declaration_of(t) for t in tools)
        request = ModelRequest(
            messages=tuple(messages),
            system=system,
            tools=declarations,
            choice=choice,
            settings=self.configuration.model,
        )
        measured = self.meter.observe(system, declarations, request.messages)
        prompt = measured["history_tokens"] + measured["declared_tokens"] + estimate_tokens(system)
        self._check_context(prompt)
        self.model_calls += 1
        key = self._keys.of(request)
        self.record("model_called", call=self.model_calls, request=key, prompt_tokens=prompt, **measured)
        if (paid := self.journal.take_reply(key)) is not None:
            self.reused_calls += 1
            self.clock.advance(paid.seconds)
            self.requests.extend(paid.reply.requests)
            self._record_reply(paid.reply, paid.seconds, paid_by=[paid.attempt, paid.call])
            return paid.reply
        started, self.clock.repeated = self.clock.used, ()
        try:
            reply = self.clock.run(lambda: self.client.generate(request, self.clock))
        except ModelError as error:
            self._record_failure(error.kind, error.message, error.requests, error.waited_s)
            if error.kind == "context_overflow":
                window = limits.context_tokens or self.client.context_window or 0
                raise LimitExceeded("context_tokens", window, measured["history_tokens"]) from error
            raise
        except LimitExceeded as limit:
            # The last request is on its way, and what it costs is not known.
            last = Usage(requests=1, input=prompt, estimated=True)
            self._record_failure(limit.limit, limit.message, (*self.clock.repeated, last), 0.0)
            raise
        except RunStopped as stopped:
            if stopped.requests:
                self._record_failure("stopped", stopped.message, stopped.requests, 0.0)
            raise
        self.requests.extend(reply.requests)
        self._record_reply(reply, self.clock.used - started)
        return reply

    def _record_failure(self, kind: str, message: str, requests: tuple[Usage, ...], waited_s: float) -> None:
        self.requests.extend(requests)
        self.record(
            "model_failed", call=self.model_calls, error=kind, message=message, waited_s=waited_s, requests=dump(requests)
        )  # fmt: skip

    def _check_context(self, estimated: int) -> None:
        window = self.configuration.limits.context_tokens or self.client.context_window
        if window and estimated > window:
            raise LimitExceeded("context_tokens", window, estimated)

    def _record_reply(self, reply: ModelReply, seconds: float, **origin: Any) -> None:
        message = reply.message
        self.record(
            "model_replied", call=self.model_calls, seconds=round(seconds, 6),
            text=message.text, thoughts=message.thoughts, stop=reply.stop, stop_detail=reply.stop_detail,
            tool_calls=[{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls],
            provider=message.provider, state=message.state, model_version=reply.model_version, waited_s=reply.waited_s,
            requests=dump(reply.requests), **origin,
        )  # fmt: skip

    # -- tools -------------------------------------------------------------------------------------------------

    def call_tools(self, calls: tuple[ToolCall, ...]) -> Message:
        """Call tools in order and answer each call, in one message."""
        return Message.results([self.call_tool(call) for call in calls])

    def call_tool(self, call: ToolCall) -> ToolReply:
        """One tool call, with its events; every failure but a limit becomes a reply."""
        self.clock.check()
        self.record("tool_called", id=call.id, name=call.name, arguments=call.arguments)
        started, billed = self.clock.used, len(self.bills)
        extra: dict[str, Any] = {}
        if (paid := self.journal.take_output(call)) is not None:
            self.clock.advance(paid.seconds)
            self.tool_counts[call.name] += 1
            self.bills.extend(paid.bills)
            status, output, extra["paid_by"] = paid.status, paid.output, paid.attempt
        else:
            result = self.dispatch(call)
            status, output = (
                result.status,
                self._bounded(call, redact(plain(result.for_model()), self._secrets)),
            )
        if bills := self.bills[billed:]:
            extra["bills"] = [{"model": model, "usage": dump(usage)} for model, usage in bills]
        self.record(
            "tool_returned", id=call.id, name=call.name, status=status, output=output,
            seconds=round(self.clock.used - started, 6), **extra,
        )  # fmt: skip
        return ToolReply(call_id=call.id, name=call.name, output=output)

    def dispatch(self, call: ToolCall) -> ToolResult:
        """Guards, the hook chain, the tool itself, then reviews."""
        try:
            result = self._guarded(call) or self.registry.call_tool(call, self)
        except (LimitExceeded, RunStopped):
            raise
        except ToolError as error:
            if error.kind == "internal" and error.__cause__ is not None:
                self._record_fault(error.__cause__)
            result = ToolResult.failed(error)
        except Exception as error:
            self._record_fault(error)
            result = ToolResult.failed(_fault(call.name, error))
        for rule in self.rules:
            if rule.review:
                result = rule.review(call, result, self)
        return result

    def _record_fault(self, error: BaseException) -> None:
        detail = "".join(traceback.format_exception(error, limit=-4))
        self.record("guidance_applied", rule="internal-error", detail=shortened(detail, characters=10_000))

    def _guarded(self, call: ToolCall) -> ToolResult | None:
        for rule in self.rules:
            if rule.guard and (blocked := rule.guard(call, self)) is not None:
                self.record("guidance_applied", rule=rule.id, tool=call.name)
                return blocked
        return None

    def perform(self, call: ToolCall) -> ToolResult:
        """The end of the hook chain: find the tool, check the arguments, run it."""
        tool = self._declared.get(call.name) or self.reachable(call.name)
        if tool is None:
            raise self._undeclared(call.name)
        cap = self.configuration.tool_caps.get(tool.name)
        if cap is not None and self.tool_counts[tool.name] >= cap:
            raise ToolError(
                "quota",
                f"{tool.name}: all {cap} calls of this query are used",
                hint="answer with what you have",
            )
        self.tool_counts[tool.name] += 1
        arguments = tool.check(call.arguments)
        context = ToolContext(
            workspace=self.workspace, sources=self.sources, clock=self.clock, call_id=call.id, tool=tool.name,
            arguments=call.arguments, settings=self.configuration.settings, session=self,
        )  # fmt: skip
        result = run_tool(tool, context, arguments)
        if cap is not None:
            result.extra["remaining_quota"] = cap - self.tool_counts[tool.name]
        return result

    def _undeclared(self, name: str) -> ToolError:
        for skill in self.skills.values():
            if any(t.name == name for t in skill.tools):
                return ToolError(
                    "not_available",
                    f"{name} belongs to skill {skill.name!r}, which is not loaded",
                    hint=f'call load_skills(["{skill.name}"]) first',
                )
        declared = ", ".join(sorted(self._declared)) or "none"
        return ToolError("not_found", f"there is no tool {name!r}", hint=f"tools: {declared}")

    def _bounded(self, call: ToolCall, output: dict[str, Any]) -> dict[str, Any]:
        """Keep large content out of the model's context: it becomes a dataset. Other parts are cut."""
        size = len(json.dumps(output, ensure_ascii=False))
        if size <= MAX_REPLY_CHARACTERS:
            return output
        kept = {k: v for k, v in output.items() if k != "content"}
        if len(json.dumps(kept, ensure_ascii=False)) > MAX_REPLY_CHARACTERS:
            kept = shortened(kept)
        if "content" not in output:
            return kept
        saved = self.workspace.put(output["content"], name=f"{call.name}-content")
        reply = saved.reply()
        note = f"the content had {size} characters and was stored as {reply.ref}; inspect it in parts"
        shown = json.dumps(output["content"], ensure_ascii=False)[:2000]
        return kept | {
            "content": {"start": shown},
            "stored": reply.ref,
            "notes": [*kept.get("notes", []), note],
        }


def run_tool(tool: Tool, context: ToolContext, arguments: dict[str, Any]) -> ToolResult:
    """Run a tool's function with checked arguments under the clock.

    `ToolError` of kind ``timeout`` when it hangs, of kind ``internal`` when it raises anything but a `ToolError`.
    """

    def work() -> Any:
        value = tool.function(context, **arguments)
        return _run(value) if inspect.isawaitable(value) else value

    try:
        value = context.clock.run(work, timeout_s=tool.timeout_s)
    except TimeoutError as error:
        raise ToolError(
            "timeout", f"{tool.name}: {error}", hint="ask for less: a smaller region, fewer items"
        ) from error
    except GraError:
        raise
    except Exception as error:
        raise _fault(tool.name, error) from error
    return value if isinstance(value, ToolResult) else ToolResult.ok(value)


def _fault(name: str, error: BaseException) -> ToolError:
    message = f"{name} failed: {type(error).__name__}: {error}"
    return ToolError("internal", message, hint="try other arguments or another tool")


def _run(value: Awaitable[Any]) -> Any:
    import asyncio

    async def awaited() -> Any:
        return await value

    return asyncio.run(awaited())


def declaration_of(tool: Tool) -> ToolDeclaration:
    return ToolDeclaration(name=tool.name, description=tool.description, parameters=tool.parameters)


def chosen_skills(registry: Registry, configuration: Configuration) -> dict[str, Skill]:
    """The skills a configuration discloses, by name; `UnknownName` for one that is not installed."""
    names = list(registry.skills) if "*" in configuration.skills else sorted(set(configuration.skills))
    return {name: registry.skills[name] for name in names}


def chosen_rules(registry: Registry, configuration: Configuration, best_effort: bool) -> list[GuidanceRule]:
    """The guidance rules that are on, by id; `UnknownName` for an unknown id."""
    for name in (*configuration.guidance, *configuration.guidance_off):
        if name != "*":
            registry.guidance[name]
    names = set(registry.guidance) if "*" in configuration.guidance else set(configuration.guidance)
    kept = sorted(names - set(configuration.guidance_off))
    return [rule for name in kept if (rule := registry.guidance[name]).applies(best_effort)]
