"""The workspace: scratch datasets held outside the model's context, each with manifest and lineage."""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import json
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from attrs import evolve, field, frozen

from gra_core.converter import dump, load
from gra_core.errors import RunStopped, ToolError
from gra_core.format import JSON_FORMAT, DatasetFormat, format_for
from gra_core.result import DatasetReply
from gra_core.secrets import redact
from gra_core.source import SourceUse

SCHEME = "ds://"
REFERENCE = re.compile(r"ds://([a-z0-9][a-z0-9_-]{0,79})")
SCHEMA_VERSION = 1
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}
Quantity = Literal["count", "rate", "intensive", "class"]


@frozen(kw_only=True)
class Column:
    """What a column (or band) holds: its unit and the kind of quantity, which decides how it may be aggregated."""

    unit: str = ""
    quantity: Quantity | None = None
    description: str = ""


@frozen(kw_only=True)
class Lineage:
    """Which call of which tool made a dataset, from which sources and which other datasets."""

    call_id: str = ""
    tool: str = ""
    arguments: dict[str, Any] = field(factory=dict)
    inputs: tuple[str, ...] = ()
    sources: tuple[SourceUse, ...] = ()


@frozen(kw_only=True)
class Manifest:
    """The description stored beside a dataset as ``manifest.json``.

    `summary` is the format's (rows, columns and types, CRS, bounds as west, south, east, north, a few rows);
    `time_zone` is an IANA name, `time_basis` says what a time stamp means (instant, start of period, local day).
    """

    ref: str
    name: str
    format: str
    file: str
    created: str
    summary: dict[str, Any] = field(factory=dict)
    columns: dict[str, Column] = field(factory=dict)
    nodata: float | None = None
    time_basis: str = ""
    time_zone: str = ""
    notes: tuple[str, ...] = ()
    lineage: Lineage = Lineage()
    schema_version: int = SCHEMA_VERSION


@frozen(kw_only=True)
class Dataset:
    """A stored dataset: its manifest and where its file is."""

    manifest: Manifest
    path: Path

    @property
    def ref(self) -> str:
        return self.manifest.ref

    def reply(self) -> DatasetReply:
        """The form that a tool's result carries."""
        m = self.manifest
        extra: dict[str, Any] = {"name": m.name, "format": m.format}
        if m.columns:
            extra["units"] = {k: c.unit for k, c in m.columns.items() if c.unit}
        if m.nodata is not None:
            extra["nodata"] = m.nodata
        return DatasetReply(ref=m.ref, path=str(self.path), summary=extra | m.summary)


@contextlib.contextmanager
def stopped_by_a_full_disk(folder: Path) -> Iterator[None]:
    """Below `folder` something is written: when there is no room for it, that is `RunStopped` and nobody else's failure."""
    try:
        yield
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise RunStopped(
            f"cannot write {error.filename or folder}: {error.strerror}",
            hint="make room (or mend the disk), then go on",
        ) from error


def _no_room(folder: Path) -> OSError | None:
    """The error of a full disk, when it is full. Libraries that write raise errors of their own, or none."""
    disk = os.statvfs(folder)
    left = disk.f_bavail if os.geteuid() else disk.f_bfree
    full = (disk.f_blocks and not left) or (disk.f_files and not disk.f_ffree)
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder)) if full else None


def _text_of(manifest: Manifest) -> str:
    return json.dumps(redact(dump(manifest)))


class Workspace:
    """A folder of datasets, made with the first of them. References are ``ds://<id>`` and resolve inside this folder or
    not at all."""

    def __init__(
        self, root: Path, formats: list[DatasetFormat] | None = None, *, preview_rows: int = 5
    ) -> None:
        self._root = Path(root)
        self.formats = list(formats or [])
        if not any(f.name == "json" for f in self.formats):
            self.formats.append(JSON_FORMAT)
        self.preview_rows = preview_rows
        self._lock = threading.Lock()

    @property
    def root(self) -> Path:
        """The folder; it exists."""
        self._root.mkdir(parents=True, exist_ok=True)
        return self._root

    def put(
        self,
        value: Any,
        *,
        name: str,
        columns: dict[str, Column] | None = None,
        nodata: float | None = None,
        time_basis: str = "",
        time_zone: str = "",
        notes: tuple[str, ...] = (),
        lineage: Lineage | None = None,
    ) -> Dataset:
        """Store an object under a new reference made from `name`. Nothing is left behind when writing fails; `RunStopped`
        when the disk is full."""
        spec = format_for(value, self.formats)
        handler = spec.load()
        name = str(redact(name))  # it becomes a folder's
        with self._staging() as staging:
            file = f"data{spec.extension}"
            handler.write(redact(value) if spec == JSON_FORMAT else value, staging / file)
            if full := _no_room(self._root):  # not every library tells that a file is only half there
                raise full
            with self._lock:
                identity = self._free_id(name)
                manifest = Manifest(
                    ref=SCHEME + identity, name=name, format=spec.name, file=file,
                    created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
                    summary=handler.summarize(value, self.preview_rows), columns=dict(columns or {}), nodata=nodata,
                    time_basis=time_basis, time_zone=time_zone, notes=tuple(notes), lineage=lineage or Lineage(),
                )  # fmt: skip
                (staging / "manifest.json").write_text(_text_of(manifest), encoding="utf-8")
                target = self._root / "datasets" / identity
                os.replace(staging, target)
        return Dataset(manifest=manifest, path=target / file)

    @contextlib.contextmanager
    def _staging(self) -> Iterator[Path]:
        """A folder beside the datasets, to be moved among them; it is gone afterwards."""
        with stopped_by_a_full_disk(self._root):
            (self._root / "datasets").mkdir(parents=True, exist_ok=True)
            staging = Path(tempfile.mkdtemp(prefix=".new-", dir=self._root))
            try:
                yield staging
            except Exception as error:
                if full := _no_room(self._root):  # asked before what was written is deleted
                    raise full from error
                raise
            finally:
                shutil.rmtree(staging, ignore_errors=True)

    def open(self, ref: Any) -> Dataset:
        """The dataset behind a reference; `ToolError` says what is wrong with it and what exists."""
        match = REFERENCE.fullmatch(ref) if isinstance(ref, str) else None
        if match is None:
            raise ToolError(
                "bad_argument",
                f"{ref!r} is not a dataset reference",
                hint=f"expected ds://<id> as returned by a tool; here: {self._known()}",
            )
        folder = self._root / "datasets" / match[1]
        try:
            data = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ToolError(
                "not_found", f"no dataset {ref} in this workspace", hint=f"here: {self._known()}"
            ) from None
        manifest = load(data, Manifest, what=f"manifest of {ref}")
        return Dataset(manifest=manifest, path=folder / manifest.file)

    def get(self, ref: Any) -> Any:
        """The object behind a reference."""
        dataset = self.open(ref)
        spec = next((f for f in self.formats if f.name == dataset.manifest.format), None)
        if spec is None:
            raise ToolError(
                "not_available", f"no active plugin reads format {dataset.manifest.format!r} of {ref}"
            )
        return spec.load().read(dataset.path)

    def list(self) -> list[Dataset]:
        """All datasets, oldest first."""
        folders = sorted(p.parent.name for p in (self._root / "datasets").glob("*/manifest.json"))
        found = [self.open(SCHEME + name) for name in folders]
        return sorted(found, key=lambda d: (d.manifest.created, d.ref))

    def annotate(self, ref: str, **changes: Any) -> Dataset:
        """Replace fields of a manifest (atomically)."""
        dataset = self.open(ref)
        manifest = evolve(dataset.manifest, **changes)
        target = dataset.path.parent / "manifest.json"
        staging = target.with_suffix(".new")
        with stopped_by_a_full_disk(self._root):
            staging.write_text(_text_of(manifest), encoding="utf-8")
            os.replace(staging, target)
        return evolve(dataset, manifest=manifest)

    def _free_id(self, name: str) -> str:
        stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "data"
        number = 1
        while (self._root / "datasets" / f"{stem}-{number}").exists():
            number += 1
        return f"{stem}-{number}"

    def _known(self) -> str:
        names = [d.ref for d in self.list()]
        return ", ".join(names[-20:]) if names else "no datasets yet"
