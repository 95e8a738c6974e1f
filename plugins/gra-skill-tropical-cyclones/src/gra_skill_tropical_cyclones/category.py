"""The Saffir-Simpson hurricane wind scale, in knots of 1-minute sustained wind."""

from __future__ import annotations

# Lower bounds in knots of category 1 to 5 (NHC, scale of 2012); a tropical storm starts at 34 kt.
BOUNDS_KT = (64.0, 83.0, 96.0, 113.0, 137.0)
STORM_KT = 34.0
LABELS = {
    -5: "unknown", -4: "post-tropical", -3: "disturbance", -2: "subtropical", -1: "tropical depression", 0: "tropical storm",
    1: "category 1", 2: "category 2", 3: "category 3", 4: "category 4", 5: "category 5",
}  # fmt: skip
LOWEST, HIGHEST = -5, 5


def saffir_simpson(wind_kt: float | None) -> int:
    """Category of a tropical cyclone's 1-minute wind: −1 depression, 0 tropical storm, 1 to 5; −5 without a wind.

    Best-track winds come in steps of 5 kt, for which these bounds are those of the scale.
    """
    if wind_kt is None or wind_kt != wind_kt:
        return LOWEST
    if wind_kt < STORM_KT:
        return -1
    return sum(wind_kt >= bound for bound in BOUNDS_KT)


def label(category: int) -> str:
    """A category in words."""
    return LABELS.get(int(category), "unknown")
