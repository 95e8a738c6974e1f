"""Compaction: the trace of a trajectory in bounded size, with what was cut said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import attrs
from attrs import frozen

from gra_core import Event
from gra_judge.trace import Call, Gap, Item, Said, Trace, dumps, line, lines, trace_of

# Characters of all steps together; about 40,000 tokens.
LIMIT = 150_000
SHORTEST_LIMIT = 1_000


@frozen
class Caps:
    """Most characters (as JSON) of a call's arguments, of its result, and of words in between."""

    arguments: int
    result: int
    words: int
    tool: int = 100


# Tried in order, until the whole is short enough. Arguments keep most: code is the analysis.
LEVELS = (
    Caps(8000, 5000, 2000),
    Caps(6000, 3000, 800),
    Caps(4000, 1500, 300),
    Caps(2000, 600, 150),
    Caps(600, 300, 80),
)
# How many entries and characters of each list, object and text inside a value are kept, tried in order.
PRUNINGS = ((60, 2000), (30, 1000), (15, 500), (8, 250), (4, 120), (2, 60))


def compact(source: Iterable[Event] | Trace, answer: str | None = None, *, limit: int = LIMIT) -> Trace:
    """The trace of a trajectory, its steps together (as `lines`) within `limit` characters.

    The order of steps stays, the final answer stays whole. Long arguments, results and words are shortened evenly;
    only when that is not enough, steps in the middle are left out. Compacting a compacted trace changes nothing.
    """
    trace = source if isinstance(source, Trace) else trace_of(source, answer)
    limit = max(limit, SHORTEST_LIMIT)
    # Measured once: a trajectory may hold many megabytes.
    measured = [
        (item, {part: len(dumps(getattr(item, part))) for part in _parts(item)}) for item in trace.items
    ]
    shortened = trace
    for caps in LEVELS:
        items = tuple(_capped(item, sizes, caps) for item, sizes in measured)
        shortened = attrs.evolve(trace, items=items)
        if len(lines(shortened)) <= limit:
            return shortened
    return attrs.evolve(shortened, items=tuple(_without_middle(shortened.items, limit)))


def _parts(item: Item) -> tuple[str, ...]:
    if isinstance(item, Said):
        return ("text",)
    return ("tool", "arguments", "result") if isinstance(item, Call) else ()


def _capped(item: Item, sizes: dict[str, int], caps: Caps) -> Item:
    """An item with each of its parts at most as long as its cap."""
    rooms = {"text": caps.words, "tool": caps.tool, "arguments": caps.arguments, "result": caps.result}
    long = {part for part, size in sizes.items() if size > rooms[part]}
    made = {part: cut_to(getattr(item, part), rooms[part]) for part in long}
    if not made:
        return item
    cut = sum(sizes[part] - len(dumps(value)) for part, value in made.items())
    return attrs.evolve(item, **made, cut=item.cut + cut)  # type: ignore[union-attr, arg-type]


def cut_to(value: Any, room: int) -> Any:
    """The shorter form of a value whose JSON is longer than `room` characters."""
    made = next((p for p in _smaller(value) if len(dumps(p)) <= room), None)
    return _shorten_text(value if isinstance(value, str) else dumps(value), room) if made is None else made


def _smaller(value: Any) -> Iterator[Any]:
    for entries, characters in PRUNINGS:
        if not isinstance(value, str):
            yield prune(value, entries, characters)


def prune(value: Any, entries: int, characters: int) -> Any:
    """The beginning of every list and object, and both ends of every text; how much was left out stands in place."""
    if isinstance(value, str):
        if len(value) <= characters:
            return value
        tail = characters // 3
        return f"{value[: characters - tail]} … {len(value) - characters} characters left out … {value[len(value) - tail :]}"
    if isinstance(value, dict):
        kept = {k: prune(v, entries, characters) for k, v in list(value.items())[:entries]}
        return kept | ({"…": f"{len(value) - entries} entries left out"} if len(value) > entries else {})
    if isinstance(value, (list, tuple)):
        kept_items = [prune(v, entries, characters) for v in value[:entries]]
        return kept_items + (
            [f"… {len(value) - entries} of {len(value)} left out"] if len(value) > entries else []
        )
    return value


def _shorten_text(text: str, room: int) -> str:
    """Both ends of a text; escapes make JSON longer than the text, so the ends shrink until it fits."""
    length = room
    while length > 0:
        tail = length // 3
        made = f"{text[: length - tail]} … {text[len(text) - tail :]}"
        if len(dumps(made)) <= room:
            return made
        length = length * 3 // 4
    return ""


def _without_middle(items: tuple[Item, ...], limit: int) -> list[Item]:
    """The first and the last steps that fit, and between them how many do not."""
    total = sum(item.steps if isinstance(item, Gap) else 1 for item in items)
    sizes = [len(line(item, total)) + 1 for item in items]
    room = limit - len(line(Gap(steps=10**9), 0)) - 1
    first, last = 0, len(items)
    while first < last:
        # The beginning and the end grow in turn, so that both are shown.
        index = first if first <= len(items) - last else last - 1
        if sizes[index] > room:
            break
        room -= sizes[index]
        first, last = (first + 1, last) if index == first else (first, last - 1)
    left_out = sum(item.steps if isinstance(item, Gap) else 1 for item in items[first:last])
    return [*items[:first], Gap(steps=left_out), *items[last:]] if left_out else list(items)
