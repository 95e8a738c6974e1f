"""Plugin: the skill ``geometry``."""

from __future__ import annotations

from gra_core import Skill, hookimpl

TOOLS = (
    "compute_distances",
    "measure_features",
    "buffer_features",
    "filter_by_intersection",
    "join_by_location",
    "overlay_features",
    "compute_zonal_stats",
)


@hookimpl
def gra_skills() -> list[Skill]:
    return [Skill.from_package("gra_skill_geometry", "geometry", [f"tools:{name}" for name in TOOLS])]
