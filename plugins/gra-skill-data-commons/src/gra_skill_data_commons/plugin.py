"""Plugin: the skill and its live source."""

from __future__ import annotations

from attrs import frozen

from gra_core import Need, Skill, Source, SourceSettings, hookimpl

BASE_URL = "https://api.datacommons.org/v2"


@frozen(kw_only=True)
class KeyForPublicService(Need):
    """The key that the public service wants; an instance of one's own (another base URL) works without."""

    def missing(self, settings: SourceSettings) -> str:
        return "" if settings.base_url not in ("", BASE_URL) else super().missing(settings)


@hookimpl
def gra_skills() -> list[Skill]:
    names = ("resolve_places", "search_variables", "describe_variables", "get_stat_table", "get_stat_series")
    return [Skill.from_package("gra_skill_data_commons", "data-commons", [f"tools:{name}" for name in names])]


@hookimpl
def gra_sources() -> list[Source]:
    return [
        Source(
            kind="statistics",
            name="data-commons",
            factory="gra_skill_data_commons.sources.datacommons:DataCommons",
            title="Data Commons, REST API v2",
            needs=(
                KeyForPublicService(env=("DC_API_KEY",), how="free key from https://apikeys.datacommons.org"),
            ),
            key_env=("DC_API_KEY",),
            base_url=BASE_URL,
            coverage="World: countries and their subdivisions; finest in the US (states, counties, cities, tracts, ZIP areas)",
            resolution="Administrative regions, down to US census tracts",
            period="Depends on the variable, mostly yearly; up to the present",
            licence="Set by each provider: see importName and provenanceUrl of the facet",
            attribution="Data Commons, datacommons.org, and the provider of each facet",
            url="https://docs.datacommons.org/api/rest/v2/",
            live=True,
        )
    ]
