"""An index of names: which rows of a table a text means, and how well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gra_geo.names import fold


class NameIndex:
    """Rows by name. `aliases` holds other names and codes of a row, separated by ``|``."""

    def __init__(self, names: Iterable[str], aliases: Iterable[str]) -> None:
        self.folded = [fold(name) for name in names]
        self._exact = _rows_by_name((name, row) for row, name in enumerate(self.folded))
        others = ((fold(a), row) for row, text in enumerate(aliases) if text for a in text.split("|"))
        self._alias = _rows_by_name((name, row) for name, row in others if name)

    def match(self, text: str) -> tuple[np.ndarray, np.ndarray]:
        """Rows that fit a text and their rank (index into `MATCHES`), each row once with its best rank.

        ``exact``: the name itself; ``alias``: another name or code; ``prefix``: the name or another one begins with
        the text; ``part``: the text is somewhere in the name. An empty text matches nothing.
        """
        wanted = fold(text)
        if not wanted:
            return np.zeros(0, dtype=int), np.zeros(0, dtype=int)
        best: dict[int, int] = {}
        begins = [row for row, name in enumerate(self.folded) if name.startswith(wanted)]
        begins += [row for name, rows in self._alias.items() if name.startswith(wanted) for row in rows]
        parts = [row for row, name in enumerate(self.folded) if wanted in name]
        for rank, rows in enumerate(
            (self._exact.get(wanted, ()), self._alias.get(wanted, ()), begins, parts)
        ):
            for row in rows:
                best.setdefault(row, rank)
        return np.fromiter(best.keys(), dtype=int), np.fromiter(best.values(), dtype=int)


def _rows_by_name(pairs: Iterable[tuple[str, int]]) -> dict[str, Sequence[int]]:
    found: dict[str, list[int]] = {}
    for name, row in pairs:
        found.setdefault(name, []).append(row)
    return dict(found)
