"""A model that replies from a script, and trials around it: for testing skills, planners, executors and rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from gra_core.clock import Clock
from gra_core.configuration import Configuration
from gra_core.context import ToolContext
from gra_core.markers import ENTRY_POINT_GROUP
from gra_core.message import Message, ToolCall
from gra_core.model import Model, ModelReply, ModelRequest, TrialBrief
from gra_core.plugins import PluginSet
from gra_core.registry import Registry
from gra_core.sources import Sources
from gra_core.trial import TrialRecord, TrialSetup, run_trial
from gra_core.usage import Usage
from gra_core.workspace import Workspace

Reply = str | list[ToolCall] | ModelReply | BaseException | Callable[[ModelRequest], Any]


class ScriptedModel:
    """Gives its replies in order: text, tool calls, a whole `ModelReply`, an error to raise, or a function of the
    request that returns one of these. `requests` holds what it was sent."""

    def __init__(self, replies: Iterable[Reply], *, context_window: int | None = None) -> None:
        self.model_id = "scripted"
        self.context_window = context_window
        self.requests: list[ModelRequest] = []
        self.closed = False
        self._replies = iter(replies)

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        self.requests.append(request)
        reply = next(self._replies)
        if callable(reply) and not isinstance(reply, type):
            reply = reply(request)
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, ModelReply):
            return reply
        usage = (Usage(requests=1, input=100, output=10),)
        if isinstance(reply, str):
            return ModelReply(message=Message(role="model", text=reply, provider="scripted"), requests=usage)
        assert isinstance(reply, list), f"a reply is text, tool calls or a ModelReply, not {reply!r}"
        message = Message(role="model", tool_calls=tuple(reply), provider="scripted")
        return ModelReply(message=message, stop="tool_calls", requests=usage)

    def close(self) -> None:
        self.closed = True

    def as_model(self) -> Model:
        """The model to give to a `TrialSetup`."""

        def open_client(_brief: TrialBrief) -> ScriptedModel:
            return self

        return Model(id=self.model_id, open=open_client)


def calls(*named: tuple[str, dict[str, Any]]) -> list[ToolCall]:
    """Tool calls of one turn: ``calls(("load_skills", {"names": ["geometry"]}))``."""
    return [
        ToolCall(id=f"call-{n}-{name}", name=name, arguments=arguments)
        for n, (name, arguments) in enumerate(named)
    ]


def registry_of(*plugins: Any) -> Registry:
    """A registry of plugin objects (modules, or instances with `@hookimpl` methods), without anything installed."""
    made = PluginSet()
    for number, plugin in enumerate(plugins):
        made.add(plugin, getattr(plugin, "__name__", f"{type(plugin).__name__}-{number}"))
    return Registry(made)


def tool_context(
    registry: Registry,
    folder: Path,
    *,
    chosen: Mapping[str, str] | None = None,
    sources: Mapping[str, Mapping[str, Any]] | None = None,
    **more: Any,
) -> ToolContext:
    """A context to call tool functions with: workspace in `folder`, sources `chosen` by kind, with the settings that
    ``[sources.NAME]`` tables would give (`sources`); `more` goes to `ToolContext`."""
    return ToolContext(
        workspace=Workspace(folder, registry.formats),
        sources=Sources(registry, chosen, sources),
        **({"call_id": "test", "tool": "test"} | more),
    )


def scripted_trial(
    registry: Registry,
    configuration: Configuration,
    model: ScriptedModel,
    folder: Path,
    *,
    text: str = "A question.",
    best_effort: bool = True,
) -> TrialRecord:
    """Run one trial with a scripted model; the workspace is in `folder`."""
    return run_trial(
        TrialSetup(
            registry=registry,
            configuration=configuration,
            model=model.as_model(),
            sources=Sources(registry, configuration.source_choice, configuration.sources),
            workspace=folder,
            text=text,
            best_effort=best_effort,
        )
    )


def found_at(site: Path, name: str, module: str) -> Path:
    """Have the plugin `module` found by its entry point `name`, without installing it, by every process that has the folder
    `site` on its PYTHONPATH. Returns `site`."""
    metadata = site / f"{name.replace('-', '_')}-0.dist-info"
    metadata.mkdir(parents=True, exist_ok=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\n{name} = {module}\n")
    return site
