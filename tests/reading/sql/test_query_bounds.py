# SPDX-License-Identifier: Apache-2.0
"""Queries only read the tables of the runs, within bounds of rows, time and memory."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

from mindscope import open_runs
from mindscope.errors import MissingPackageError, QueryError
from mindscope.reading import QueryLimits, Runs, SqlSource, run_query
from mindscope.reasons import reason_of

from .sql_runs import write_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return open_runs(write_runs(tmp_path_factory.mktemp("runs")))


def code_of(runs: Runs, statement: str, **limits: float) -> str:
    with pytest.raises(QueryError) as caught:
        runs.sql(statement, **limits)  # type: ignore[arg-type]
    reason = reason_of(caught.value)
    assert reason.remedy
    return reason.code


@pytest.mark.parametrize(
    "statement",
    [
        "COPY scalars TO '{file}'",
        "COPY scalars FROM '{file}'",
        "ATTACH '{file}'",
        "EXPORT DATABASE '{file}'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA database_list",
        "SET memory_limit = '100GB'",
        "RESET threads",
        "CALL pragma_version()",
        "CREATE TABLE mine AS FROM scalars",
        "CREATE SECRET s (TYPE S3)",
        "DROP VIEW scalars",
        "INSERT INTO scalars SELECT * FROM scalars",
        "DELETE FROM scalars",
        "BEGIN",
        "CHECKPOINT",
        "USE memory",
        "PREPARE p AS SELECT 1",
        "EXPLAIN ANALYZE COPY scalars TO '{file}'",
        "explain /* x */ analyze create table mine as select 1",
        "EXPLAIN (FORMAT json) DELETE FROM scalars",
        "-- SELECT\nATTACH '{file}'",
        "/* SELECT */ COPY scalars TO '{file}'",
    ],
)
def test_only_statements_that_read_run(runs: Runs, statement: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    assert code_of(runs, statement.format(file=file)) == "query_not_select"
    assert not file.exists()


@pytest.mark.parametrize(
    "source",
    [
        "read_csv('{file}')",
        "read_text('{file}')",
        "read_blob('{file}')",
        "read_json('{file}')",
        "read_parquet('{file}')",
        "read_csv('https://localhost/x.csv')",
        "glob('{folder}/*')",
        "sniff_csv('{file}')",
        "duckdb_secrets()",
        "sqlite_scan('{file}', 'a')",
    ],
)
def test_files_and_network_are_closed(runs: Runs, source: str, tmp_path: Path) -> None:
    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,2\n")
    assert code_of(runs, f"SELECT * FROM {source.format(file=file, folder=tmp_path)}") == "query_reads_outside"
    inner = f"FROM {source.format(file=file, folder=tmp_path)}".replace("'", "''")
    assert code_of(runs, f"FROM query('{inner}')") == "query_reads_outside"


def test_a_path_is_no_table(runs: Runs, tmp_path: Path) -> None:
    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,2\n")
    assert code_of(runs, f"FROM '{file}'") == "query_reads_outside"
    assert code_of(runs, f"FROM '{file.with_suffix('')}'") == "query_failed"


SECRET = pa.table({"password": ["abc"]})


def test_variables_of_python_are_no_tables(runs: Runs) -> None:
    hidden = SECRET
    assert hidden.num_rows == 1
    assert code_of(runs, "FROM SECRET") == "query_failed"
    assert code_of(runs, "FROM hidden") == "query_failed"


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("", "query_empty"),
        ("  ;; ", "query_empty"),
        ("-- nothing", "query_empty"),
        ("SELECT 1; SELECT 2", "query_several"),
        ("SELECT 1; DROP VIEW scalars", "query_several"),
        ("SELECT ?", "query_parameters"),
        ("SELECT $name", "query_parameters"),
        ("SELEC 1", "query_failed"),
        ("SELECT nothing FROM runs", "query_failed"),
        ("SELECT 'a'::INTEGER", "query_failed"),
        (f"SELECT '{'x' * 100_001}'", "query_too_long"),
    ],
)
def test_other_texts_are_refused(runs: Runs, statement: str, code: str) -> None:
    assert code_of(runs, statement) == code


@pytest.mark.parametrize(
    "statement",
    ["SELECT 1;", "-- a comment\nSELECT 1", "VALUES (1)", "FROM runs", "EXPLAIN SELECT 1", "explain analyze from runs",
     "DESCRIBE runs", "SUMMARIZE metrics", "SHOW TABLES", "WITH a AS (SELECT 1) FROM a", "/* x */ EXPLAIN FROM runs"],
)  # fmt: skip
def test_statements_that_read_run(runs: Runs, statement: str) -> None:
    assert len(runs.sql(statement)) > 0


ENDLESS = (
    "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t",
    "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c",
    "SELECT count(*) FROM scalars a, scalars b, scalars c, scalars d",
)


@pytest.mark.parametrize("statement", ENDLESS)
def test_time_is_bounded(runs: Runs, statement: str) -> None:
    assert code_of(runs, statement, seconds=0.5) == "query_time"


@pytest.mark.parametrize("statement", ENDLESS[:1])
def test_a_check_ends_a_query(runs: Runs, statement: str) -> None:
    class LeftError(Exception):
        pass

    begun = time.monotonic()

    def check() -> None:
        if time.monotonic() - begun > 0.3:
            raise LeftError

    source = SqlSource(runs._catalog, runs.lineage)
    with pytest.raises(LeftError):
        run_query(source, statement, QueryLimits(), check)


@pytest.mark.parametrize(
    "statement",
    ["SELECT list(x) FROM range(100000000) t(x)", "FROM range(100000) a, range(100000) b ORDER BY 1 DESC, 2"],
)
def test_memory_is_bounded(runs: Runs, statement: str) -> None:
    assert code_of(runs, statement, memory_bytes=100 << 20) == "query_memory"


def test_rows_are_bounded_and_it_is_said(runs: Runs) -> None:
    result = runs.sql("FROM range(100000000000)", rows=70_000)
    assert len(result) == 70_000
    assert not result.is_complete
    assert "there are more" in repr(result)
    whole = runs.sql("FROM range(10)", rows=10)
    assert whole.is_complete
    assert "there are more" not in repr(whole)


def test_a_missing_package_is_named(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'mindscope\[query\]'") as caught:
        runs.sql("SELECT 1")
    assert reason_of(caught.value).code == "duckdb_missing"
