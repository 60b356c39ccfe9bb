# SPDX-License-Identifier: Apache-2.0
"""SQL over HTTP: results, files, refusals, limits, many clients at once, clients that leave."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil
import pyarrow.parquet
import pytest

from mindscope.reading import open_runs
from mindscope.reading.sql.schema import TABLES
from tests.reading.sql.sql_runs import ODD_RUN, write_runs

from .live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

COUNT = "SELECT run, count(*) AS points FROM scalars GROUP BY run ORDER BY run"
ENDLESS = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def live(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as viewer:
        eventually(lambda: len(viewer.runs()) == 4 and all(run["tags"] for run in viewer.runs().values()))
        yield viewer


def answer(live: LiveViewer, statement: str, request: str = "") -> dict[str, Any]:
    """The answer with a result or a problem."""

    while True:  # the timeout of the test ends it
        given = live.http.post("/api/query", json={"statement": statement, "request": request})
        assert given.status_code == 200, given.text
        if given.json()["progress"] is None:
            return given.json()
        time.sleep(0.05)


def rows(result: dict[str, Any]) -> list[tuple[Any, ...]]:
    return list(zip(*(column["values"] for column in result["columns"]), strict=True))


def test_the_result_is_that_of_python(live: LiveViewer, base: Path) -> None:
    result = answer(live, COUNT)["result"]
    assert rows(result) == open_runs(base).sql(COUNT).rows()
    assert [column["name"] for column in result["columns"]] == ["run", "points"]
    assert [column["is_number"] for column in result["columns"]] == [False, True]
    assert result["rows"] == 4
    assert result["is_complete"]


def test_numbers_that_are_none_are_texts(live: LiveViewer) -> None:
    quoted = ODD_RUN.replace("'", "''")
    result = answer(live, f"SELECT value FROM scalars WHERE run = '{quoted}' ORDER BY step")["result"]
    assert rows(result) == [("NaN",), ("Infinity",), ("-Infinity",), (2.0,), ("NaN",)]
    big = answer(live, "SELECT 9007199254740993 AS whole, NULL AS missing, [1] AS list")["result"]
    assert rows(big) == [("9007199254740993", None, "[1]")]


def test_all_tables_are_listed_and_can_be_read(live: LiveViewer) -> None:
    listed = live.http.get("/api/query/tables").json()
    assert listed["problem"] is None
    columns = {table["name"]: {each["name"]: each["type"] for each in table["columns"]} for table in listed["tables"]}
    assert columns == {name: dict(table.columns) for name, table in TABLES.items()}
    union = " UNION ALL ".join(f"SELECT '{name}' AS name, count(*) AS n FROM {name}" for name in TABLES)
    counts = dict(rows(answer(live, union)["result"]))
    assert counts["runs"] == 4
    assert counts["alerts"] > 0


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("DROP VIEW runs", "query_not_select"),
        ("SELECT 1; SELECT 2", "query_several"),
        ("FROM read_text('/etc/hostname')", "query_reads_outside"),
        ("FROM nothing", "query_failed"),
        ("SELECT list(x) FROM range(1000000000) t(x)", "query_memory"),
        ("SELECT length(repeat(repeat('x', 1000000000), 1000))", ("query_memory", "query_time")),
    ],
)
def test_problems_have_codes(live: LiveViewer, statement: str, code: str | tuple[str, ...]) -> None:
    given = answer(live, statement)
    assert given["result"] is None
    assert given["problem"]["code"] in (code if isinstance(code, tuple) else (code,))
    assert rows(answer(live, "SELECT 1")["result"]) == [(1,)]  # the viewer lives


def test_files_hold_all_rows(live: LiveViewer) -> None:
    statement = "SELECT i, i / 2 AS half FROM range(20000) t(i) ORDER BY i"
    result = answer(live, statement, "file")["result"]
    assert result["rows"] == 20_000
    assert len(result["columns"][0]["values"]) == 10_000

    def file(format: str) -> httpx.Response | None:
        body = {"statement": statement, "request": "file", "format": format}
        given = live.http.post("/api/query/file", json=body)
        return given if given.status_code != 202 else None

    csv = eventually(lambda: file("csv"))
    assert csv.headers["content-type"].startswith("text/csv")
    assert csv.text.splitlines()[-1] == "19999,9999.5"
    assert len(csv.text.splitlines()) == 20_001
    table = pyarrow.parquet.read_table(io.BytesIO(eventually(lambda: file("parquet")).content))
    assert table["half"].to_pylist()[-1] == 9999.5
    assert len(eventually(lambda: file("json")).json()) == 20_000

    def refused() -> int | None:
        code = live.http.post("/api/query/file", json={"statement": "DROP VIEW a", "format": "csv"}).status_code
        return code if code != 202 else None

    assert eventually(refused) == 409


@pytest.mark.scale
def test_fifty_queries_at_once(live: LiveViewer) -> None:
    with ThreadPoolExecutor(50) as threads:
        results = list(threads.map(lambda n: answer(live, f"SELECT {n} AS n, count(*) FROM runs", str(n)), range(50)))
        runs = [live.http.get("/api/runs").status_code for _ in range(5)]
    assert [rows(given["result"])[0] for given in results] == [(n, 4) for n in range(50)]
    assert runs == [200] * 5


def test_a_query_that_nobody_asks_for_ends(live: LiveViewer) -> None:
    body = {"statement": ENDLESS, "request": "left"}
    assert live.http.post("/api/query", json=body).json()["progress"] is not None
    eventually(lambda: children(live) != [])
    eventually(lambda: children(live) == [])
    assert rows(answer(live, "SELECT 2")["result"]) == [(2,)]


def children(live: LiveViewer) -> list[psutil.Process]:
    running = psutil.Process(live.process.pid).children(recursive=True)
    return [process for process in running if "limited_process" in command_of(process)]


def command_of(process: psutil.Process) -> str:
    """The command line; empty of a process that has just ended."""
    try:
        return " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return ""


def test_results_follow_a_run_that_grows(growing: GrowingLog, tmp_path: Path) -> None:
    statement = "SELECT count(*) FROM scalars"
    growing.scalar(1, 1.0)
    growing.scalar(2, 2.0)
    with running_viewer(growing.path.parent.parent, tmp_path / "viewer") as live:
        assert rows(answer(live, statement)["result"]) == [(2,)]
        kept = answer(live, statement, "same")["result"]
        growing.scalar(3, 3.0)
        assert rows(answer(live, statement)["result"]) == [(3,)]
        assert answer(live, statement, "same")["result"] == kept
