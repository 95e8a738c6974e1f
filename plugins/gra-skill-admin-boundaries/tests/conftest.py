"""A Who's On First database in the documented schema and a TIGERweb server in its wire format, both of synthetic features."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import shapely
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

SPR = (
    "id INTEGER NOT NULL, parent_id INTEGER, name TEXT, placetype TEXT, inception TEXT, cessation TEXT, country TEXT, repo TEXT, "
    "latitude REAL, longitude REAL, min_latitude REAL, min_longitude REAL, max_latitude REAL, max_longitude REAL, is_current INTEGER, "
    "is_deprecated INTEGER, is_ceased INTEGER, is_superseded INTEGER, is_superseding INTEGER, superseded_by TEXT, supersedes TEXT, "
    "belongsto TEXT, is_alt INTEGER, alt_label TEXT, lastmodified INTEGER"
)
SCHEMA = {
    "geojson": "id INTEGER NOT NULL, body TEXT, source TEXT, is_alt BOOLEAN, alt_label TEXT, lastmodified INTEGER",
    "spr": SPR,
    "names": "id INTEGER NOT NULL, placetype TEXT, country TEXT, language TEXT, extlang TEXT, script TEXT, region TEXT, variant TEXT, "
    "extension TEXT, privateuse TEXT, name TEXT, lastmodified INTEGER",
    "ancestors": "id INTEGER NOT NULL, ancestor_id INTEGER NOT NULL, ancestor_placetype TEXT, lastmodified INTEGER",
    # The integer affinity is real: it turns the code "01" into 1.
    "concordances": "id INTEGER NOT NULL, other_id INTEGER NOT NULL, other_source TEXT, lastmodified INTEGER",
}


class SyntheticGazetteer:
    """Writes synthetic features the way the gazetteer's own tools do."""

    def __init__(self, path: Path, *, without: str = "") -> None:
        self.path = path
        self._db = sqlite3.connect(path)
        for table, columns in SCHEMA.items():
            if table != without:
                self._db.execute(f"CREATE TABLE {table} ({columns})")

    def add(
        self, wof_id: int, name: str, placetype: str, shape: shapely.Geometry, *, country: str, ancestors: dict[str, int] | None = None,
        names: tuple[str, ...] = (), concordances: dict[str, Any] | None = None, is_current: int = 1, is_deprecated: int = 0,
        properties: dict[str, Any] | None = None, is_alt: int = 0,
    ) -> None:  # fmt: skip
        west, south, east, north = shape.bounds
        own = {**(ancestors or {}), placetype: wof_id}
        body = {
            "type": "Feature", "id": wof_id, "geometry": shapely.geometry.mapping(shape),
            "properties": {"wof:id": wof_id, "wof:name": name, "wof:placetype": placetype, **(properties or {})},
        }  # fmt: skip
        self._db.execute(
            "INSERT INTO geojson VALUES (?,?,?,?,?,0)", (wof_id, json.dumps(body), "synthetic", is_alt, "")
        )
        if is_alt:
            return
        parent = list((ancestors or {"": -1}).values())[-1]
        self._db.execute(
            f"INSERT INTO spr VALUES ({','.join('?' * 25)})",
            (wof_id, parent, name, placetype, "", "", country, "synthetic", (south + north) / 2, (west + east) / 2, south, west, north, east,
             is_current, is_deprecated, 0, 0, 0, "", "", "", 0, "", 0),
        )  # fmt: skip
        self._db.executemany(
            "INSERT INTO names VALUES (?,?,?,?,'','','','preferred','','',?,0)",
            [(wof_id, placetype, country, "eng", other) for other in (name, *names)],
        )
        self._db.executemany(
            "INSERT INTO ancestors VALUES (?,?,?,0)", [(wof_id, a, p) for p, a in own.items()]
        )
        self._db.executemany(
            "INSERT INTO concordances VALUES (?,?,?,0)",
            [(wof_id, o, s) for s, o in (concordances or {}).items()],
        )

    def close(self) -> Path:
        self._db.commit()
        self._db.close()
        return self.path


@pytest.fixture
def gazetteer(tmp_path: Path) -> SyntheticGazetteer:
    """A synthetic US with two states and three counties, a synthetic Brazil with one state, and records to be left out."""
    db = SyntheticGazetteer(tmp_path / "synthetic.db")
    us, west, east = {"country": 1}, {"country": 1, "region": 2}, {"country": 1, "region": 3}
    db.add(1, "Synthetic United States", "country", shapely.box(-100, 30, -90, 40), country="US", names=("Synthetic USA",),
           properties={"wof:country_alpha3": "USA"})  # fmt: skip
    db.add(2, "West Synth", "region", shapely.box(-100, 30, -95, 40), country="US", ancestors=us,
           concordances={"fips:code": "01", "iso:id": "US-WS", "hasc:id": "US.WS"})  # fmt: skip
    db.add(3, "East Synth", "region", shapely.box(-95, 30, -90, 40), country="US", ancestors=us,
           concordances={"uscensus:geoid": "31", "iso:id": "US-ES"})  # fmt: skip
    db.add(
        10,
        "Doña Synth",
        "county",
        shapely.box(-100, 30, -97, 40),
        country="US",
        ancestors=west,
        concordances={"fips:code": "01007"},
    )
    db.add(11, "Round Synth", "county", shapely.box(-97, 30, -95, 40), country="US", ancestors=west, names=("Circle Synth",),
           concordances={"fips:code": "01009"}, is_current=-1)  # fmt: skip
    db.add(
        12,
        "Round Synth",
        "county",
        shapely.box(-95, 30, -90, 40),
        country="US",
        ancestors=east,
        concordances={"uscensus:geoid": "31009"},
    )
    db.add(
        13, "Old Synth", "county", shapely.box(-95, 30, -90, 40), country="US", ancestors=east, is_current=0
    )
    db.add(
        14,
        "Wrong Synth",
        "county",
        shapely.box(-95, 30, -90, 40),
        country="US",
        ancestors=east,
        is_deprecated=1,
    )
    db.add(
        20, "Pointville", "locality", shapely.Point(-99, 35), country="US", ancestors={**west, "county": 10}
    )
    db.add(
        21,
        "Areatown",
        "locality",
        shapely.box(-99.5, 35, -99, 35.5),
        country="US",
        ancestors={**west, "county": 10},
    )
    db.add(30, "01234", "postalcode", shapely.box(-99, 31, -98, 32), country="US", ancestors=west)
    db.add(
        40,
        "Synthetic Brazil",
        "country",
        shapely.box(-60, -30, -40, 0),
        country="BR",
        properties={"wof:country_alpha3": "BRA"},
    )
    db.add(41, "São Sintético", "region", shapely.box(-60, -30, -40, -10), country="BR", ancestors={"country": 40},
           concordances={"iso:id": "BR-SS", "fips:code": "BR27"})  # fmt: skip
    db.add(10, "Doña Synth", "county", shapely.box(0, 0, 1, 1), country="US", is_alt=1)
    return db


def square(west: float, south: float, size: float = 1.0) -> dict[str, Any]:
    return shapely.geometry.mapping(shapely.box(west, south, west + size, south + size))


class FakeTigerWeb:
    """A synthetic map service: two states of two counties each, tracts and ZIP areas, three features a page."""

    def __init__(self, server: HTTPServer) -> None:
        self.url = server.url_for("").rstrip("/")
        self.layers = {
            4: "2020 Census ZIP Code Tabulation Areas", 5: "2020 Census ZIP Code Tabulation Areas Labels",
            6: "2010 Census ZIP Code Tabulation Areas", 8: "Census Tracts", 9: "Census Tracts Labels", 80: "States", 82: "Counties",
        }  # fmt: skip
        self.forms: list[dict[str, str]] = []
        self.before: Callable[[dict[str, str]], Response | None] = lambda form: None
        self.exceeded_inside_properties = True
        self._data = self._features()
        server.expect_request("/tigerWMS_Current/MapServer", method="GET").respond_with_handler(self.listing)
        server.expect_request(
            re.compile(r"^/tigerWMS_Current/MapServer/\d+/query$"), method="POST"
        ).respond_with_handler(self.query)

    def _features(self) -> dict[int, list[dict[str, Any]]]:
        def feature(geoid: str, name: str, base: str, shape: dict[str, Any], **extra: str) -> dict[str, Any]:
            properties = {"GEOID": geoid, "NAME": name, "BASENAME": base, **extra}
            return {"type": "Feature", "properties": properties, "geometry": shape}

        states, counties, tracts, zips = [], [], [], []
        for i, (fips, name, postal) in enumerate(
            [("01", "Synthetic North", "SN"), ("31", "Synthetic South", "SS")]
        ):
            states.append(feature(fips, name, name, square(0, 10 * i, 2), STUSAB=postal, STATE=fips))
            for j, (county, base) in enumerate([("007", "Doña Synth"), ("009", "Round Synth")]):
                corner = (j, 10 * i)
                counties.append(
                    feature(fips + county, f"{base} County", base, square(*corner), STATE=fips, COUNTY=county)
                )
                code = f"{fips}{county}000100"
                tracts.append(
                    feature(code, "Census Tract 1", "1", square(*corner), STATE=fips, COUNTY=county)
                )
        # The second one reaches over the border, its internal point lies in the other state.
        zips.append(
            feature(
                "01234",
                "ZCTA5 01234",
                "01234",
                square(0.25, 0.25, 0.5),
                INTPTLON="+000.5000000",
                INTPTLAT="+00.5000000",
            )
        )
        zips.append(
            feature(
                "68355",
                "ZCTA5 68355",
                "68355",
                square(0.5, 1.5, 9),
                INTPTLON="+001.0000000",
                INTPTLAT="+10.5000000",
            )
        )
        return {80: states, 82: counties, 8: tracts, 4: zips, 6: []}

    def listing(self, request: Request) -> Response:
        assert request.args["f"] == "json"
        return self.reply({"layers": [{"id": i, "name": n} for i, n in self.layers.items()]})

    def query(self, request: Request) -> Response:
        form = dict(request.form)
        self.forms.append(form)
        if (early := self.before(form)) is not None:
            return early
        hits = [
            f
            for f in self._data[int(request.path.split("/")[-2])]
            if self._meets(f, form["where"]) and self._lies(f, form)
        ]
        if form.get("returnCountOnly") == "true":
            return self.reply({"count": len(hits)})
        assert form["outSR"] == "4326" and form["f"] == "geojson"
        start = int(form["resultOffset"])
        page = [self._shown(f, form) for f in hits[start : start + 3]]
        body: dict[str, Any] = {"type": "FeatureCollection", "features": page}
        if start + 3 < len(hits):
            body |= (
                {"properties": {"exceededTransferLimit": True}}
                if self.exceeded_inside_properties
                else {"exceededTransferLimit": True}
            )
        return self.reply(body)

    @staticmethod
    def reply(body: Any) -> Response:
        return Response(json.dumps(body), content_type="application/json")

    @staticmethod
    def _shown(feature: dict[str, Any], form: dict[str, str]) -> dict[str, Any]:
        wanted = form["outFields"].split(",")
        properties = {k: v for k, v in feature["properties"].items() if k in wanted}
        return {
            "type": "Feature",
            "properties": properties,
            "geometry": feature["geometry"] if form["returnGeometry"] == "true" else None,
        }

    @staticmethod
    def _meets(feature: dict[str, Any], where: str) -> bool:
        for clause in where.split(" AND "):
            if clause == "1=1":
                continue
            match = re.fullmatch(r"(\w+) (?:= '(\d+)'|IN \(((?:'\d+',?)+)\))", clause)
            assert match, f"unsupported: {clause}"
            if feature["properties"].get(match[1]) not in (
                re.findall(r"\d+", match[3]) if match[3] else [match[2]]
            ):
                return False
        return True

    @staticmethod
    def _lies(feature: dict[str, Any], form: dict[str, str]) -> bool:
        if "geometry" not in form:
            return True
        given = json.loads(form["geometry"])
        kind, shape = form["geometryType"], shapely.geometry.shape(feature["geometry"])
        if kind == "esriGeometryMultipoint":
            return shape.intersects(shapely.MultiPoint(given["points"]))
        assert kind == "esriGeometryEnvelope"
        return shape.intersects(shapely.box(given["xmin"], given["ymin"], given["xmax"], given["ymax"]))


@pytest.fixture
def fake_tigerweb(httpserver: HTTPServer) -> FakeTigerWeb:
    return FakeTigerWeb(httpserver)
