"""Configurations in TOML: merged, and refused with the place of the fault."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import ConfigurationError, dump, load, parse_configuration, read_configuration
from gra_core.configuration import Configuration, merge, table_of

BASE = parse_configuration(
    'name = "base"\nskills = ["*"]\n[limits]\nmodel_calls = 7\n[sources.nhc]\nbase_url = "http://127.0.0.1:1"\n',
    where="base.toml",
)


def test_extending_merges_tables_and_replaces_the_rest() -> None:
    text = 'name = "mine"\nextends = "base"\nskills = ["geometry"]\n[limits]\nwall_clock_s = 5\n[sources.wof]\nbase_url = "x"\n'
    made = parse_configuration(text, where="mine.toml", parent=lambda name: table_of(BASE))
    assert made.skills == ("geometry",)
    assert (made.limits.model_calls, made.limits.wall_clock_s) == (7, 5)
    assert set(made.sources) == {"nhc", "wof"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('name = "x"\nplaner = "upfront"', ["planer", "line 2", "mine.toml"]),
        ('name = "x"\n[limits]\nmodel_cals = 3', ["model_cals", "limits", "line 3"]),
        ('name = "x"\nlimits = 3', ["limits"]),
        ('name = "x"\n[limits]\nmodel_calls = "many"', ["model_calls"]),
        ('name = "x"\ndisclosure = "some"', ["disclosure"]),
        ('name = "x', ["mine.toml", "end of document"]),
        ("title = 'no name'", ["name"]),
        ('name = "x"\nextends = "y"', ["extends 'y'"]),
    ],
)
def test_a_fault_is_named_with_its_place(text: str, words: list[str]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_configuration(text, where="mine.toml")
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"gone\.toml"):
        read_configuration(tmp_path / "gone.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match=r"bad\.toml"):
        read_configuration(tmp_path / "bad.toml")


TABLES = st.recursive(
    st.integers() | st.text(max_size=3),
    lambda c: st.dictionaries(st.sampled_from("abc"), c, max_size=3),
    max_leaves=6,
).filter(lambda t: isinstance(t, dict))


@given(TABLES, TABLES, TABLES)
def test_merging_is_associative_and_has_an_identity(a: dict, b: dict, c: dict) -> None:
    assert merge(a, {}) == a and merge({}, a) == a
    once = merge(a, b)
    assert set(once) == set(a) | set(b)
    assert merge(once, b) == once


@given(
    st.builds(
        Configuration,
        name=st.text(min_size=1),
        skills=st.lists(st.text()).map(tuple),
        tool_caps=st.dictionaries(st.text(), st.integers()),
        disclosure=st.sampled_from(["native", "runner", "all"]),
        best_effort=st.none() | st.booleans(),
    )
)
def test_a_configuration_survives_its_plain_form(configuration: Configuration) -> None:
    assert load(dump(configuration), Configuration) == configuration


@pytest.mark.parametrize("chain", [["a.toml"], ["a.toml", "b.toml"], ["a.toml", "b.toml", "c.toml"]])
def test_files_that_extend_themselves_end_with_a_message(tmp_path: Path, chain: list[str]) -> None:
    for name, base in zip(chain, [*chain[1:], chain[0]], strict=True):
        (tmp_path / name).write_text(f'name = "{name}"\nextends = "{base}"\n')

    def parent(base: str) -> dict:
        return table_of(read_configuration(tmp_path / base, parent=parent))

    with pytest.raises(ConfigurationError, match="extends itself"):
        read_configuration(tmp_path / chain[0], parent=parent)
    (tmp_path / "root.toml").write_text('name = "root"\nskills = ["x"]\n')
    (tmp_path / chain[-1]).write_text('name = "end"\nextends = "root.toml"\n')
    assert read_configuration(tmp_path / chain[0], parent=parent).skills == ("x",)
