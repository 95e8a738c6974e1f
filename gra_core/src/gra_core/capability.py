"""Capability cards as text: what a planner reads, `doctor` prints and a reader of the docs sees."""

from __future__ import annotations

from gra_core.session import Session
from gra_core.tool import Card, Tool


def card_text(card: Card) -> str:
    """The card's facts on one line; empty parts left out."""
    facts = (
        ("coverage", card.coverage), ("resolution", card.resolution), ("period", card.period),
        ("sources", ", ".join(card.sources)), ("cost", card.cost), ("limits", card.limits),
    )  # fmt: skip
    return "; ".join(f"{label}: {text}" for label, text in facts if text)


def tool_text(tool: Tool) -> str:
    """A tool's name, first line and card."""
    first = tool.description.partition("\n\n")[0].replace("\n", " ")
    card = card_text(tool.card)
    return f"- {tool.name}: {first}" + (f" [{card}]" if card else "")


def capabilities(session: Session) -> str:
    """All skills of a session with their tools' cards; a skill that cannot work here says why."""
    parts = []
    for name, skill in session.skills.items():
        reason = session.unavailable(name)
        heading = f"## {name}" + (f" (not available here: {reason})" if reason else "")
        parts.append("\n".join([heading, skill.description, *(tool_text(t) for t in skill.tools)]))
    return "\n\n".join(parts)
