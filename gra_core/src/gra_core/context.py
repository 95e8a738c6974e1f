"""The context of one tool call: sources, workspace and deadline, with lineage kept on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gra_core.clock import Clock
from gra_core.source import SourceUse
from gra_core.sources import SourceHandle, Sources
from gra_core.usage import Usage
from gra_core.workspace import Column, Dataset, Lineage, Workspace

if TYPE_CHECKING:
    from gra_core.session import Session


class ToolContext:
    """First argument of every tool function."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        sources: Sources,
        clock: Clock | None = None,
        call_id: str = "",
        tool: str = "",
        arguments: dict[str, Any] | None = None,
        settings: dict[str, Any] | None = None,
        session: Session | None = None,
    ) -> None:
        self.workspace = workspace
        self.sources = sources
        self.clock = clock or Clock()
        self.call_id, self.tool, self.arguments = call_id, tool, arguments or {}
        self.settings = settings or {}
        self.session = session
        self._inputs: list[str] = []
        self._uses: list[SourceUse] = []

    @property
    def remaining_s(self) -> float:
        """Seconds of working time left to the trial."""
        return self.clock.remaining

    @property
    def uses(self) -> tuple[SourceUse, ...]:
        """The source calls made so far."""
        return tuple(self._uses)

    def source(self, kind: str, name: str = "") -> SourceHandle:
        """The active source of a kind (or a named one); `ToolError` ``not_available`` when none is ready."""
        return self.sources.open(kind, name, note=self._uses.append)

    def load(self, ref: str) -> Any:
        """The object behind a ``ds://`` reference, remembered as an input of what this call saves."""
        value = self.workspace.get(ref)
        self._remember(ref)
        return value

    def dataset(self, ref: str) -> Dataset:
        """The dataset (manifest and path) behind a reference, remembered as an input."""
        dataset = self.workspace.open(ref)
        self._remember(ref)
        return dataset

    def save(
        self,
        value: Any,
        *,
        name: str,
        columns: dict[str, Column] | None = None,
        nodata: float | None = None,
        time_basis: str = "",
        time_zone: str = "",
        notes: tuple[str, ...] = (),
    ) -> Any:
        """Store an object as a scratch dataset with this call's lineage; returns its `DatasetReply`."""
        lineage = Lineage(
            call_id=self.call_id,
            tool=self.tool,
            arguments=self.arguments,
            inputs=tuple(self._inputs),
            sources=self.uses,
        )
        dataset = self.workspace.put(
            value,
            name=name,
            columns=columns,
            nodata=nodata,
            time_basis=time_basis,
            time_zone=time_zone,
            notes=notes,
            lineage=lineage,
        )
        return dataset.reply()

    def bill(self, model_id: str, *requests: Usage) -> None:
        """Account for model requests that a tool made itself (grounded search, say): they count in the trial's cost."""
        if self.session is not None:
            self.session.bills.extend((model_id, usage) for usage in requests)

    def _remember(self, ref: str) -> None:
        if ref not in self._inputs:
            self._inputs.append(ref)
