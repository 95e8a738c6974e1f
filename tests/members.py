"""The members of the workspace, read from the folders."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from attrs import frozen

ROOT = Path(__file__).resolve().parent.parent


@frozen
class Member:
    """A distribution of the workspace."""

    folder: Path
    project: dict[str, Any]

    @property
    def name(self) -> str:
        return self.project["name"]

    @property
    def package(self) -> str:
        return self.name.replace("-", "_")

    @property
    def source(self) -> Path:
        return self.folder / "src" / self.package


def members() -> list[Member]:
    """All members: the three of the top level and every plugin."""
    files = [*ROOT.glob("gra_*/pyproject.toml"), *ROOT.glob("plugins/gra-*/pyproject.toml")]
    return [Member(f.parent, tomllib.loads(f.read_text(encoding="utf-8"))["project"]) for f in sorted(files)]
