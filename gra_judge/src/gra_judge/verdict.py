"""The verdict of the workflow autorater, read strictly: three last lines that agree with each other, or nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from attrs import frozen

from gra_core import Unreadable

# What a loss of usefulness comes to; the score must follow from it.
EFFECTS = {"none": 2, "slight": 2, "significant": 1, "fatal": 0}
VALUES = {0: 0.0, 1: 0.5, 2: 1.0}
NO_RULE = "none"

FORM = """Form of your reply. First your reasoning, in words: {alternative}the core data and steps of the golden workflow and, for
each, whether the work covers it with data from tools, with a substitute, or not; then each deviation and its effect. Then,
as the last three lines and without anything after them:

EFFECT: none, slight, significant or fatal (of all deviations together)
ZERO: the id of the rule under "No credit at all" that applies, or none
SCORE: 0, 1 or 2

The score follows from the two lines above it: 0 when a rule applies or the effect is fatal, 1 when it is significant, 2 when
it is slight or none."""


@frozen(kw_only=True)
class Verdict:
    """What the judge found. `value` is the score from 0 to 1."""

    score: int
    effect: str
    zero: str
    reasoning: str

    @property
    def value(self) -> float:
        return VALUES[self.score]


def read_verdict(reply: str, zero_rules: Iterable[str]) -> Verdict:
    """The verdict of a reply; `Unreadable` when a line is missing, has another form, or contradicts another."""
    lines = [text for line in reply.splitlines() if (text := plain(line))]
    if len(lines) < 4:
        raise Unreadable("it needs reasoning and then the three lines EFFECT, ZERO and SCORE")
    effect = _field(lines[-3], "EFFECT", EFFECTS)
    zero = _field(lines[-2], "ZERO", [NO_RULE, *zero_rules])
    score = int(_field(lines[-1], "SCORE", ["0", "1", "2"]))
    expected = EFFECTS[effect] if zero == NO_RULE else 0
    if score != expected:
        why = f"effect {effect}" if zero == NO_RULE else f"rule {zero}"
        raise Unreadable(f"SCORE {score} does not follow from {why}, which means {expected}")
    return Verdict(score=score, effect=effect, zero=zero, reasoning="\n".join(lines[:-3]))


def _field(line: str, name: str, allowed: Iterable[str]) -> str:
    """The value of a line ``NAME: value``, where nothing but the value may stand."""
    choices = list(allowed)
    match = re.fullmatch(rf"{name}\s*:\s*\[?([\w-]+)\]?\.?", line, re.IGNORECASE)
    value = match[1].casefold() if match else ""
    if value not in choices:
        raise Unreadable(f"in place of {name}: {' | '.join(choices)} there was {line[:80]!r}")
    return value


def plain(line: str) -> str:
    """A line without Markdown marks around its words, and without characters that cannot be seen."""
    text = unicodedata.normalize("NFKC", line)
    text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return re.sub(r"[*_`#>]+(?=\W|$)|(?<!\w)[*_`#>]+", "", text).strip()
