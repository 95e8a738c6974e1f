"""The answer autorater: partial credit for each blank of an answer, in the query's own units."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from gra_core import Autorater, Blank, Judge, Query, Score, Submission, UsageError
from gra_judge.abstention import empty_value, nothing, score_abstention
from gra_judge.answer import MAX_CHARACTERS, read_answer
from gra_judge.domain import FALSE_ALARM, domain
from gra_judge.grades import FORM, Grades, read_grades
from gra_judge.material import enclose
from gra_judge.quantity import read_quantity
from gra_judge.rules import as_text

NAME = "answer-autorater"
VERSION = "1"
RULES = "answer_rules"
# A name that the judge gives less than this is another entity.
RIGHT_ENTITY = 0.5
NUMERAL = re.compile(r"-?\d{1,300}(?:\.\d+)?")

TASK = """You are an experienced analyst of geospatial data. You see a query with one or more blanks, the reference answer for each
blank, and a response to the query. Rate how close the response comes to the reference, blank by blank."""


def rate_answer(submission: Submission, judge: Judge) -> Score:
    """One pass. An answer that equals the reference scores 1 and an empty one 0 without the judge; what the rules fix
    (blanks that are equal, empty, dependent on a wrong entity, or events that were none) holds whatever the judge says;
    the score is the mean of the blanks."""
    query = submission.query
    if (abstention := score_abstention(query, submission.answer, submission.status)) is not None:
        return abstention
    reference, blanks = references(query)
    values = read_answer(submission.answer, [blank.label for blank in blanks])
    if submission.status not in ("answered", "abstained"):
        return decided(0.0, blanks, f"the trial ended without an answer: {submission.status}")
    if nothing(submission.answer, values):
        return decided(0.0, blanks, "no answer")
    if same(values, reference):
        return decided(1.0, blanks, "equals the reference")

    def read(reply: str) -> Grades:
        return read_grades(reply, len(blanks))

    grades = judge.ask(instruction(), material(query, submission.answer), read)
    parts, changes = settle(grades.scores, blanks, reference, values)
    extra = {
        "reasoning": grades.reasoning,
        "given": list(grades.scores),
        "changes": changes,
        "values": values,
        "judged": True,
    }
    text = "; ".join(f"{b.label or 'blank'}: {p:.3g}" for b, p in zip(blanks, parts, strict=True))
    return Score(value=sum(parts) / len(parts), parts=parts, explanation=text, extra=extra)


def decided(value: float, blanks: Sequence[Blank], why: str) -> Score:
    """A score that needs no judge."""
    return Score(value=value, parts=(value,) * len(blanks), explanation=why, extra={"judged": False})


def references(query: Query) -> tuple[list[Any], tuple[Blank, ...]]:
    """The reference value of each blank, and the blanks; without declared blanks, one for each value."""
    reference = list(query.answer) if isinstance(query.answer, (list, tuple)) else [query.answer]
    blanks = query.blanks or tuple(
        Blank(label=f"answer {n}" if len(reference) > 1 else "answer", type="text")
        for n in range(1, len(reference) + 1)
    )
    if len(blanks) != len(reference) or not blanks:
        raise UsageError(f"query {query.id}: {len(blanks)} blanks for {len(reference)} reference values")
    return reference, blanks


def same(values: Sequence[Any], reference: Sequence[Any]) -> bool:
    """Exact equality, value by value."""
    return len(values) == len(reference) and all(map(equal, values, reference))


def equal(value: Any, reference: Any) -> bool:
    """The same value: text is the same text, and a number may be written as text; it is never a truth value."""
    if value is None or reference is None or isinstance(value, bool) or isinstance(reference, bool):
        return value is reference
    if isinstance(reference, (int, float)):
        written = isinstance(value, str) and NUMERAL.fullmatch(value.strip())
        return (
            float(written[0]) == reference
            if written
            else isinstance(value, (int, float)) and value == reference
        )
    if isinstance(value, str) and isinstance(reference, str):
        return value.strip() == reference.strip()
    return False


def settle(
    scores: Sequence[float], blanks: Sequence[Blank], reference: Sequence[Any], values: Sequence[Any]
) -> tuple[tuple[float, ...], list[str]]:
    """The judge's scores after the rules that code can apply, and what they changed."""
    parts, changes = list(scores), []
    given = list(values) if len(values) == len(blanks) else None

    def put(index: int, score: float, rule: str) -> None:
        if parts[index] != score:
            changes.append(f"blank {index + 1}: {parts[index]:g} to {score:g} ({rule})")
            parts[index] = score

    for i, blank in enumerate(blanks):
        if given is None:
            break
        if empty_value(given[i]) and not empty_value(reference[i]):
            put(i, 0.0, "empty-is-zero")
        elif equal(given[i], reference[i]):
            put(i, 1.0, "equals the reference")
        elif false_event(blank, reference[i], given[i]):
            put(i, min(parts[i], FALSE_ALARM), "false-events")
    for i in dependents(blanks, parts):
        put(i, 0.0, "dependents-of-wrong-entity")
    return tuple(parts), changes


def false_event(blank: Blank, reference: Any, value: Any) -> bool:
    """Whether a count of events is reported where the reference has none."""
    if not (blank.tolerance and domain(blank.tolerance).events):
        return False
    right, given = read_quantity(reference), read_quantity(value)
    return right is not None and right.value == 0 and given is not None and given.value != 0


def dependents(blanks: Sequence[Blank], parts: Sequence[float]) -> list[int]:
    """Blanks that hang on a wrong entity, also through other blanks."""
    wrong = {i for i, part in enumerate(parts) if part < RIGHT_ENTITY}
    void: set[int] = set()
    while more := {i for i, b in enumerate(blanks) if b.depends_on in wrong | void} - void:
        void |= more
    return sorted(void)


def instruction() -> str:
    """What the judge is told; the same for every query."""
    return "\n\n".join([TASK, as_text(RULES), FORM])


def material(query: Query, answer: str) -> str:
    """Query, blanks with their reference, response."""
    parts = {"query": query.text, "reference": reference_text(query), "response": answer}
    if len(answer) > MAX_CHARACTERS:
        parts["response"] = answer[-MAX_CHARACTERS:]
        parts["note on the response"] = (
            f"The first {len(answer) - MAX_CHARACTERS} characters were left out for length."
        )
    return f"{enclose(parts)}\n\nThe material ends here. Rate it by the rules, in the required form."


def reference_text(query: Query) -> str:
    """One line of JSON for each blank."""
    reference, blanks = references(query)
    made = []
    for number, (blank, value) in enumerate(zip(blanks, reference, strict=True), 1):
        shown: dict[str, Any] = {"blank": number, "label": blank.label, "reference": value}
        shown |= {"unit": blank.unit} if blank.unit else {}
        shown |= {"also right": list(blank.aliases)} if blank.aliases else {}
        shown |= (
            {"belongs to the entity of blank": blank.depends_on + 1} if blank.depends_on is not None else {}
        )
        made.append(json.dumps(shown, ensure_ascii=False))
    return "\n".join(made)


ANSWER = Autorater(
    name=NAME,
    title="partial credit for each blank of an answer; asks a model unless the answer is exact or empty",
    function="gra_judge.partial:rate_answer",
    version=VERSION,
)
