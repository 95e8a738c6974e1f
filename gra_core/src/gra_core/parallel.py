"""Heavy work in parts: here, one part after the other, or wherever the runner sends them.

A tool calls `map_parts` and need not know. The runner installs a `Mapper` around a trial with `mapping_with`; it is held
in a context variable, so that it reaches the threads of `Clock.run` and no other trial.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Protocol, TypeVar

from attrs import frozen

from gra_core.errors import GraError

Part = TypeVar("Part")
Value = TypeVar("Value")

# Parts a worker: some take longer than others, and short ones fill the gaps.
PER_WORKER = 3


@frozen(kw_only=True)
class Outcome:
    """What became of a part: its value, or the error it raised."""

    value: Any = None
    error: Exception | None = None


class Mapper(Protocol):
    """Runs parts elsewhere."""

    @property
    def workers(self) -> int:
        """How many parts can run at a time."""

    def map(
        self, function: Callable[[Any], Outcome | None], parts: Sequence[Any]
    ) -> Iterable[Outcome | None]:
        """The outcomes of all parts in their order, each as soon as it is known; None for a part that came to none.

        `function` raises nothing; it and the parts can be pickled.
        """


_installed: ContextVar[Mapper | None] = ContextVar("gra_mapper", default=None)


@contextmanager
def mapping_with(mapper: Mapper | None) -> Iterator[None]:
    """Send parts to `mapper` inside the block (and threads that copy its context); None keeps them here."""
    token = _installed.set(mapper)
    try:
        yield
    finally:
        _installed.reset(token)


def part_count() -> int:
    """Into how many parts it is worth to divide work: 1 where they would only run one after the other."""
    mapper = _installed.get()
    workers = mapper.workers if mapper is not None else 1
    return workers * PER_WORKER if workers > 1 else 1


def map_parts(function: Callable[[Part], Value], parts: Iterable[Part]) -> list[Value]:
    """``[function(part) for part in parts]``, where a mapper is installed on its workers.

    `function` is importable from its module, parts and values can be pickled; large data is best passed by path. A part
    is done here when it came to nothing elsewhere: its worker was lost, or has not the file or library that it needs
    (`OSError` or `ImportError`, also as the cause of another error). Every other error is raised as it was; of several
    the first in the order of the parts. The parts of a part stay where it runs.
    """
    parts = list(parts)
    mapper = _installed.get()
    if mapper is None or len(parts) < 2:
        return [function(part) for part in parts]
    values: list[Value] = []
    for part, outcome in zip(parts, mapper.map(partial(attempt, function), parts), strict=True):
        if outcome is None:
            with mapping_with(None):
                values.append(function(part))
        elif outcome.error is not None:
            raise outcome.error
        else:
            values.append(outcome.value)
    return values


def attempt(function: Callable[[Part], Any], part: Part) -> Outcome | None:
    """Do a part away from the caller; None asks for it to be done where the caller is."""
    try:
        with mapping_with(None):
            return Outcome(value=function(part))
    except Exception as error:
        if _lacks_something(error) or not _travels(error):
            return None
        if not isinstance(error, GraError):
            error.add_note("In a part that ran elsewhere:\n" + traceback.format_exc())
        return Outcome(error=error)


def _lacks_something(error: BaseException | None) -> bool:
    """Whether a missing file or library may be behind an error."""
    while error is not None:
        if isinstance(error, (OSError, ImportError)):
            return True
        error = error.__cause__ or error.__context__
    return False


def _travels(error: Exception) -> bool:
    """Whether an error can be pickled and read again: some take other arguments than they hand on."""
    try:
        return type(pickle.loads(pickle.dumps(error))) is type(error)
    except Exception:
        return False
