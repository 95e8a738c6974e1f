"""Model clients: one request, one reply, in the vocabulary of the loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol

from attrs import field, frozen

from gra_core.clock import Clock
from gra_core.errors import GraError
from gra_core.message import Message
from gra_core.usage import Usage

if TYPE_CHECKING:
    from gra_core.benchmark import Query

StopReason = Literal[
    "stop", "tool_calls", "max_tokens", "safety", "recitation", "blocklist", "prohibited_content", "spii",
    "language", "malformed_call", "unexpected_call", "too_many_calls", "missing_signature", "malformed_response",
    "blocked_prompt", "content_filter", "other", "unknown",
]  # fmt: skip


@frozen(kw_only=True)
class ToolDeclaration:
    """What a model is told of a tool. `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: dict[str, Any]


@frozen(kw_only=True)
class ToolChoice:
    """`auto`: the model decides; `any`: it must call one (of `names`, when given); `none`: it must not."""

    mode: Literal["auto", "any", "none"] = "auto"
    names: tuple[str, ...] = ()


@frozen(kw_only=True)
class ModelSettings:
    """Decoding settings; None leaves the provider's default. `thinking` is a provider's level, or ``off``.

    `extra` is passed to the client as it is.
    """

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_output_tokens: int | None = None
    thinking: str | None = None
    extra: dict[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class ModelRequest:
    """One request. Messages start with a user turn; every tool call is answered in the turn after it."""

    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[ToolDeclaration, ...] = ()
    choice: ToolChoice = ToolChoice()
    settings: ModelSettings = ModelSettings()


@frozen(kw_only=True)
class ModelReply:
    """One reply. `stop` is why the model stopped, `stop_detail` the provider's own word for it.

    `requests` is the usage of each single request it took, failed and retried ones included, in order:
    price tiers apply to each alone. `waited_s` is time spent on rate limits.
    """

    message: Message
    stop: StopReason = "stop"
    stop_detail: str = ""
    requests: tuple[Usage, ...] = ()
    waited_s: float = 0.0
    model_version: str = ""

    @property
    def usage(self) -> Usage:
        return sum(self.requests, Usage())


ModelErrorKind = Literal[
    "context_overflow", "quota", "daily_quota", "auth", "bad_request", "unavailable", "timeout"
]


class ModelError(GraError):
    """A model call failed for good. `requests` is the usage already spent on it; `daily_quota` ends the run."""

    def __init__(
        self,
        kind: ModelErrorKind,
        message: str,
        *,
        hint: str = "",
        requests: tuple[Usage, ...] = (),
        waited_s: float = 0.0,
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind, self.requests, self.waited_s = kind, requests, waited_s


@frozen(kw_only=True)
class TrialBrief:
    """What a client may know of the trial it serves. Only scripted models (oracle, replay) look at it."""

    trial_id: str = ""
    query: Query | None = None
    skills: tuple[str, ...] = ()
    reference: Callable[[], Any] | None = None


class ModelClient(Protocol):
    """A model client serves one trial at a time; `gra_models` returns a fresh one for each `open`."""

    @property
    def model_id(self) -> str:
        """``prefix:name`` as the user gave it."""
        ...

    @property
    def context_window(self) -> int | None:
        """Tokens, or None when unknown."""
        ...

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        """One reply; `ModelError` when there is none. Waits for rate limits inside ``clock.limited()``, and calls
        ``clock.repeat(usage so far)`` before each request, so that a budget can end the run."""
        ...

    def close(self) -> None:
        """Release connections. Called once, when no call is in flight."""
        ...


@frozen(kw_only=True)
class Model:
    """What a `gra_models` hook returns for a model id it knows: how to open a client for one trial.

    `open` raises `UsageError` when a key or file is missing. `snapshot` is whatever else identifies the model
    (a file's checksum, a recording's hash).
    """

    id: str
    open: Callable[[TrialBrief], ModelClient]
    snapshot: str = ""


@frozen(kw_only=True)
class ModelFamily:
    """For `list models` and `doctor`: a prefix, what ids look like and what it needs."""

    prefix: str
    title: str
    example: str
    missing: Callable[[], list[str]] = list
