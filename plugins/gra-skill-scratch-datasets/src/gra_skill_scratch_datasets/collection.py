"""Outputs of a sandboxed run: checked as foreign files, copied out, read, and stored as datasets with lineage."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

from attrs import field, frozen

from gra_core import Column, ToolContext, ToolError
from gra_skill_scratch_datasets import safely

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
EXTENSIONS = {"geoparquet": ".parquet", "parquet": ".parquet", "geotiff": ".tif", "json": ".json"}
MAX_OUTPUTS, MAX_INDEX, MAX_JSON = 50, 1 << 20, 32 << 20
# What an output may take in memory once read; a small file can claim to be much more.
MAX_CELLS, MAX_LOADED = 200_000_000, 2 << 30


@frozen(kw_only=True)
class Output:
    """A file that the code saved, copied to where the code could not reach."""

    name: str
    format: str
    path: Path
    units: dict[str, str] = field(factory=dict)


def collect(folder: Path, staging: Path, max_bytes: int) -> list[Output]:
    """The outputs listed in the run's index; `ToolError` ``bad_argument`` for one that is not what it says."""
    outputs = folder / "outputs"
    try:
        with safely.opened(outputs, "index.json", MAX_INDEX) as file:
            index = safely.parsed(file.read())
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError) as error:
        raise _refused("index.json", str(error)) from error
    if not isinstance(index, dict) or len(index) > MAX_OUTPUTS:
        raise _refused("index.json", f"expected at most {MAX_OUTPUTS} outputs")
    staging.mkdir()
    return [_taken(outputs, staging, name, entry, max_bytes) for name, entry in index.items()]


def _taken(outputs: Path, staging: Path, name: str, entry: Any, max_bytes: int) -> Output:
    kind = entry.get("format") if isinstance(entry, dict) else None
    if not NAME.fullmatch(name) or kind not in EXTENSIONS:
        raise _refused(name, "its name or format is not one that save_dataset makes")
    target = staging / (name + EXTENSIONS[kind])
    try:
        with safely.opened(outputs, target.name, max_bytes) as source, target.open("xb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
        CHECKS[kind](target)
    except ToolError:
        raise
    except Exception as error:
        raise _refused(name, str(error)) from error
    return Output(name=name, format=kind, path=target, units=_units(entry.get("units")))


def _units(value: Any) -> dict[str, str]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {str(k)[:100]: str(v)[:40] for k, v in pairs}


def _refused(name: str, reason: str) -> ToolError:
    return ToolError(
        "bad_argument",
        f"output {name!r} was not taken: {reason}",
        hint='save outputs with save_dataset("name", obj) only',
    )


def check_parquet(path: Path) -> None:
    """Parquet of bounded size by its own account, without nested lists (a few bytes of which can mean gigabytes)."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        meta = file.metadata
        loaded = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
        if any(meta.schema.column(i).max_repetition_level for i in range(meta.num_columns)):
            raise ValueError("columns of lists are not taken; make them rows or text")
        if meta.num_rows * meta.num_columns > MAX_CELLS or loaded > MAX_LOADED:
            raise ValueError(f"{meta.num_rows} rows of {meta.num_columns} columns are too many")
        _measure(file)


def _measure(file: Any) -> None:
    """Read in parts and add up; texts repeated through a dictionary only show their size when read."""
    import pyarrow as pa

    total = 0
    for batch in file.iter_batches(batch_size=4096):
        total += batch.nbytes
        if total > MAX_LOADED:
            raise ValueError(f"it takes more than {MAX_LOADED >> 20} MB when read")
        if any(isinstance(t, pa.BaseExtensionType) for t in batch.schema.types):
            raise ValueError("extension types are not taken")


def check_tiff(path: Path) -> None:
    """A GeoTIFF that its driver opens, with a CRS and a bounded number of cells."""
    import rasterio

    with rasterio.open(path, driver="GTiff") as source:
        cells = source.width * source.height * source.count
        size = cells * max(_bytes(t) for t in source.dtypes)
        if cells > MAX_CELLS or size > MAX_LOADED:
            raise ValueError(f"{source.width} × {source.height} cells in {source.count} bands are too many")
        if source.crs is None:
            raise ValueError("it has no CRS")


def _bytes(dtype: str) -> int:
    import numpy as np

    return np.dtype(dtype).itemsize


def check_json(path: Path) -> None:
    """Strict JSON of bounded size."""
    if path.stat().st_size > MAX_JSON:
        raise ValueError(f"more than {MAX_JSON >> 20} MB of JSON; save a table instead")
    value = safely.parsed(path.read_bytes())
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


CHECKS = {"geoparquet": check_parquet, "parquet": check_parquet, "geotiff": check_tiff, "json": check_json}


def store(ctx: ToolContext, output: Output, digest: str) -> Any:
    """Read an output in its format and save it, with the call's inputs and the code's hash as its lineage."""
    spec = next((f for f in ctx.workspace.formats if f.name == output.format), None)
    if spec is None:
        raise ToolError(
            "not_available",
            f"no active plugin stores format {output.format!r}",
            hint="the plugin gra-geo does",
        )
    columns = {name: Column(unit=unit) for name, unit in output.units.items()}
    try:
        value = spec.load().read(output.path)
        return ctx.save(
            value, name=output.name, columns=columns, notes=(f"made by code with SHA-256 {digest}",)
        )
    except ToolError:
        raise
    except Exception as error:
        raise _refused(output.name, f"it cannot be read: {error}") from error
