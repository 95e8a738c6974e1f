"""query_table: SQL that answers, and SQL that must not get anywhere."""

from __future__ import annotations

import time

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gra_core import ToolError
from gra_skill_scratch_datasets import querying
from gra_skill_scratch_datasets.tools import query_table


@pytest.fixture
def refs(workspace):
    counties = gpd.GeoDataFrame(
        {"fips": ["01001", "01003", "31055"], "state": ["01", "01", "31"]},
        geometry=shapely.points([[0, 0], [1, 1], [2, 2]]),
        crs="EPSG:4326",
    )
    people = pd.DataFrame(
        {"fips": ["01001", "01003", "31055"], "people": [10, 20, 30], "odd": [1, "a", None]}
    )
    return {
        "c": workspace.put(counties, name="counties").ref,
        "p": workspace.put(people.drop(columns="odd"), name="people").ref,
    }


def test_join_group_and_order(context, refs):
    result = query_table(
        context(),
        refs,
        "select state, sum(people) as total, count(*) n from c join p using (fips) group by state order by total desc, state",
    )
    assert result.content["result"] == [
        {"state": "01", "total": 30, "n": 2},
        {"state": "31", "total": 30, "n": 1},
    ]
    assert result.datasets == ()


def test_tables_of_a_list_are_t1_t2(context, refs):
    result = query_table(
        context(),
        list(refs.values()),
        "select t1.fips, people from t1 join t2 using (fips) where people > 25",
    )
    assert result.content["result"] == [{"fips": "31055", "people": 30}]
    assert "t1 = ds://counties-1" in result.notes[0]


def test_geometry_survives_as_geometry(context, refs, workspace):
    result = query_table(context(tool="query_table"), refs, "select * from c where state = '01'")
    saved = workspace.get(result.datasets[0].ref)
    assert isinstance(saved, gpd.GeoDataFrame)
    assert saved.crs == "EPSG:4326"
    assert [(p.x, p.y) for p in saved.geometry] == [(0, 0), (1, 1)]
    assert workspace.open(result.datasets[0].ref).manifest.lineage.inputs == tuple(refs.values())
    assert any("WKB" in note for note in result.notes)


def test_large_results_become_datasets(context, refs, workspace):
    result = query_table(context(), refs, "select i from range(1000) t(i)")
    assert result.content["rows"] == 1000
    assert result.content["rows_shown"] == 50
    assert len(workspace.get(result.datasets[0].ref)) == 1000
    with pytest.raises(ToolError, match="more than 1,000,000 rows") as caught:
        query_table(context(), refs, "select * from range(3000000)")
    assert caught.value.kind == "quota"


def test_no_rows_is_an_empty_result(context, refs):
    result = query_table(context(), refs, "select fips from c where false")
    assert result.status == "empty"
    assert "fips" in result.notes[-1]


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_csv('/etc/passwd')", "select * from '/etc/passwd'", "select * from read_text('/etc/hostname')", "select * from glob('/*')",
        "select * from read_parquet('https://example.com/x.parquet')", "select * from read_blob('/etc/shadow')", "select * from sniff_csv('/etc/passwd')",
        "select * from query('select * from read_text(''/etc/hostname'')')", "select * from frame", "select * from tables", "select * from duckdb_secrets()",
        "select getenv('HOME')", "select * from pandas_scan(140000000)", "select * from arrow_scan(1, 2, 3)",
    ],
)  # fmt: skip
def test_nothing_but_the_tables_can_be_read(context, refs, sql):
    frame = pd.DataFrame({"local": [1]})  # DuckDB would find Python variables by name if it were allowed to
    assert len(frame)
    with pytest.raises(ToolError) as caught:
        query_table(context(), refs, sql)
    assert caught.value.kind == "bad_argument"


@pytest.mark.parametrize(
    "sql",
    [
        "copy c to '/tmp/gra-x.csv'", "attach '/tmp/gra-x.db'", "install spatial", "load httpfs", "set threads = 8", "reset memory_limit",
        "create table x as select 1", "insert into c select * from c", "drop table c", "update p set people = 0", "delete from p",
        "select 1; drop table c", "select 1; select 2", "", "  ", "-- nothing", "pragma database_list", "call pragma_version()",
        "export database '/tmp/gra-x'", "checkpoint", "begin", "prepare a as select 1", "vacuum", "explain select 1", "with x as (select 1) insert into c select 1",
    ],
)  # fmt: skip
def test_only_one_select(context, refs, sql):
    with pytest.raises(ToolError) as caught:
        query_table(context(), refs, sql)
    assert caught.value.kind == "bad_argument"


def test_settings_are_locked_and_tight():
    with querying._connection({}) as connection:
        names = "('enable_external_access', 'lock_configuration', 'autoinstall_known_extensions', 'autoload_known_extensions', 'allow_community_extensions', 'temp_directory', 'threads')"
        values = dict(
            connection.execute(f"select name, value from duckdb_settings() where name in {names}").fetchall()
        )
    assert values == {
        "enable_external_access": "false", "lock_configuration": "true", "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false", "allow_community_extensions": "false", "temp_directory": "", "threads": "2",
    }  # fmt: skip


def test_wrong_sql_names_the_fault(context, refs):
    with pytest.raises(ToolError, match=r"(?s)SQL:.*nam.*state") as caught:
        query_table(context(), refs, "select nam, stat from c")
    assert caught.value.kind == "bad_argument"


def test_a_query_without_end_is_interrupted(context, refs):
    started = time.monotonic()
    with pytest.raises(ToolError) as caught:
        query_table(
            context(seconds=2.0),
            refs,
            "select sum(a.range * b.range) from range(10000000) a, range(10000000) b",
        )
    assert caught.value.kind == "timeout"
    assert time.monotonic() - started < 20.0


def test_memory_is_bounded(context, refs, monkeypatch):
    monkeypatch.setattr(querying, "MEMORY", "50MB")
    monkeypatch.setattr(querying, "LOCK", tuple(s.replace("1GB", "50MB") for s in querying.LOCK))
    with pytest.raises(ToolError) as caught:
        query_table(context(), refs, "select list(range) from range(100000000)")
    assert caught.value.kind == "quota"


def test_names_and_kinds_of_tables_are_checked(context, refs, workspace):
    for bad in ({"a b": refs["c"]}, {'x"; drop': refs["c"]}, {}, []):
        with pytest.raises(ToolError):
            query_table(context(), bad, "select 1")
    plain = workspace.put({"a": 1}, name="plain").ref
    with pytest.raises(ToolError, match="not a table"):
        query_table(context(), {"t": plain}, "select 1")
    with pytest.raises(ToolError) as caught:
        query_table(context(), {"t": "ds://../x"}, "select 1")
    assert caught.value.kind == "bad_argument"


def test_sums_too_large_for_whole_numbers_and_decimals(context, workspace):
    ref = workspace.put(pd.DataFrame({"a": [2**62, 2**62, 2**62]}), name="x").ref
    content = query_table(
        context(), {"x": ref}, "select sum(a) s, 1.50::decimal(5, 2) d, null::decimal(5, 2) n from x"
    ).content
    assert content["result"] == [{"s": 1.383505806e19, "d": 1.5, "n": None}]


def test_columns_of_one_name_and_of_mixed_types(context, workspace):
    ref = workspace.put(pd.DataFrame({"a": [1, 2]}), name="x").ref
    result = query_table(context(), {"x": ref}, "select a, a, a + 1 as a from x limit 1")
    assert result.content["columns"] == ["a", "a_2", "a_3"]
    table = querying._arrow(pd.DataFrame({"odd": [1, "a", None]}))
    assert table["odd"].to_pylist() == ["1", "a", None]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(st.sampled_from("abc"), st.integers(-1000, 1000)), min_size=1, max_size=30))
def test_sums_agree_with_pandas_whatever_the_order(rows):
    frame = pd.DataFrame(rows, columns=["k", "v"])
    with querying._connection({"t": frame}) as connection:
        result = querying._frame(
            querying._run(connection, "select k, sum(v)::bigint s from t group by k order by k", 30.0), {}
        )
    assert dict(zip(result["k"], result["s"], strict=True)) == frame.groupby("k")["v"].sum().to_dict()
