"""Templates: one class each, found wherever it is defined in `gra_benchmark_geoktools.templates`."""

from __future__ import annotations

import random
import string
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import evolve

from gra_benchmark_geoktools.tooltypes import TOOL_TYPES
from gra_core import Blank
from gra_core.benchmark import ReferenceTrajectory

if TYPE_CHECKING:
    from gra_benchmark_geoktools.data import Data

Parameters = dict[str, Any]
# Instances of a template; some templates have fewer.
USUAL_COUNT = {"dev": 3, "test": 7}


class Template:
    """A form of query. A subclass that sets `id` is a template; nothing else needs to know of it.

    `wording` has slots in braces, filled from the parameters (a list of names as a list in English), and so have the
    blanks' labels, units and tolerance domains. `tool_types` are names
    of `TOOL_TYPES`, their number is K. `split` is the split of all instances. `pinned` parameters come before the
    sampled ones, `count` is how many instances are drawn by default (0: as many as is usual in the split). Raise
    `version` whenever an instance or its answer changes. Of a template that is not `solvable` nothing is asked that can
    be answered; it calls for the tools of `tool_types` all the same (see `infeasible.py`).
    """

    id: ClassVar[str] = ""
    version: ClassVar[int] = 1
    split: ClassVar[Literal["dev", "test"]] = "test"
    tool_types: ClassVar[tuple[str, ...]]
    wording: ClassVar[str]
    blanks: ClassVar[tuple[Blank, ...]]
    pinned: ClassVar[tuple[Parameters, ...]] = ()
    count: ClassVar[int] = 0
    solvable: ClassVar[bool] = True

    # -- what a template writes --------------------------------------------------------------------------------

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        """Parameters of one instance: names for the wording, ids (keys ending in ``_id``) for the solver."""
        raise NotImplementedError

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        """The true answer, computed from the sources without any tool; `IllPosed` when it is not clear."""
        raise NotImplementedError

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        """The tool calls that answer an instance, from what the text says and nothing else."""
        raise NotImplementedError

    # -- what follows from it ----------------------------------------------------------------------------------

    @property
    def K(self) -> int:
        return len(self.tool_types)

    @property
    def skills(self) -> tuple[str, ...]:
        """The skills whose tools the reference trajectory calls."""
        return tuple(dict.fromkeys(s for name in self.tool_types for s in TOOL_TYPES[name].skills))

    @property
    def source_kinds(self) -> tuple[str, ...]:
        """The kinds of sources that the instances depend on."""
        return tuple(sorted({kind for name in self.tool_types for kind in TOOL_TYPES[name].sources}))

    @property
    def slots(self) -> set[str]:
        """Names of the parameters that the text mentions."""
        texts = [self.wording, *(text for blank in self.blanks for text in (blank.label, blank.unit))]
        return {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name}

    def blanks_of(self, parameters: Parameters) -> tuple[Blank, ...]:
        """The blanks with their slots filled."""
        words = _as_words(parameters)
        return tuple(
            evolve(
                b,
                label=_first_capital(b.label.format(**words)),
                unit=b.unit.format(**words),
                tolerance=b.tolerance.format(**words),
            )
            for b in self.blanks
        )

    def text_of(self, parameters: Parameters) -> str:
        """The query as the agent reads it, with the form of its answer."""
        labels = (f"{b.label} ({b.unit})" if b.unit else b.label for b in self.blanks_of(parameters))
        return (
            f"{self.wording.format(**_as_words(parameters))}\nAnswer with a JSON list: [{', '.join(labels)}]"
        )

    def reference(self, parameters: Parameters) -> ReferenceTrajectory:
        """The reference trajectory of an instance; it sees only the parameters that the text mentions."""
        return self.trace({name: parameters[name] for name in self.slots})


def _as_words(parameters: Parameters) -> dict[str, Any]:
    """Parameters as they stand in a text: lists as English writes them."""
    return {name: _listed(value) if isinstance(value, list) else value for name, value in parameters.items()}


def _listed(names: list[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    # The comma before the last one keeps "Bosnia and Herzegovina" in one piece.
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _first_capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def all_templates() -> dict[str, Template]:
    """Every template by id, in the order of K and id."""
    import gra_benchmark_geoktools.templates as package

    for module in iter_modules(package.__path__, package.__name__ + "."):
        import_module(module.name)
    found: dict[str, Template] = {}
    for template in (
        cls() for cls in _subclasses(Template) if cls.id and cls.__module__.startswith(package.__name__)
    ):
        if template.id in found:
            raise ValueError(f"two templates have the id {template.id!r}")
        found[template.id] = template
    return dict(sorted(found.items(), key=lambda item: (item[1].K, item[0])))


def _subclasses(cls: type[Template]) -> list[type[Template]]:
    return [c for child in cls.__subclasses__() for c in (child, *_subclasses(child))]
