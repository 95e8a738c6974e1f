"""Plugin: the skill ``terrain-slope`` and elevation from GeoTIFF files."""

from __future__ import annotations

from gra_core import Need, Skill, Source, hookimpl

TOOLS = ("compute_elevation_stats", "compute_slope_stats", "sample_elevation_profile")


@hookimpl
def gra_skills() -> list[Skill]:
    return [
        Skill.from_package("gra_skill_terrain_slope", "terrain-slope", [f"tools:{name}" for name in TOOLS])
    ]


@hookimpl
def gra_sources() -> list[Source]:
    return [
        Source(
            kind="elevation",
            name="geotiff",
            options=("unit", "nodata", "crs", "licence", "attribution"),
            factory="gra_skill_terrain_slope.sources.geotiff:GeoTiffElevation",
            title="Your own elevation models: GeoTIFF files",
            needs=(
                Need(
                    setting="path",
                    how="[sources.geotiff] path = a GeoTIFF file or a folder of them, such as SRTM or Copernicus DEM tiles",
                ),
            ),
            coverage="What the files cover; tiles of one grid are joined",
            resolution="That of the files",
            licence="That of the files (setting licence)",
            priority=10,
        )
    ]
