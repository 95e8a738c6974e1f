"""The calculation, apart from the tool: easy to test alone."""

from __future__ import annotations

import math

import pyproj
import shapely

_GEOD = pyproj.Geod(ellps="WGS84")


def compactness(shape: shapely.Geometry) -> float:
    """Polsby-Popper score 4πA/P² of a polygon in longitude/latitude, with geodesic area and perimeter.

    Source: Polsby & Popper (1991), Yale Law & Policy Review 9(2). Independent of ring direction; an empty shape
    gives 0.
    """
    area, perimeter = _GEOD.geometry_area_perimeter(shapely.orient_polygons(shape))
    return 4 * math.pi * abs(area) / perimeter**2 if perimeter else 0.0
