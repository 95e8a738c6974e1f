"""Records of data files: formats, field names, and files that will not do."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core.records import RecordError, pick_fields, read_records

ROWS = [
    {"id": "1", "question": 'How far,\n"as the crow flies"?'},
    {"id": "2", "question": "Wie weit? ü\u2028x"},
]
ALIASES = {"question": ("prompt", "query"), "answer": ("expected_answer",), "note": ()}


def as_csv(rows: list[dict[str, str]], delimiter: str = ",") -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def as_lines(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(r, ensure_ascii=False) for r in rows).encode()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (json.dumps(ROWS).encode(), "a.json"),
        (json.dumps({"metadata": {}, "tasks": ROWS}).encode(), "a.json"),
        (
            json.dumps(
                {"rows": [{"row_idx": i, "row": r, "truncated_cells": []} for i, r in enumerate(ROWS)]}
            ).encode(),
            "rows.json",
        ),
        (as_lines(ROWS), "a.jsonl"),
        (as_lines(ROWS), "lines-called.json"),
        (as_lines(ROWS) + b"\n\n", "a.ndjson"),
        (as_csv(ROWS), "a.csv"),
        (b"\xef\xbb\xbf" + as_csv(ROWS), "a.CSV"),
        (as_csv(ROWS, "\t"), "a.tsv"),
        (json.dumps(ROWS).encode(), "no-suffix"),
        (json.dumps({"tasks": ROWS}, indent=1).encode(), "download"),
        (as_lines(ROWS), "download"),
        (as_csv(ROWS), "download"),
    ],
)
def test_every_format(data: bytes, name: str) -> None:
    assert read_records(data, name) == ROWS


@given(
    st.lists(
        st.fixed_dictionaries(
            {"a": st.text(st.characters(codec="utf-8", exclude_characters="\r\x00")), "b": st.text('x,"\n;')}
        ),
        min_size=1,
    )
)
def test_what_csv_writes_is_read_back(rows: list[dict[str, str]]) -> None:
    assert read_records(as_csv(rows), "x.csv") == rows


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"", "a.csv", "is empty"),
        (b"  \n", "a.json", "is empty"),
        (b"\xff\xfe\x00", "a.csv", "not UTF-8"),
        (b"[1, 2]", "a.json", "no list of objects"),
        (b'{"a": 1}', "a.json", "no list of objects"),
        (b'{"a": [{}], "b": [{}]}', "a.json", "lists of objects: a, b"),
        (b'[{"a": 1}', "a.json", "is not JSON"),
        (b"[" * 100_000, "a.json", "is not JSON"),
        (b"[]", "a.json", "no record"),
        (b'{"a": 1}\n{oops', "a.jsonl", "line 2 is not JSON"),
        (b'{"a": 1}\n[1]', "a.jsonl", "line 2 is no JSON object"),
        (b"a,b\n1,2,3\n", "a.csv", "line 2"),
        (b"a,b\n1\n", "a.csv", "line 2"),
        (b"a,a\n1,2\n", "a.csv", "'a' twice"),
        (b"a,b\n", "a.csv", "no record"),
        (b'a,b\n"1,2\n', "a.csv", "a.csv"),
        (b"a,b\n1,2\n", "a.json", "is not JSON"),
        (b"<!DOCTYPE html><html>Sign in</html>", "download", "is a web page"),
    ],
)
def test_files_that_will_not_do(data: bytes, name: str, message: str) -> None:
    with pytest.raises(RecordError, match=message) as caught:
        read_records(data, name)
    assert name in caught.value.message


def test_fields_under_other_names() -> None:
    records = [
        {"ID": 1, "Prompt": "q1", "Expected-Answer": "a1"},
        {"ID": 2, "prompt": "q2", "expected answer": "a2", "Note": "n"},
    ]
    assert pick_fields(records, ALIASES, required=["question", "answer"], name="f") == [
        {"question": "q1", "answer": "a1", "note": None},
        {"question": "q2", "answer": "a2", "note": "n"},
    ]


def test_a_fields_own_name_comes_before_its_aliases() -> None:
    records = [{"prompt": "no", "question": "yes"}, {"prompt": "where the own one is empty", "question": ""}]
    picked = pick_fields(records, ALIASES, required=["question"], name="f")
    assert [r["question"] for r in picked] == ["yes", "where the own one is empty"]


def test_a_missing_field_is_named_with_what_would_do_and_what_was_found() -> None:
    with pytest.raises(RecordError, match=r"set\.csv: no field answer \(also: expected_answer\)") as caught:
        pick_fields(
            [{"Question": "q", "Solution": "s"}], ALIASES, required=["question", "answer"], name="set.csv"
        )
    assert "Question, Solution" in caught.value.hint


def test_an_empty_field_is_found_by_record() -> None:
    with pytest.raises(RecordError, match=r"set\.csv, record 2: answer is empty"):
        pick_fields(
            [{"question": "q", "answer": 0}, {"question": "q", "answer": " "}],
            ALIASES,
            required=["question", "answer"],
            name="set.csv",
        )
