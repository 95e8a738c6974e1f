"""Tolerance domains: how much of a point an error costs, in the units that matter."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from attrs import frozen

from gra_core import UnknownName, load

FALSE_ALARM = 0.1


@frozen(kw_only=True)
class Domain:
    """One domain of ``domains.toml`` (the meaning of each field stands at its top)."""

    accept: tuple[float, float]
    zero: tuple[float, float]
    unit: str = ""
    period: float | None = None
    events: bool = False

    def closeness(self, reference: float, value: float) -> float:
        """1 for an error within accepted rounding, falling in proportion to the error to 0; both in the domain's unit."""
        size = abs(reference)
        error = self._error(reference, value)
        accept, zero = (max(absolute, relative * size) for absolute, relative in (self.accept, self.zero))
        # The last bits of a sum of decimals are no error.
        if error <= accept + 1e-12 * size:
            return 1.0
        if self.period is None and reference * value < 0:
            return 0.0
        score = max(0.0, 1.0 - (error - accept) / (zero - accept)) if zero > accept else 0.0
        return min(score, FALSE_ALARM) if self.events and reference == 0 else score

    def _error(self, reference: float, value: float) -> float:
        error = abs(value - reference)
        if self.period is not None:
            error %= self.period
            error = min(error, self.period - error)
        return error


@cache
def domains() -> dict[str, Domain]:
    """All domains by name."""
    table = tomllib.loads(files("gra_judge").joinpath("domains.toml").read_text(encoding="utf-8"))
    return {name: load(fields, Domain, what=f"domain {name}") for name, fields in table.items()}


def domain(name: str) -> Domain:
    """A domain by name, ``number`` when the name is empty; `UnknownName` lists the domains."""
    known = domains()
    name = name or "number"
    if name not in known:
        raise UnknownName("tolerance domain", name, known, install="domains are data: gra_judge/domains.toml")
    return known[name]
