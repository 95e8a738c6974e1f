"""Names looked up in SQLite: what may fit is chosen by SQL, what does fit by the function ``fold``, which costs more."""

from __future__ import annotations

from typing import Any

from gra_skill_admin_boundaries.folding import fold

MATCHES = ("exact", "alias", "prefix", "part")
LATIN_END = 0x250  # first letters beyond do not fold to ASCII


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
        f"unicode({column}) < {LATIN_END} AND ({column} GLOB '*[^A-Za-z0-9 ]*' OR {column} LIKE ?)",
        [f"%{word}%"],
    )


def rank(folded: str, wanted: str, *, alias: bool) -> int | None:
    """How a folded name answers a folded text: index into `MATCHES`, or None."""
    if folded == wanted:
        return 0
    if alias:
        return 1
    if folded.startswith(wanted + " "):
        return 2
    return 3 if f" {wanted} " in f" {folded} " else None


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
