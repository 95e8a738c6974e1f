"""The six tools. Each hands its arguments to one module, which is imported on the first call."""

from __future__ import annotations

from typing import Annotated, Literal

from gra_core import Param, ToolContext, ToolResult, tool


@tool(coverage="datasets of this trial", cost="free, milliseconds")
def list_datasets(ctx: ToolContext) -> ToolResult:
    """List all scratch datasets of this trial: reference, name, format, rows, columns, CRS and the tool that made each.

    Use it to find a reference again; references come with the reply of the tool that made the dataset.
    """
    from gra_skill_scratch_datasets.inspection import list_all

    return list_all(ctx)


@tool(
    coverage="datasets of this trial",
    cost="free, under a second",
    limits="statistics of up to 40 columns a call",
)
def inspect_dataset(
    ctx: ToolContext,
    ref: str,
    rows: Annotated[int, Param(minimum=0, maximum=50)] = 5,
    columns: list[str] | None = None,
) -> ToolResult:
    """Show what is in a dataset: columns with type, unit and statistics (minimum, maximum, mean, missing and distinct
    values), first rows, CRS, notes, lineage and licence. Of a raster the statistics of its cells.

    Use it before computing with a dataset that you have not seen, to check units, missing values and key columns.

    Args:
        ref: Dataset reference such as ds://counties-1.
        rows: Rows to show, 0 to 50.
        columns: Columns to show; all when left out.
    """
    from gra_skill_scratch_datasets.inspection import inspect

    return inspect(ctx, ref, rows, columns)


@tool(
    coverage="tables of this trial",
    cost="free, seconds",
    limits="one SELECT, 60 s, 1 GB, a million rows, no spatial functions",
)
def query_table(ctx: ToolContext, refs: dict[str, str] | list[str], sql: str) -> ToolResult:
    """Run one SQL SELECT (DuckDB) over one or more datasets: filter, sort, join, group, aggregate.

    The quickest way to top lists, totals, joins on keys and grouped statistics. Up to 50 rows come back in the reply; a
    longer result, or one with geometry, is saved as a dataset too. Geometry columns are WKB blobs: select them to keep the
    shapes, use other tools for spatial operations. Joins on identifiers need both sides as text.

    Args:
        refs: Table name to dataset reference, such as {"counties": "ds://counties-1"}; a list makes tables t1, t2, ...
        sql: One SELECT statement in DuckDB's dialect.
    """
    from gra_skill_scratch_datasets.querying import query

    return query(ctx, refs, sql)


@tool(
    coverage="datasets of this trial",
    cost="about a second to start, plus the code",
    limits="no network, no Earth Engine, no files but the inputs; 2 GB of memory, 1 GB of files, 600 s",
)
def run_python(
    ctx: ToolContext,
    code: str,
    inputs: dict[str, str] | list[str] | None = None,
    outputs: list[str] | None = None,
    timeout_s: Annotated[float, Param(minimum=1, maximum=600)] = 60.0,
) -> ToolResult:
    """Run Python on datasets in a sandbox: offline, without Earth Engine, the user's files or environment.

    For computation that no other tool does. numpy, pandas, geopandas, shapely, pyproj, scipy, rasterio and xarray can be
    imported; nothing can be downloaded or installed. In the code, load_dataset("name") gives an input (GeoDataFrame,
    DataFrame, xarray.DataArray with x, y in its attrs["crs"], or plain data) and save_dataset("name", obj,
    units={"column": "unit"}) stores a result as a dataset. Printed text and the value of a last expression come back.
    Every call starts afresh: variables do not survive, saved datasets do.

    Args:
        code: Python source. Keep what it prints short.
        inputs: Name to dataset reference, such as {"counties": "ds://counties-1"}; a list of references names each by the
            part after ds://.
        outputs: Names that the code must save; missing ones are an error.
        timeout_s: Seconds of wall clock, 1 to 600; never more than the trial has left.
    """
    from gra_skill_scratch_datasets.execution import run_code

    return run_code(ctx, code, inputs, outputs, timeout_s)


@tool(
    coverage="files in folders that the user allows (setting import_dirs; none in benchmarks)",
    cost="free, seconds",
    limits="CSV, TSV, GeoJSON, GeoPackage, Shapefile, Parquet, GeoTIFF; 2 GB",
)
def import_file(ctx: ToolContext, path: str, crs: str = "", name: str = "") -> ToolResult:
    """Make a dataset from a file of the user: CSV, TSV, GeoJSON, GeoPackage, Shapefile, Parquet or GeoTIFF.

    Identifier columns with leading zeros (FIPS, postal codes) stay text. A CSV with coordinate columns becomes points when
    crs is given. A file without a CRS needs crs; it names the CRS of the coordinates and converts nothing.

    Args:
        path: Path of the file; path#layer names a layer where a file has several.
        crs: CRS of a file that does not tell its own, such as EPSG:4326.
        name: Name of the dataset; the file's when left out.
    """
    from gra_skill_scratch_datasets.importing import import_path

    return import_path(ctx, path, crs, name)


@tool(
    coverage="datasets of this trial",
    cost="free, seconds",
    limits="refused when the licence of a source forbids storing its data",
)
def export_dataset(
    ctx: ToolContext,
    ref: str,
    format: Literal["csv", "geojson", "gpkg", "parquet", "geotiff"],
    path: str = "",
) -> ToolResult:
    """Write a dataset to a file for the user, in the workspace's exports folder or another one that the user allows.

    Use it only when the user asks for a file; other tools take the reference. GeoJSON is written in EPSG:4326.

    Args:
        ref: Dataset reference such as ds://counties-1.
        format: csv, geojson, gpkg, parquet or geotiff.
        path: File name or path; made from the reference when left out. An existing file is never replaced.
    """
    from gra_skill_scratch_datasets.exporting import export

    return export(ctx, ref, format, path)
