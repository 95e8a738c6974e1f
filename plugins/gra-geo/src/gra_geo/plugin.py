"""Registers the dataset formats of geospatial objects."""

from __future__ import annotations

from gra_core import DatasetFormat, hookimpl


@hookimpl
def gra_formats() -> list[DatasetFormat]:
    """GeoParquet, Parquet and GeoTIFF."""
    return [
        DatasetFormat(
            name="geoparquet",
            type_names=("geopandas.geodataframe.GeoDataFrame",),
            extension=".parquet",
            handler="gra_geo.formats:GeoParquetHandler",
        ),
        DatasetFormat(
            name="parquet",
            type_names=("pandas.core.frame.DataFrame",),
            extension=".parquet",
            handler="gra_geo.formats:ParquetHandler",
        ),
        DatasetFormat(
            name="geotiff",
            type_names=("gra_geo.raster.Raster", "xarray.core.dataarray.DataArray"),
            extension=".tif",
            handler="gra_geo.formats:GeoTiffHandler",
        ),
    ]
