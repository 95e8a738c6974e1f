"""What kind of quantity a statistical variable is, from its definition."""

from __future__ import annotations

from collections.abc import Mapping

PROPERTIES = ["name", "description", "typeOf", "statType", "measuredProperty", "measurementDenominator"]
_STATISTICS = {
    "medianValue",
    "meanValue",
    "minValue",
    "maxValue",
    "stdDeviationValue",
    "marginOfError",
    "medianvalue",
}
_RATES = ("percent_", "rate_", "ratio_", "mean_", "median_")


def quantity_of(variable: str, definition: Mapping[str, list[str]]) -> str:
    """``count`` (may be summed over places), ``rate`` (needs its denominator), ``intensive``, or empty when unknown.

    `definition` maps a property of `PROPERTIES` to its values.
    """
    name = variable.casefold()
    statistic = _first(definition, "statType")
    measured = _first(definition, "measuredProperty").casefold()
    if statistic in _STATISTICS or name.startswith(("median_", "mean_")):
        return "intensive"
    if _first(definition, "measurementDenominator") or name.startswith(_RATES) or "_asafractionof_" in name:
        return "rate"
    if "rate" in measured or "rate_" in name or "percent" in name or "perarea" in name or "percapita" in name:
        return "rate"
    if measured == "count" or name.startswith("count_"):
        return "count"
    return "count" if measured in ("amount", "area") or name.startswith("amount_") else ""


def _first(definition: Mapping[str, list[str]], key: str) -> str:
    return next(iter(definition.get(key) or []), "")
