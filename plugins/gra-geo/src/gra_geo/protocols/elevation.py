"""Kind ``elevation``."""

from __future__ import annotations

from typing import Any, Protocol


class ElevationSource(Protocol):
    """Digital elevation models."""

    def rasters(self) -> list[dict[str, Any]]:
        """The rasters, finest first: name, path, crs, bounds (EPSG:4326), resolution_m, nodata, unit (m)."""
        ...
