"""Where a dataset came from: its lineage through all the datasets that it was made of, and what their licences ask."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from gra_core.errors import ToolError
from gra_core.source import SourceUse
from gra_core.workspace import Manifest, Workspace


@frozen(kw_only=True)
class History:
    """A dataset's manifest, those of its ancestors (nearest first), and the ancestors that are gone."""

    manifests: list[Manifest]
    missing: list[str] = field(factory=list)

    @property
    def uses(self) -> list[SourceUse]:
        """Source calls of the dataset and its ancestors, each kind, source and licence once."""
        uses = [use for m in self.manifests for use in m.lineage.sources]
        return list({(u.kind, u.source, u.licence, u.storable): u for u in uses}.values())

    @property
    def refusal(self) -> str:
        """Why the dataset must not be kept beyond the trial, or an empty text.

        A licence that forbids storing forbids it for what was derived too; an unknown ancestor forbids nothing
        for sure, but allows nothing either.
        """
        if bound := [u for u in self.uses if not u.storable]:
            return "; ".join(
                f"source {u.source!r} ({u.licence or 'no licence given'}) forbids storing its data"
                for u in bound
            )
        return (
            f"it was made from {', '.join(self.missing)}, which is gone with its licence"
            if self.missing
            else ""
        )


def trace(workspace: Workspace, ref: str) -> History:
    """The history of a dataset; `ToolError` when the reference itself is wrong."""
    manifests, missing, seen = [], [], set()
    queue = [workspace.open(ref).ref]
    while queue:
        current = queue.pop(0)
        if current in seen:
            continue
        seen.add(current)
        try:
            manifest = workspace.open(current).manifest
        except ToolError:
            missing.append(current)
            continue
        manifests.append(manifest)
        queue += manifest.lineage.inputs
    return History(manifests=manifests, missing=missing)


def described(history: History) -> dict[str, Any]:
    """The history as small JSON: steps, sources with licence and attribution, whether it may be stored."""
    steps = [
        {"ref": m.ref, "tool": m.lineage.tool, "call_id": m.lineage.call_id, "inputs": list(m.lineage.inputs)}
        for m in history.manifests[:20]
    ]
    sources = [
        {
            "kind": u.kind,
            "source": u.source,
            "licence": u.licence,
            "attribution": u.attribution,
            "retrieved_at": u.retrieved_at,
            "storable": u.storable,
        }
        for u in history.uses
    ]
    return {"steps": steps, "sources": sources, "may_be_stored": not history.refusal}
