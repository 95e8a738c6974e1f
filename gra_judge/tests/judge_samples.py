"""Synthetic submissions and verdicts for the tests of the autoraters."""

from __future__ import annotations

from typing import Any

from gra_core import Event, Query, Submission, Workflow, WorkflowStep

FLOW = Workflow(
    datasets=("Synthetic river gauges", "Synthetic settlements"),
    steps=(
        WorkflowStep(text="Take the gauges of the valley."),
        WorkflowStep(text="Buffer the flooded reaches and count the people inside."),
        WorkflowStep(text="Compare with an earlier flood.", optional=True),
    ),
    outputs=("A map of the flooded reaches in blue",),
)
QUERY = Query(
    id="flood", benchmark="b", text="How many people live near the flooded reaches?", golden_workflows=(FLOW,)
)


def make_events(*given: tuple[str, dict[str, Any]]) -> tuple[Event, ...]:
    """Events from kinds and data."""
    return tuple(
        Event(seq=n, kind=kind, at="2026-11-03T10:00:00.000+00:00", elapsed_s=float(n), data=data)
        for n, (kind, data) in enumerate(given)
    )


def called(
    tool: str, arguments: dict[str, Any], content: Any, status: str = "ok", number: int = 0
) -> list[tuple[str, dict[str, Any]]]:
    """A tool call and its reply."""
    call_id = f"{tool}-{number}"
    output = {"status": status, "content": content}
    return [
        ("tool_called", {"id": call_id, "name": tool, "arguments": arguments}),
        ("tool_returned", {"id": call_id, "name": tool, "status": status, "output": output, "seconds": 0.1}),
    ]


def submission(
    *extra: tuple[str, dict[str, Any]],
    answer: str = "About 1,200 people.",
    query: Query = QUERY,
    status: str = "answered",
) -> Submission:
    """A trial that counted people near flooded reaches, with further events before its answer."""
    steps = [
        (
            "trial_started",
            {
                "query": query.text,
                "prompt": "Answer this on a best-effort basis: ...",
                "configuration": "gra",
            },
        ),
        *called("get_gauges", {"valley": "A"}, {"flooded": ["a", "b"]}),
        *called("count_people", {"reaches": ["a", "b"]}, {"people": 1234}),
        *extra,
        ("answered", {"text": answer, "numbers": []}),
    ]
    return Submission(query=query, answer=answer, status=status, events=make_events(*steps))


def verdict(
    score: int, effect: str = "", zero: str = "none", reasoning: str = "The gauges were retrieved."
) -> str:
    effect = effect or {0: "fatal", 1: "significant", 2: "none"}[score]
    return f"{reasoning}\n\nEFFECT: {effect}\nZERO: {zero}\nSCORE: {score}"
