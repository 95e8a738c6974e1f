"""The one converter between data types and JSON: unknown keys are forbidden, errors say where."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from cattrs import transform_error
from cattrs.errors import BaseValidationError
from cattrs.preconf.json import make_converter

from gra_core.errors import GraError

T = TypeVar("T")


class LoadError(GraError):
    """Stored data that does not fit its type; lists each place as ``message @ $.path``."""


def _keep(value: Any, _type: Any = None) -> Any:
    return value


converter = make_converter(forbid_extra_keys=True)
converter.register_structure_hook(Decimal, lambda v, _t: Decimal(str(v)))
converter.register_unstructure_hook(Decimal, str)
converter.register_structure_hook(Path, lambda v, _t: Path(v))
converter.register_unstructure_hook(Path, str)
converter.register_unstructure_hook(dt.datetime, lambda v: v.isoformat())
converter.register_structure_hook(dt.datetime, lambda v, _t: dt.datetime.fromisoformat(v))
converter.register_unstructure_hook(dt.date, lambda v: v.isoformat())
# TOML has its own dates, JSON has text: both are accepted.
converter.register_structure_hook(
    dt.date, lambda v, _t: v if isinstance(v, dt.date) else dt.date.fromisoformat(v)
)


def load(data: Any, cls: type[T], *, what: str = "") -> T:
    """Structure plain data as `cls`; `LoadError` names every faulty place."""
    try:
        return converter.structure(data, cls)
    except (BaseValidationError, ValueError, TypeError, KeyError) as error:
        places = transform_error(error, path="$") if isinstance(error, BaseValidationError) else [str(error)]
        raise LoadError(f"{what or cls.__name__}: " + "; ".join(places)) from error


def dump(value: Any) -> Any:
    """The JSON-ready form of a data type."""
    return converter.unstructure(value)
