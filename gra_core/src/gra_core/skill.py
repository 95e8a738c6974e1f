"""Skills: a SKILL.md after the agentskills.io specification, and the tools that loading it declares."""

from __future__ import annotations

import importlib.util
import re
from functools import cached_property
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from gra_core.errors import PluginError, ToolError
from gra_core.tool import Tool

KEYS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_NAME, MAX_DESCRIPTION, MAX_COMPATIBILITY, MAX_LINES = 64, 1024, 500, 500


@frozen(kw_only=True)
class SkillDocument:
    """A parsed SKILL.md: its front matter and its body, the guidance."""

    name: str
    description: str
    guidance: str
    license: str = ""
    compatibility: str = ""
    metadata: dict[str, str] = field(factory=dict)
    allowed_tools: str = ""


def parse_skill(path: Path) -> SkillDocument:
    """Read a SKILL.md strictly; `PluginError` lists everything that the specification forbids."""
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise PluginError(f"skill file {path}: {error.strerror or error}") from error
    match = re.match(r"\A---\r?\n(.*?)\r?\n---\r?\n?(.*)\Z", text, re.S)
    if not match:
        raise PluginError(f"{path}: expected YAML front matter between two lines of ---")
    try:
        front = yaml.safe_load(match[1])
    except yaml.YAMLError as error:
        raise PluginError(f"{path}: front matter is not YAML: {error}") from error
    if not isinstance(front, dict):
        raise PluginError(f"{path}: front matter must be a mapping, got {type(front).__name__}")
    faults = list(_faults(front, match[2], path.parent.name))
    if faults:
        raise PluginError(f"{path}: " + "; ".join(faults))
    return SkillDocument(
        name=front["name"],
        description=front["description"].strip(),
        guidance=match[2].strip(),
        license=front.get("license", ""),
        compatibility=front.get("compatibility", ""),
        metadata=front.get("metadata", {}),
        allowed_tools=front.get("allowed-tools", ""),
    )


def _faults(front: dict[Any, Any], body: str, folder: str) -> list[str]:
    faults = [
        f"unknown key {key!r}; allowed: {', '.join(sorted(KEYS))}"
        for key in sorted(map(str, set(front) - KEYS))
    ]
    name, description = front.get("name"), front.get("description")
    if not isinstance(name, str) or len(name) > MAX_NAME or not NAME.fullmatch(name):
        faults.append(f"name {name!r}: expected 1 to 64 lower-case letters, digits and single hyphens")
    elif name != folder:
        faults.append(f"name {name!r} must equal its folder {folder!r}")
    if not isinstance(description, str) or not 1 <= len(description.strip()) <= MAX_DESCRIPTION:
        faults.append("description: expected 1 to 1024 characters that say what it does and when to use it")
    for key in ("license", "compatibility", "allowed-tools"):
        if key in front and not isinstance(front[key], str):
            faults.append(f"{key}: expected text")
    if (
        isinstance(front.get("compatibility"), str)
        and not 1 <= len(front["compatibility"]) <= MAX_COMPATIBILITY
    ):
        faults.append("compatibility: expected 1 to 500 characters")
    metadata = front.get("metadata", {})
    if not isinstance(metadata, dict) or not all(
        isinstance(k, str) and isinstance(v, str) for k, v in metadata.items()
    ):
        faults.append("metadata: expected a mapping of text to text")
    if len(body.splitlines()) > MAX_LINES:
        faults.append(f"body has {len(body.splitlines())} lines, at most {MAX_LINES} allowed")
    return faults


@define(kw_only=True, slots=False, eq=False)
class Skill:
    """A skill: hidden but for name and description until it is loaded.

    `folder` holds SKILL.md and resources one level deep. `tools` are declared when the skill is loaded.
    """

    folder: Path
    tools: tuple[Tool, ...] = ()

    @classmethod
    def from_package(cls, package: str, name: str, tools: list[str]) -> Skill:
        """The skill in folder `name` of an installed package, found without importing more than the package.

        `tools` are ``"module:function"`` with the module relative to the package: ``"tools:buffer_features"``.
        """
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise PluginError(f"skill {name!r}: package {package!r} is not installed")
        folder = Path(next(iter(spec.submodule_search_locations))) / name
        return cls(folder=folder, tools=tuple(Tool(handler=f"{package}.{t}", skill=name) for t in tools))

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def document(self) -> SkillDocument:
        return parse_skill(self.folder / "SKILL.md")

    @property
    def description(self) -> str:
        return self.document.description

    @property
    def guidance(self) -> str:
        return self.document.guidance

    def check(self) -> None:
        """Raise `PluginError` when SKILL.md or a tool's schema is faulty (imports the tool modules)."""
        parse_skill(self.folder / "SKILL.md")
        for tool in self.tools:
            try:
                tool.check_schema()
            except (ImportError, AttributeError, NameError) as error:
                raise PluginError(
                    f"skill {self.name!r}, tool {tool.name!r}: {type(error).__name__}: {error}"
                ) from error

    def resources(self) -> list[str]:
        """Names of the files beside SKILL.md, at most one folder deep."""
        found = [p for pattern in ("*", "*/*") for p in self.folder.glob(pattern)]
        kept = (p for p in found if p.is_file() and p.name != "SKILL.md" and p.suffix != ".pyc")
        return sorted(p.relative_to(self.folder).as_posix() for p in kept)

    def read_resource(self, path: str) -> str:
        """The text of a resource; `ToolError` when it is not one of `resources`."""
        if path not in self.resources():
            known = ", ".join(self.resources()) or "none"
            raise ToolError(
                "not_found", f"skill {self.name} has no resource {path!r}", hint=f"resources: {known}"
            )
        return (self.folder / path).read_text(encoding="utf-8")
