"""What this plugin provides. Keep it light: it is imported by every command."""

from __future__ import annotations

from gra_core import Skill, hookimpl


@hookimpl
def gra_skills() -> list[Skill]:
    return [Skill.from_package("gra_skill_example_skill", "example-skill", ["tools:measure_compactness"])]
