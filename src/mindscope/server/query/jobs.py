# SPDX-License-Identifier: Apache-2.0
"""The queries of the clients of a viewer: one runs at a time, in a process of its own."""

from __future__ import annotations

from importlib.util import find_spec

from mindscope.errors import MissingPackageError
from mindscope.lru import LRU
from mindscope.reading.sql.limits import QueryLimits
from mindscope.reading.sql.result import QueryResult
from mindscope.reasons import Reason
from mindscope.server.http.context import Viewer
from mindscope.server.http.disconnect import check_connected
from mindscope.server.jobs.background import BackgroundJobs, Worker
from mindscope.server.jobs.task import Outcome, Task, with_problem
from mindscope.server.query.apart import RunsAddress, query_apart
from mindscope.server.query.schema import SqlQuery
from mindscope.settings import DEFAULT_READER_BYTES

MOST_KEPT = 4
MOST_TURNS = 256
BUDGET_S = 0.5
"""A request waits this long for the result."""
PATIENCE_S = 4.0
"""A query for whose result no request came for this time is ended."""
MOST_SECONDS = 30.0
MOST_ROWS = 1_000_000
MOST_BYTES = 1 << 30

_Key = tuple[str, str]


class QueryJobs(BackgroundJobs[_Key, Task[QueryResult]]):
    """The last results by statement and ``request``. For any thread."""

    def __init__(self, viewer: Viewer) -> None:
        super().__init__(MOST_KEPT, Worker("queries"), BUDGET_S, PATIENCE_S)
        settings = viewer.settings
        workspace = viewer.catalog.workspace
        self._catalog = viewer.catalog
        self._turns: LRU[_Key, int] = LRU(MOST_TURNS)
        self._process_bytes = settings.reader_memory or DEFAULT_READER_BYTES
        self._limits = QueryLimits(MOST_ROWS, MOST_SECONDS, min(MOST_BYTES, self._process_bytes // 2))
        self._runs = RunsAddress(
            str(viewer.catalog.base), None if workspace is None else str(workspace), viewer.catalog.cache_bytes,
            settings.follow_links, None if settings.index is None else str(settings.index),
        )  # fmt: skip

    @with_problem
    def outcome(self, query: SqlQuery) -> Outcome[QueryResult]:
        """Return the result of a statement, else its progress; the first request starts it."""
        raise_if_missing()
        key = (query.statement, query.request)
        turn = self._turns.get(key) or 0
        task = self.request(key, turn, lambda: Task(lambda task: self._compute(task, query.statement)))
        if task.value is not None and not query.request:
            self._turns.add(key, turn + 1)  # the next request is to see new data
        return task.outcome

    def _compute(self, task: Task[QueryResult], statement: str) -> QueryResult:
        task.phase = "reading"
        folder = self._catalog.cache_folder
        return query_apart(self._runs, statement, self._limits, self._process_bytes, folder, check_connected)


def jobs_of(viewer: Viewer) -> QueryJobs:
    """Return the queries of a viewer."""
    return viewer.shared(QueryJobs, lambda: QueryJobs(viewer))


def raise_if_missing() -> None:
    """Raises MissingPackageError if a package that queries need is not installed."""
    if find_spec("duckdb") is None:
        raise MissingPackageError(Reason("duckdb_missing"))
    if find_spec("pyarrow") is None:
        raise MissingPackageError(Reason("arrow_missing"))
