"""Source ``cyclone-advisories=nhc``: the storms that the US National Hurricane Center follows now."""

from __future__ import annotations

import json
import math
from typing import Any

import pandas as pd

from gra_core import SourceSettings, ToolError
from gra_geo.protocols import ADVISORY_COLUMNS
from gra_geo.rest import Hints, RestService

MPH_KT = 0.868976
_BASINS = {"al": "NA", "ep": "EP", "cp": "EP"}


class CurrentStorms:
    """A `CycloneAdvisorySource` over ``CurrentStorms.json`` (intensity in knots and pressure in hPa as text, speed of
    movement in miles per hour)."""

    def __init__(self, settings: SourceSettings) -> None:
        self._rest = RestService(
            settings,
            service="NHC",
            agent="gra-skill-tropical-cyclones",
            hints=Hints(less="wait a minute"),
            kinds={404: "upstream"},  # the file is there all the year round
        )

    def basins(self) -> list[str]:
        return ["NA", "EP"]

    def active(self) -> pd.DataFrame:
        """One row a storm, columns `ADVISORY_COLUMNS`; empty out of season."""
        text = self._rest.text("/CurrentStorms.json")
        try:
            storms = json.loads(text)["activeStorms"] or []
        except (ValueError, KeyError, TypeError):
            raise ToolError(
                "upstream", "NHC's CurrentStorms.json has another form than expected", hint="try again later"
            ) from None
        return pd.DataFrame([_row(storm) for storm in storms], columns=list(ADVISORY_COLUMNS))


def _row(storm: dict[str, Any]) -> list[Any]:
    identity = str(storm.get("id") or "")
    advisory = storm.get("publicAdvisory") or {}
    time = pd.to_datetime(storm.get("lastUpdate") or advisory.get("issuance"), errors="coerce", utc=True)
    speed = _number(storm.get("movementSpeed"))
    return [
        identity.upper(), str(storm.get("name") or "").upper(), _BASINS.get(identity[:2].lower(), ""), str(storm.get("classification") or ""),
        time.tz_localize(None) if time is not pd.NaT else time,
        _degrees(storm.get("longitudeNumeric"), storm.get("longitude"), "W"), _degrees(storm.get("latitudeNumeric"), storm.get("latitude"), "S"),
        _number(storm.get("intensity")), _number(storm.get("pressure")), _number(storm.get("movementDir")),
        round(speed * MPH_KT, 1) if math.isfinite(speed) else speed, str(advisory.get("advNum") or ""), str(advisory.get("url") or ""),
    ]  # fmt: skip


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def _degrees(number: Any, text: Any, negative: str) -> float:
    """The numeric coordinate, or the one written like ``77.7W``."""
    if math.isfinite(value := _number(number)):
        return value
    written = str(text or "").strip().upper()
    return _number(written[:-1]) * (-1 if written.endswith(negative) else 1) if written else math.nan
