"""Names looked up in SQLite: what may fit is chosen by SQL, what does fit by the function ``fold``, which costs more."""

from __future__ import annotations

from typing import Any

from gra_geo.names import fold

# Where the first letters of other scripts lie: Greek to Mongolian, and what stands between signs and compatibility forms.
FOREIGN = "(unicode({0}) BETWEEN 0x370 AND 0x1CFF OR unicode({0}) BETWEEN 0x2E80 AND 0xD7FF)"


def likely(column: str, wanted: str) -> tuple[str, list[Any]]:
    """A condition that every name fulfils which holds the folded text `wanted`, with its values.

    Names with nothing but ASCII letters, digits and spaces must hold its longest word as it is; all others pass, but for
    those of other scripts.
    """
    if not wanted.isascii():
        return "1", []
    # "saint" may be written "st".
    word = max((w for w in wanted.split() if w != "saint"), key=len, default="")
    return (
        f"NOT {FOREIGN.format(column)} AND ({column} GLOB '*[^A-Za-z0-9 ]*' OR {column} LIKE ?)",
        [f"%{word}%"],
    )


def alias_query(name: str, placetypes: tuple[str, ...]) -> tuple[str, list[Any]]:
    """The query for ids of features of the placetypes that have a text as one of their names."""
    wanted = fold(name)
    condition, values = likely("name", wanted)
    marks = ",".join("?" * len(placetypes))
    sql = (
        f"SELECT DISTINCT id FROM names WHERE placetype IN ({marks}) AND length(name) BETWEEN ? AND ? "
        f"AND {condition} AND fold(name) = ?"
    )
    return sql, [*placetypes, len(wanted) // 2, 2 * len(wanted) + 4, *values, wanted]
