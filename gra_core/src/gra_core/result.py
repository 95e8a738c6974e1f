"""What a tool answers: ok, empty or error."""

from __future__ import annotations

from typing import Any, Literal

from attrs import field, frozen

from gra_core.errors import ToolError

Status = Literal["ok", "empty", "error"]


@frozen(kw_only=True)
class DatasetReply:
    """A scratch dataset in a tool's reply: its reference, file and a summary the model can read."""

    ref: str
    path: str
    summary: dict[str, Any]


@frozen(kw_only=True)
class ErrorReply:
    """Why a tool failed: `kind` is one of `gra_core.errors.ERROR_KINDS`, `hint` says what to do next."""

    kind: str
    message: str
    hint: str = ""


@frozen(kw_only=True)
class ToolResult:
    """The outcome of one tool call.

    `content` is small JSON-ready data; anything large is in `datasets`. `notes` say what was converted,
    assumed or left out. An authoritative empty answer has status ``empty`` and says so in `content`.
    """

    status: Status
    content: Any = None
    datasets: tuple[DatasetReply, ...] = ()
    notes: tuple[str, ...] = ()
    error: ErrorReply | None = None
    extra: dict[str, Any] = field(factory=dict)

    @classmethod
    def ok(cls, content: Any, *, datasets: Any = (), notes: Any = ()) -> ToolResult:
        """A successful result; `datasets` are what `ToolContext.save` returned."""
        return cls(status="ok", content=content, datasets=tuple(datasets), notes=tuple(notes))

    @classmethod
    def empty(cls, reason: str, *, notes: Any = ()) -> ToolResult:
        """The source was asked and has nothing: a finding, not a failure."""
        return cls(status="empty", content={"reason": reason}, notes=tuple(notes))

    @classmethod
    def failed(cls, error: ToolError) -> ToolResult:
        """The error form of a `ToolError`."""
        reply = ErrorReply(kind=error.kind, message=error.message, hint=error.hint)
        return cls(status="error", error=reply)

    def for_model(self) -> dict[str, Any]:
        """What the model reads: no file paths, empty parts left out."""
        reply: dict[str, Any] = {"status": self.status}
        if self.content is not None:
            reply["content"] = self.content
        if self.datasets:
            reply["datasets"] = [{"ref": d.ref, "summary": d.summary} for d in self.datasets]
        if self.notes:
            reply["notes"] = list(self.notes)
        if self.error is not None:
            reply["error"] = {"kind": self.error.kind, "message": self.error.message, "hint": self.error.hint}
        return reply | self.extra
