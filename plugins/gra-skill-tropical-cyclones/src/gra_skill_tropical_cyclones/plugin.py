"""Plugin: the skill and its sources."""

from __future__ import annotations

from gra_core import Need, Skill, Source, hookimpl

NCEI = "https://www.ncei.noaa.gov/products/international-best-track-archive"


@hookimpl
def gra_skills() -> list[Skill]:
    tools = [
        "tools:find_historical_storms", "tools:get_wind_swath", "tools:list_active_cyclones",
        "outlook:get_cyclone_forecast", "outlook:get_strike_probability",
    ]  # fmt: skip
    return [Skill.from_package("gra_skill_tropical_cyclones", "tropical-cyclones", tools)]


@hookimpl
def gra_sources() -> list[Source]:
    return [
        Source(
            kind="cyclones",
            name="ibtracs-csv",
            factory="gra_skill_tropical_cyclones.sources.ibtracs:IbtracsCsv",
            title="IBTrACS v4 CSV files",
            needs=(
                Need(setting="path", how=f"path of a file ibtracs.*.csv or of a folder of them, from {NCEI}"),
            ),
            coverage="All basins, as far as the files go",
            resolution="3-hourly fixes, wind radii of US agencies",
            period="1842 to present (reliable from about 1980)",
            licence="public domain",
            attribution="IBTrACS v4, NOAA National Centers for Environmental Information",
            url=NCEI,
            priority=10,
        ),
        Source(
            kind="cyclone-advisories",
            name="nhc",
            factory="gra_skill_tropical_cyclones.sources.nhc:CurrentStorms",
            title="NHC current storms",
            base_url="https://www.nhc.noaa.gov",
            coverage="Atlantic, eastern and central North Pacific",
            resolution="One position a storm, every 3 to 6 hours",
            period="Now",
            licence="public domain",
            attribution="NOAA National Hurricane Center",
            url="https://www.nhc.noaa.gov/gis/",
            live=True,
        ),
        Source(
            kind="cyclone-forecasts",
            name="weather-lab",
            options=("model",),
            factory="gra_skill_tropical_cyclones.sources.weatherlab:WeatherLab",
            title="Google DeepMind Weather Lab cyclone tracks",
            base_url="https://deepmind.google.com/science/weatherlab/download/cyclones",
            coverage="All basins",
            resolution="6-hourly, 15 days ahead, ensemble and its mean",
            period="Model runs from 2022 on (setting model; default FNV3)",
            licence="CC BY 4.0 for runs older than 48 hours; newer ones under experimental terms",
            attribution="Weather Lab, Google DeepMind. Experimental, not an official warning",
            url="https://deepmind.google.com/science/weatherlab",
            live=True,
        ),
    ]
