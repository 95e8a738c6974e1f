"""Record and replay of source calls, as a plugin around every source call."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

from gra_core.errors import ToolError
from gra_core.format import DatasetFormat, format_for
from gra_core.markers import hookimpl
from gra_core.source import SourceCall


def call_key(call: SourceCall) -> str:
    """Identity of a call: SHA-256 of its canonical JSON."""
    text = json.dumps(
        [call.kind, call.source, call.operation, call.arguments], sort_keys=True, allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Recording:
    """A folder of recorded source calls: ``<key>.json`` says what was asked and answered, data beside it."""

    def __init__(self, folder: Path, formats: list[DatasetFormat]) -> None:
        self.folder, self.formats = Path(folder), formats

    def save(self, call: SourceCall, *, value: Any = None, error: ToolError | None = None) -> None:
        """Store an answer (or the error raised); written beside and renamed, so never half there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        entry: dict[str, Any] = {
            "schema_version": 1, "kind": call.kind, "source": call.source, "operation": call.operation, "arguments": call.arguments,
        }  # fmt: skip
        key = call_key(call)
        if error is not None:
            entry["error"] = {"kind": error.kind, "message": error.message, "hint": error.hint}
        else:
            spec = format_for(value, self.formats)
            entry |= {"format": spec.name, "file": key + ".data" + spec.extension}
            with tempfile.TemporaryDirectory(dir=self.folder) as staging:
                file = Path(staging) / ("data" + spec.extension)
                spec.load().write(value, file)
                os.replace(file, self.folder / entry["file"])
        new = self.folder / f".{key}.new"
        new.write_text(json.dumps(entry, ensure_ascii=False), encoding="utf-8")
        os.replace(new, self.folder / f"{key}.json")

    def load(self, call: SourceCall) -> Any:
        """The stored answer; raises the stored error, or `ToolError` ``not_available`` when nothing is stored."""
        try:
            entry = json.loads((self.folder / f"{call_key(call)}.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ToolError(
                "not_available",
                f"the recording has no answer of {call.kind}={call.source} {call.operation}",
                hint="record it: --record DIR with the live source",
            ) from None
        if "error" in entry:
            raise ToolError(entry["error"]["kind"], entry["error"]["message"], hint=entry["error"]["hint"])
        spec = next((f for f in self.formats if f.name == entry["format"]), None)
        if spec is None:
            raise ToolError(
                "not_available", f"no active plugin reads the recorded format {entry['format']!r}"
            )
        return spec.load().read(self.folder / entry["file"])


class Recorder:
    """Plugin that stores every answer whose source's licence allows it."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    @hookimpl(wrapper=True, tryfirst=True)
    def gra_call_source(self, call: SourceCall, context: Any) -> Generator[None, Any, Any]:
        try:
            answer = yield
        except ToolError as error:
            if context.source.storable:
                self.recording.save(call, error=error)
            raise
        if context.source.storable:
            self.recording.save(call, value=getattr(answer, "value", answer))
        return answer


class Replayer:
    """Plugin that answers every source call from a recording and never makes a real one."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    @hookimpl(tryfirst=True)
    def gra_call_source(self, call: SourceCall) -> Any:
        from gra_core.registry import Answer

        return Answer(self.recording.load(call))
