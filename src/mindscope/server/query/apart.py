# SPDX-License-Identifier: Apache-2.0
"""Runs a query in a process of its own, so that no statement harms or outlives the viewer.

A function of the engine may take more memory or time than its bounds before it looks at them: ``repeat('x', 1 << 40)``.
The process opens the runs from the cache of the viewer, and leaves the result in a file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from mindscope.errors import FormatError, MindscopeError, MissingPackageError, QueryError
from mindscope.ingest import Catalog
from mindscope.limited_process import READER_LIMITS, Report, result_folder, run_limited
from mindscope.reading.open import directory_of
from mindscope.reading.runs import Runs
from mindscope.reading.sql.limits import QueryLimits, SqlSource
from mindscope.reading.sql.query import run_query
from mindscope.reading.sql.result import QueryResult
from mindscope.reasons import Reason, reason_from_json, reason_of, reason_to_json
from mindscope.table.frames import pyarrow_module

_RESULT = "result.arrow"
_SPARE_S = 15.0
"""Seconds for opening the runs, and for a function that ignores the end of its time."""


@dataclass(frozen=True, slots=True)
class RunsAddress:
    """How another process opens the runs of a viewer."""

    base: str
    workspace: str | None
    cache_bytes: int
    follow_links: bool
    index: str | None = None


def query_apart(
    runs: RunsAddress,
    statement: str,
    limits: QueryLimits,
    process_bytes: int,
    folder: Path | None,
    watch: Callable[[], None],
) -> QueryResult:
    """Run a statement as ``run_query``, in a process that may have ``process_bytes`` of memory.

    ``folder`` has room for the result; ``watch`` is called several times a second, what it raises ends the process.
    """
    arrow, messages = pyarrow_module(), list[Mapping[str, Any]]()
    with result_folder(folder) as made:
        arguments = {"runs": asdict(runs), "statement": statement, "limits": asdict(limits), "folder": str(made)}
        try:
            run_limited(
                run_into, arguments, file="SQL", memory_bytes=process_bytes, on_message=messages.append, watch=watch,
                most_seconds=limits.seconds + _SPARE_S,
            )  # fmt: skip
        except FormatError as error:
            raise _as_query_error(error, limits) from None
        message = messages[-1]
        if "problem" in message:
            failure = MissingPackageError if message["is_missing"] else QueryError
            raise failure(reason_from_json(message["problem"]))
        with arrow.memory_map(str(made / _RESULT)) as file:
            table = arrow.ipc.open_file(file).read_all()
    return QueryResult(table, message["is_complete"], message["seconds"], tuple(message["problems"]))


def _as_query_error(error: FormatError, limits: QueryLimits) -> MindscopeError:
    code = reason_of(error).code
    if code == "reader_too_slow":
        return QueryError(Reason("query_time", seconds=limits.seconds))
    if code in READER_LIMITS:
        return QueryError(Reason("query_memory", detail=str(error)))
    return error


class _NoPandas(MetaPathFinder):
    """Hides pandas from pyarrow, which imports it where it is installed: that takes half of the time of a query."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """Raises ModuleNotFoundError for pandas."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)


def run_into(
    runs: Mapping[str, Any], statement: str, limits: Mapping[str, Any], folder: str, report: Report
) -> None:  # fmt: skip
    """In the process: run a statement, and write its result into a folder."""
    sys.meta_path.insert(0, _NoPandas())
    opened = RunsAddress(**runs)
    workspace = None if opened.workspace is None else Path(opened.workspace)
    index = None if opened.index is None else Path(opened.index)
    catalog = Catalog(
        directory_of(opened.base), workspace, opened.cache_bytes, follow_links=opened.follow_links, index=index
    )
    catalog.refresh()
    try:
        result = run_query(SqlSource(catalog, Runs(catalog).lineage), statement, QueryLimits(**limits))
    except (QueryError, MissingPackageError) as error:
        report({"problem": reason_to_json(reason_of(error)), "is_missing": isinstance(error, MissingPackageError)})
        return
    arrow: Any = pyarrow_module()
    table = result.to_arrow()
    with arrow.OSFile(str(Path(folder) / _RESULT), "wb") as file, arrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    report(cast(
        "dict[str, Any]",
        {"is_complete": result.is_complete, "seconds": result.seconds, "problems": list(result.problems)},
    ))  # fmt: skip
