"""The model that does nothing: for measuring the harness alone."""

from __future__ import annotations

from gra_core import Clock, Message, ModelReply, ModelRequest, TrialBrief, Usage


class Nop:
    """Answers every request with an empty list."""

    model_id = "nop"
    context_window = None

    def __init__(self, brief: TrialBrief) -> None:
        pass

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        return ModelReply(
            message=Message(role="model", text="[]", provider="nop"), requests=(Usage(requests=1),)
        )

    def close(self) -> None:
        pass
