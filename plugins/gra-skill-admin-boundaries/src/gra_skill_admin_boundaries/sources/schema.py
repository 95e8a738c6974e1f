"""How Who's On First names things, and how this project does."""

from __future__ import annotations

LEVEL_OF = {
    "country": "country",
    "dependency": "country",
    "region": "state",
    "county": "county",
    "localadmin": "localadmin",
    "locality": "city",
    "borough": "borough",
    "neighbourhood": "neighbourhood",
    "postalcode": "postcode",
}
PLACETYPES = {
    level: tuple(p for p, named in LEVEL_OF.items() if named == level)
    for level in dict.fromkeys(LEVEL_OF.values())
}
# Levels from large to small, as `children` steps down.
DOWN = ("country", "state", "county", "localadmin", "city", "borough", "neighbourhood")
CURRENT = "s.is_current <> 0 AND s.is_deprecated = 0"
TABLES = {
    "spr": {"id", "parent_id", "name", "placetype", "country", "is_current", "is_deprecated",
            "min_latitude", "min_longitude", "max_latitude", "max_longitude"},
    "names": {"id", "name"},
    "ancestors": {"id", "ancestor_id", "ancestor_placetype"},
    "concordances": {"id", "other_id", "other_source"},
    "geojson": {"id", "body"},
}  # fmt: skip
# Concordances with the US Census code; some builds store them as integers, which drops leading zeros.
CENSUS = ("uscensus:geoid", "fips:code")
ISO = ("iso:id", "iso:code")
CENSUS_DIGITS = {"region": 2, "county": 5}


def region_id_of(
    wof_id: int, placetype: str, country: str, alpha3: str, name: str, others: dict[str, str]
) -> str:
    """The id that this project uses: Data Commons' where there is one, else ``wof/<id>``.

    `country` is ISO alpha-2, `others` the feature's concordances by source.
    """
    if placetype == "country" and alpha3:
        return f"country/{alpha3}"
    if country == "US" and placetype in CENSUS_DIGITS:
        code = next((others[s] for s in CENSUS if str(others.get(s, "")).isdigit()), "")
        return f"geoId/{code.zfill(CENSUS_DIGITS[placetype])}" if code else f"wof/{wof_id}"
    if placetype == "region" and (iso := next((others[s] for s in ISO if "-" in str(others.get(s, ""))), "")):
        return f"iso3166-2/{iso}"
    if country == "US" and placetype == "postalcode" and name.isdigit() and len(name) == 5:
        return f"zip/{name}"
    return f"wof/{wof_id}"
