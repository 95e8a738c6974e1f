"""Datasets of trials: their manifests, previews by the formats that are installed, and the map's base."""

from __future__ import annotations

import json
import re
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gra_core import Registry

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
TRIAL = re.compile(r"[0-9a-zA-Z_-]{1,64}")
ROWS = 100
MAX_BYTES = 256_000_000
MAX_JSON = 200_000
# Degrees that the base map's outlines may be off: a country's shape on a screen.
TOLERANCE, DECIMALS = 0.02, 2


class Datasets:
    """Reads datasets of workspaces; nothing outside the folder of the trial, whatever links and manifests say."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._base: dict[str, Any] | None = None

    @cached_property
    def registry(self) -> Registry:
        """The installed plugins; loaded when the first dataset is looked at."""
        from gra_core import Registry

        return Registry.load()

    def manifests(self, workspaces: Path, trial: str) -> list[dict[str, Any]]:
        """The manifests of a trial's datasets, oldest first."""
        if not TRIAL.fullmatch(trial):
            return []
        folder = workspaces / trial / "datasets"
        names = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
        found = [m for name in names if (m := self._manifest(workspaces, trial, name)) is not None]
        return sorted(found, key=lambda m: (str(m.get("created", "")), str(m.get("ref", ""))))

    def preview(self, workspaces: Path, trial: str, name: str) -> dict[str, Any] | None:
        """A dataset's manifest and preview; None when there is no such dataset."""
        manifest = self._manifest(workspaces, trial, name)
        if manifest is None:
            return None
        path = _inside(
            workspaces / trial / "datasets" / name / str(manifest.get("file", "")), workspaces / trial
        )
        return {"manifest": manifest, "preview": self._preview(manifest, path)}

    def _manifest(self, workspaces: Path, trial: str, name: str) -> dict[str, Any] | None:
        if not (TRIAL.fullmatch(trial) and NAME.fullmatch(name)):
            return None
        path = _inside(workspaces / trial / "datasets" / name / "manifest.json", workspaces / trial)
        if path is None or not path.is_file() or path.stat().st_size > MAX_BYTES:
            return None
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            return None
        return _shaped(found) if isinstance(found, dict) else None

    def _preview(self, manifest: dict[str, Any], path: Path | None) -> dict[str, Any]:
        if path is None or not path.is_file():
            return _head(manifest, "the data file is not there")
        if path.stat().st_size > MAX_BYTES:
            return _head(manifest, f"no more is shown of a file of {path.stat().st_size / 1e6:.0f} MB")
        if manifest.get("format") == "json":
            text = path.read_text(encoding="utf-8", errors="replace")
            return {"text": text[:MAX_JSON], "total": len(text)}
        try:
            spec = next((f for f in self.registry.formats if f.name == manifest.get("format")), None)
            make = getattr(spec.load(), "preview", None) if spec else None
            if make is None:
                return _head(
                    manifest, f"no installed plugin shows more of the format {manifest.get('format')!r}"
                )
            return make(path, ROWS)
        except Exception as error:
            return _head(manifest, f"no more can be shown: {type(error).__name__}: {error}")

    def base(self) -> dict[str, Any]:
        """Country outlines of the ``boundaries`` source as GeoJSON, when one that needs no network is installed."""
        with self._lock:
            if self._base is None:
                try:
                    self._base = self._outlines()
                except Exception as error:
                    self._base = {"note": f"no base map: {error}"}
            return self._base

    def _outlines(self) -> dict[str, Any]:
        from gra_core import Sources

        sources = Sources(self.registry)
        source = sources.choose("boundaries")
        if source.live:
            return {"note": f"no base map: the source {source.name} is not on this machine"}
        handle = sources.open("boundaries", source.name)
        layers = {"countries": handle.children(parent_id="Earth", level="country")}
        if "state" in handle.levels():
            layers["states"] = handle.children(parent_id="Earth", level="state")
        drawn = {name: _collection(frame) for name, frame in layers.items()}
        return {"attribution": source.attribution, "layers": drawn}


def _shaped(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with parts of the documented types: model-written code can write into a workspace."""
    lineage = _of(dict, manifest.get("lineage"))
    sources = [use for use in _of(list, lineage.get("sources")) if isinstance(use, dict)]
    inputs = [ref for ref in _of(list, lineage.get("inputs")) if isinstance(ref, str)]
    summary = _of(dict, manifest.get("summary"))
    return manifest | {
        "ref": str(manifest.get("ref", "")),
        "notes": [str(note) for note in _of(list, manifest.get("notes"))],
        "columns": {k: _of(dict, v) for k, v in _of(dict, manifest.get("columns")).items()},
        "summary": summary | {name: _of(dict, summary[name]) for name in ("columns", "geometry_types") if name in summary},
        "lineage": lineage | {"sources": sources, "inputs": inputs},
    }  # fmt: skip


def _of(kind: type, value: Any) -> Any:
    return value if isinstance(value, kind) else kind()


def _collection(frame: Any) -> dict[str, Any]:
    """Outlines for drawing: simplified, two decimals, no attributes."""
    shapes = json.loads(frame.geometry.simplify(TOLERANCE).to_json())["features"]
    features = [
        {"type": "Feature", "properties": {}, "geometry": shape["geometry"] | {"coordinates": _rounded(shape["geometry"]["coordinates"])}}
        for shape in shapes
        if shape["geometry"]
    ]  # fmt: skip
    return {"type": "FeatureCollection", "features": features}


def _rounded(value: Any) -> Any:
    return [_rounded(v) for v in value] if isinstance(value, list) else round(value, DECIMALS)


def _head(manifest: dict[str, Any], note: str) -> dict[str, Any]:
    """The rows that the manifest itself has."""
    summary = manifest.get("summary") or {}
    rows = [row for row in summary.get("head") or () if isinstance(row, dict)]
    columns = list(dict.fromkeys(str(key) for row in rows for key in row))
    return {
        "columns": columns,
        "rows": [[row.get(c) for c in columns] for row in rows],
        "total": summary.get("rows"),
        "note": note,
    }


def _inside(path: Path, folder: Path) -> Path | None:
    """The real path, if it lies in the folder once links are followed."""
    real = path.resolve()
    return real if real.is_relative_to(folder.resolve()) else None
