"""A Who's On First database in the documented schema, filled with synthetic features."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import shapely

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
        self._db.execute("INSERT INTO geojson VALUES (?,?,?,?,?,0)", (wof_id, json.dumps(body), "synthetic", is_alt, ""))
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
        self._db.executemany("INSERT INTO ancestors VALUES (?,?,?,0)", [(wof_id, a, p) for p, a in own.items()])
        self._db.executemany("INSERT INTO concordances VALUES (?,?,?,0)", [(wof_id, o, s) for s, o in (concordances or {}).items()])

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
    db.add(10, "Doña Synth", "county", shapely.box(-100, 30, -97, 40), country="US", ancestors=west, concordances={"fips:code": "01007"})
    db.add(11, "Round Synth", "county", shapely.box(-97, 30, -95, 40), country="US", ancestors=west, names=("Circle Synth",),
           concordances={"fips:code": "01009"}, is_current=-1)  # fmt: skip
    db.add(12, "Round Synth", "county", shapely.box(-95, 30, -90, 40), country="US", ancestors=east, concordances={"uscensus:geoid": "31009"})
    db.add(13, "Old Synth", "county", shapely.box(-95, 30, -90, 40), country="US", ancestors=east, is_current=0)
    db.add(14, "Wrong Synth", "county", shapely.box(-95, 30, -90, 40), country="US", ancestors=east, is_deprecated=1)
    db.add(20, "Pointville", "locality", shapely.Point(-99, 35), country="US", ancestors={**west, "county": 10})
    db.add(21, "Areatown", "locality", shapely.box(-99.5, 35, -99, 35.5), country="US", ancestors={**west, "county": 10})
    db.add(30, "01234", "postalcode", shapely.box(-99, 31, -98, 32), country="US", ancestors=west)
    db.add(40, "Synthetic Brazil", "country", shapely.box(-60, -30, -40, 0), country="BR", properties={"wof:country_alpha3": "BRA"})
    db.add(41, "São Sintético", "region", shapely.box(-60, -30, -40, -10), country="BR", ancestors={"country": 40},
           concordances={"iso:id": "BR-SS", "fips:code": "BR27"})  # fmt: skip
    db.add(10, "Doña Synth", "county", shapely.box(0, 0, 1, 1), country="US", is_alt=1)
    return db
