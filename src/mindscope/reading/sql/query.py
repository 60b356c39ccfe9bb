# SPDX-License-Identifier: Apache-2.0
"""Runs one statement of SQL over the runs of a catalog, by DuckDB, within bounds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import copy_context
from importlib import import_module
from typing import Any

from mindscope.errors import MindscopeError, MissingPackageError, QueryError
from mindscope.reading.sql.limits import QueryLimits, SqlContext, SqlSource
from mindscope.reading.sql.result import QueryResult
from mindscope.reading.sql.statement import check_statement, failure_of
from mindscope.reasons import Reason
from mindscope.table.frames import pyarrow_module

_LOOK_S = 0.05
_BATCH_ROWS = 1 << 16
_OPTIONS = {
    "temp_directory": "",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
}
"""Nothing is written to a disk, and nothing is fetched."""
_LOCK = (
    "SET python_enable_replacements=false",  # names of variables in Python are no tables
    "SET enable_external_access=false",
    "SET lock_configuration=true",
)


def run_query(
    source: SqlSource, text: str, limits: QueryLimits | None = None, check: Callable[[], None] = lambda: None
) -> QueryResult:
    """Run one SELECT, EXPLAIN or DESCRIBE statement; only tables and columns that it reads are made.

    Args:
        source: the runs.
        text: the statement.
        limits: of the query; further rows are left out, other limits raise.
        check: called several times a second; what it raises ends the query.

    Raises:
        QueryError: the statement is refused, it failed, or it exceeded a limit.
        MissingPackageError: DuckDB or pyarrow is not installed.
    """
    duckdb = _duckdb()
    limits = limits or QueryLimits()
    connection = duckdb.connect(":memory:", config={**_OPTIONS, "memory_limit": f"{limits.memory_bytes}B"})
    try:
        return _run(connection, source, text, limits, check)
    finally:
        connection.close()


def _run(connection: Any, source: SqlSource, text: str, limits: QueryLimits, check: Callable[[], None]) -> QueryResult:
    watch = _Watch(connection, limits.seconds, check)
    problems: list[str] = []
    tables = _tables(source, watch.raise_error, problems.append)
    for name, table in tables.items():
        connection.register(name, table)
    for statement in _LOCK:
        connection.execute(statement)
    check_statement(connection, text)
    started = time.monotonic()
    try:
        with watch.running():
            arrow, is_whole = _rows(connection, text, limits)
    except Exception as error:
        raise _cause(error, watch, tables.values()) from None
    return QueryResult(arrow, is_whole, time.monotonic() - started, tuple(dict.fromkeys(problems)))


def _duckdb() -> Any:
    pyarrow_module()
    try:
        return import_module("duckdb")
    except ImportError as error:
        raise MissingPackageError(Reason("duckdb_missing")) from error


def _tables(source: SqlSource, check: Callable[[], None], report: Callable[[str], None]) -> dict[str, Any]:
    from mindscope.reading.sql.sources import sql_tables  # it needs pyarrow

    return dict(sql_tables(SqlContext(source, check, report)))


def _rows(connection: Any, text: str, limits: QueryLimits) -> tuple[Any, bool]:
    """Return the first rows, and whether they are all."""
    pyarrow = pyarrow_module()
    reader = connection.sql(text).to_arrow_reader(_BATCH_ROWS)
    batches: list[Any] = []
    rows = size = 0
    for batch in reader:
        size += batch.nbytes
        if size > limits.memory_bytes:
            raise QueryError(Reason("query_memory", detail=f"the result has more than {limits.memory_bytes} bytes"))
        batches.append(batch)
        rows += batch.num_rows
        if rows > limits.rows:
            break
    table = pyarrow.Table.from_batches(batches, reader.schema)
    return table.slice(0, limits.rows), rows <= limits.rows


def _cause(error: Exception, watch: _Watch, tables: Any) -> Exception:
    """Return what ended a query: the watch, a part that could not be made, or the engine."""
    if watch.error is not None:
        return watch.error
    made = next((table.error for table in tables if table.error is not None), None)
    if isinstance(made, MindscopeError | OSError | MemoryError):
        return made
    return error if isinstance(error, MindscopeError) else failure_of(made or error)


class _Watch:
    """A thread that ends a query after its time, or when ``check`` raises."""

    def __init__(self, connection: Any, seconds: float, check: Callable[[], None]) -> None:
        self._connection, self._seconds, self._check = connection, seconds, check
        self._is_over = threading.Event()
        self.error: Exception | None = None

    @contextmanager
    def running(self) -> Generator[None]:
        """Watch the query of the block."""
        thread = threading.Thread(target=copy_context().run, args=(self._watch,), name="query-watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            thread.join()

    def raise_error(self) -> None:
        """Raise the reason why the query is to end, if there is one."""
        if self.error is not None:
            raise self.error

    def _watch(self) -> None:
        deadline = time.monotonic() + self._seconds
        while not self._is_over.wait(_LOOK_S):
            if self.error is None:
                self.error = self._reason(deadline)
            if self.error is not None:
                self._connection.interrupt()  # again: a query that has not begun forgets it

    def _reason(self, deadline: float) -> Exception | None:
        try:
            self._check()
        except Exception as error:
            return error
        is_late = time.monotonic() > deadline
        return QueryError(Reason("query_time", seconds=self._seconds)) if is_late else None
