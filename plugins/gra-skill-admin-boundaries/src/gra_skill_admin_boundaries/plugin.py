"""Plugin: the skill and two sources of boundaries beside the embedded one."""

from __future__ import annotations

from gra_core import Need, Skill, Source, hookimpl

TOOLS = ("find_regions", "get_boundaries", "list_subregions", "reverse_geocode", "filter_regions")


@hookimpl
def gra_skills() -> list[Skill]:
    return [
        Skill.from_package(
            "gra_skill_admin_boundaries", "admin-boundaries", [f"tools:{name}" for name in TOOLS]
        )
    ]


@hookimpl
def gra_sources() -> list[Source]:
    return [
        Source(
            kind="boundaries",
            name="wof-sqlite",
            factory="gra_skill_admin_boundaries.sources.wof:WhosOnFirst",
            title="Who's On First, SQLite distribution on disk",
            needs=(
                Need(
                    setting="path",
                    how="download and decompress a SQLite distribution of Who's On First (for example "
                    "whosonfirst-data-admin-us-latest.db) and put its path into [sources.wof-sqlite] path",
                ),
            ),
            coverage="The world, or the country of the file: countries, first-level regions, counties, cities, neighbourhoods, postcodes",
            resolution="Best open geometry that the gazetteer has of each region",
            licence="CC0 for the gazetteer's own work; each geometry under the licence of its origin (property src:geom)",
            attribution="Who's On First, whosonfirst.org/docs/licenses",
            url="https://whosonfirst.org/docs/",
            priority=-10,
        ),
        Source(
            kind="boundaries",
            name="tiger-web",
            options=("service",),
            factory="gra_skill_admin_boundaries.sources.tigerweb:TigerWeb",
            title="US Census Bureau, TIGERweb REST services",
            base_url="https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb",
            coverage="United States and territories: states, counties, census tracts, ZIP code tabulation areas",
            resolution="Full TIGER/Line detail",
            period="Current vintage of the service",
            licence="Public domain (US government work)",
            attribution="U.S. Census Bureau, TIGERweb",
            url="https://tigerweb.geo.census.gov/",
            live=True,
            priority=-20,
        ),
    ]
