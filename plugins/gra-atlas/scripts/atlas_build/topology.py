"""Decoding of quantized TopoJSON (specification: topojson/topojson-specification) to shapely geometries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import shapely


class Topology:
    """A TopoJSON file. Shared borders stay shared: neighbouring polygons get identical vertices."""

    def __init__(self, file: Path) -> None:
        self.document = json.loads(file.read_text(encoding="utf-8"))
        scale = np.array(self.document["transform"]["scale"])
        origin = np.array(self.document["transform"]["translate"])
        self.arcs = [np.cumsum(np.array(arc), axis=0) * scale + origin for arc in self.document["arcs"]]

    def objects(self, name: str) -> Iterator[tuple[str | None, dict[str, Any], shapely.Geometry]]:
        """Id, properties and geometry of every member of a collection."""
        for member in self.document["objects"][name]["geometries"]:
            yield member.get("id"), member.get("properties", {}), self._geometry(member)

    def _geometry(self, member: dict[str, Any]) -> shapely.Geometry:
        polygons = {"Polygon": [member["arcs"]], "MultiPolygon": member["arcs"]}[member["type"]]
        parts = [polygon for arcs in polygons if (polygon := self._polygon(arcs)) is not None]
        return parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)

    def _polygon(self, rings: list[list[int]]) -> shapely.Polygon | None:
        shell, *holes = [self._ring(ring) for ring in rings]
        if len(shell) < 4:  # an island smaller than the quantization step
            return None
        return shapely.Polygon(shell, [hole for hole in holes if len(hole) >= 4])

    def _ring(self, indices: list[int]) -> np.ndarray:
        parts = [self.arcs[i] if i >= 0 else self.arcs[~i][::-1] for i in indices]
        joined = [parts[0], *(part[1:] for part in parts[1:])]
        return np.vstack(joined)
