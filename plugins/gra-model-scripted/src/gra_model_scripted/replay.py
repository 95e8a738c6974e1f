"""Replay: the model replies of a recorded trajectory, once more."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from gra_core import (
    Clock,
    Message,
    Model,
    ModelError,
    ModelReply,
    ModelRequest,
    ToolCall,
    TrialBrief,
    Usage,
    UsageError,
)


def replay_model(model_id: str) -> Model:
    """The model of ``replay:FILE``; FILE is a run's ``events.jsonl`` or the run's folder."""
    path = Path(model_id.partition(":")[2])
    path = path / "events.jsonl" if path.is_dir() else path
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{model_id}: {path} cannot be read: {error.strerror}", hint="give a run's events.jsonl"
        ) from error
    trials = _read(data, path)
    return Model(
        id=model_id,
        open=lambda brief: Replay(model_id, trials, brief),
        snapshot=hashlib.sha256(data).hexdigest(),
    )


def _read(data: bytes, path: Path) -> dict[str, list[dict[str, Any]]]:
    trials: dict[str, list[dict[str, Any]]] = {}
    for number, line in enumerate(data.decode("utf-8").splitlines(), 1):
        try:
            event = json.loads(line)
            trials.setdefault(event["trial"], []).append(event)
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{path}, line {number} is not an event: {error}", hint="give a run's events.jsonl"
            ) from error
    return trials


class Replay:
    """Replies in the order recorded. The trial is found by the query's text; the only trial of a file serves any."""

    context_window = None

    def __init__(self, model_id: str, trials: dict[str, list[dict[str, Any]]], brief: TrialBrief) -> None:
        self.model_id = model_id
        wanted = brief.query.text if brief.query else None
        fitting = [
            events for events in trials.values()
            if any(e["kind"] == "trial_started" and e["data"].get("query") == wanted for e in events)
        ]  # fmt: skip
        chosen = fitting[0] if fitting else next(iter(trials.values())) if len(trials) == 1 else []
        self._replies = [e["data"] for e in chosen if e["kind"] == "model_replied"]
        self._next = 0

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        if self._next >= len(self._replies):
            raise ModelError(
                "bad_request",
                f"{self.model_id}: the recording has no reply number {self._next + 1} for this trial",
            )
        data = self._replies[self._next]
        self._next += 1
        message = Message(
            role="model", text=data["text"], thoughts=data["thoughts"], provider=data["provider"], state=data["state"],
            tool_calls=tuple(ToolCall(**call) for call in data["tool_calls"]),
        )  # fmt: skip
        requests = tuple(Usage(**usage) for usage in data["requests"])
        return ModelReply(
            message=message, stop=data["stop"], stop_detail=data["stop_detail"], requests=requests
        )

    def close(self) -> None:
        pass
