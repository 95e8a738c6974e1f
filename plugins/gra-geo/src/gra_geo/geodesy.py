"""Geodesic measurements in one place; see the modules they come from."""

from gra_geo.ellipsoid import GEOD
from gra_geo.measure import area_m2, centre, centroids, length_m, perimeter_m
from gra_geo.nearest import Neighbours, distances, farthest, nearest, within

__all__ = [
    "GEOD", "Neighbours", "area_m2", "centre", "centroids", "distances", "farthest", "length_m", "nearest",
    "perimeter_m", "within",
]  # fmt: skip
