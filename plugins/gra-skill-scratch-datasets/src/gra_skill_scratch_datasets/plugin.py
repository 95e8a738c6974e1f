"""Registers the skill and the sandboxes."""

from __future__ import annotations

from gra_core import Sandbox, Skill, hookimpl

TOOLS = ["list_datasets", "inspect_dataset", "query_table", "run_python", "import_file", "export_dataset"]
BACKENDS = "gra_skill_scratch_datasets.sandboxes.backends"


@hookimpl
def gra_skills() -> list[Skill]:
    """The skill scratch-datasets."""
    return [
        Skill.from_package(
            "gra_skill_scratch_datasets", "scratch-datasets", [f"tools:{name}" for name in TOOLS]
        )
    ]


@hookimpl
def gra_sandboxes() -> list[Sandbox]:
    """sandlock, bubblewrap, and none, which is used only when it is named."""
    declared = [
        ("sandlock", "Landlock and seccomp, no privileges needed (Linux 6.2 or later)", 20, True),
        ("bubblewrap", "Namespaces by the program bwrap, with a system call filter", 10, True),
        ("none", "No protection: limits only", 0, False),
    ]
    return [
        Sandbox(
            name=name,
            title=title,
            factory=f"{BACKENDS}:{name}",
            probe=f"{BACKENDS}:probe_{name}",
            priority=priority,
            isolating=isolating,
        )
        for name, title, priority, isolating in declared
    ]
