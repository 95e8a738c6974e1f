"""Overhead of the agent loop without model and tool time, per call: the goal is under 2 ms."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from gra_core import Configuration, Executor, Limits, Skill, Tool, ToolContext, hookimpl
from gra_core.coretools import CORE_TOOLS
from gra_core.loop import converse
from gra_core.session import Session
from gra_core.testing import ScriptedModel, calls, registry_of, scripted_trial

CALLS = 500


def nothing(ctx: ToolContext, number: int) -> dict[str, int]:
    """Give a number back.

    Args:
        number: Any number.
    """
    return {"number": number}


def loop(session: Session) -> str:
    tools = [CORE_TOOLS["load_skills"]]
    return converse(session, system=lambda: "Go on.", tools=lambda: tools + session.disclosed())


class Plugin:
    """A skill whose tool does nothing, and the plain loop."""

    def __init__(self, folder: Path) -> None:
        skill = folder / "nothing"
        skill.mkdir()
        (skill / "SKILL.md").write_text(
            "---\nname: nothing\ndescription: Nothing, for measuring.\n---\nNothing.\n"
        )
        self.skills = [Skill(folder=skill, tools=(Tool(handler=nothing, skill="nothing"),))]

    @hookimpl
    def gra_skills(self) -> list[Skill]:
        return self.skills

    @hookimpl
    def gra_executors(self) -> list[Executor]:
        return [Executor(name="loop", title="loop", function=loop)]


def once(folder: Path) -> float:
    """Milliseconds per round of one model call and one tool call."""
    script = [
        calls(("load_skills", {"names": ["nothing"]})),
        *(calls(("nothing", {"number": n})) for n in range(CALLS)),
        "Done.",
    ]
    configuration = Configuration(
        name="x", executor="loop", skills=("*",), limits=Limits(model_calls=CALLS + 5)
    )
    registry = registry_of(Plugin(folder))
    started = time.perf_counter()
    record = scripted_trial(registry, configuration, ScriptedModel(script), folder / "workspace")
    assert record.outcome.status == "answered", record.outcome
    return (time.perf_counter() - started) * 1000 / CALLS


def main() -> None:
    rounds = []
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder:
            rounds.append(once(Path(folder)))
    print(
        f"loop overhead per model call and tool call: median {statistics.median(rounds):.2f} ms (goal: under 2), best {min(rounds):.2f} ms"
    )


if __name__ == "__main__":
    main()
