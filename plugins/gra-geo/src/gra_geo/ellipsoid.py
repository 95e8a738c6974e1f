"""The WGS 84 ellipsoid: constants, unit vectors, authalic latitude.

Formulas: Snyder, Map Projections: A Working Manual (USGS Professional Paper 1395), equations 3-11, 3-12 and 3-18.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyproj

GEOD = pyproj.Geod(ellps="WGS84")
A, E2 = GEOD.a, GEOD.es
E = float(np.sqrt(E2))
# Radii of curvature in any direction at any place lie between these (metres).
MIN_RADIUS, MAX_RADIUS = A * (1.0 - E2), A / float(np.sqrt(1.0 - E2))
MEAN_RADIUS = 6_371_008.8


def authalic_q(lat: Any) -> np.ndarray:
    """Snyder's q of latitudes in degrees: the zone from the equator has area q·a²/2 per radian of longitude."""
    s = np.sin(np.radians(lat))
    return (1.0 - E2) * (s / (1.0 - E2 * s * s) + np.arctanh(E * s) / E)


def authalic_step(lat: Any, base: Any) -> np.ndarray:
    """q of latitudes less q of base latitudes, in full precision even where they nearly agree."""
    s, s0 = np.sin(np.radians(lat)), np.sin(np.radians(base))
    middle, half = np.radians(np.add(lat, base) / 2.0), np.radians(np.subtract(lat, base) / 2.0)
    step = 2.0 * np.cos(middle) * np.sin(half)
    rational = step * (1.0 + E2 * s * s0) / ((1.0 - E2 * s * s) * (1.0 - E2 * s0 * s0))
    return (1.0 - E2) * (rational + np.arctanh(E * step / (1.0 - E2 * s * s0)) / E)


Q_POLE = float(authalic_q(90.0))


def authalic_vectors(lon: Any, lat: Any) -> np.ndarray:
    """Points of the unit sphere of equal area for longitude/latitude in degrees, shape (n, 3)."""
    z = authalic_q(lat) / Q_POLE
    return _vectors(np.radians(lon), z, np.sqrt(np.clip(1.0 - z * z, 0.0, None)))


def from_authalic(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Longitude and latitude in degrees of vectors of any length on the sphere of equal area."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    beta = np.arctan2(z, np.hypot(x, y))
    lat = (
        beta
        + (E2 / 3 + 31 * E2**2 / 180 + 517 * E2**3 / 5040) * np.sin(2 * beta)
        + (23 * E2**2 / 360 + 251 * E2**3 / 3780) * np.sin(4 * beta)
        + (761 * E2**3 / 45360) * np.sin(6 * beta)
    )
    return np.degrees(np.arctan2(y, x)), np.degrees(lat)


def unit_vectors(lon: Any, lat: Any) -> np.ndarray:
    """Points of the unit sphere with the given longitude and (geodetic) latitude in degrees, shape (n, 3)."""
    phi = np.radians(lat)
    return _vectors(np.radians(lon), np.sin(phi), np.cos(phi))


def geocentric(lon: Any, lat: Any) -> np.ndarray:
    """Earth-centred x, y, z in metres of points on the ellipsoid, shape (n, 3)."""
    phi = np.radians(lat)
    normal = A / np.sqrt(1.0 - E2 * np.sin(phi) ** 2)
    return _vectors(np.radians(lon), normal * (1.0 - E2) * np.sin(phi), normal * np.cos(phi))


def _vectors(lon: np.ndarray, z: np.ndarray, radius: np.ndarray) -> np.ndarray:
    return np.stack([radius * np.cos(lon), radius * np.sin(lon), z + 0.0 * lon], axis=-1)
