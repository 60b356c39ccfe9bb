# SPDX-License-Identifier: Apache-2.0
"""What is known of failed trainings, as messages."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from mindscope.debug.formats.flight_recorder import Collective, FlightRecord
from mindscope.debug.formats.running_data_directory import RunningData, TextTable, read_running_data
from mindscope.debug.logs.crash import Crash
from mindscope.ingest import Catalog
from mindscope.reading.debugging_data import BASE_ID, path_name
from mindscope.reading.failures import FailurePaths, find_failures, read_failures
from mindscope.reading.training_logs import TrainingLogs, crashes_of, is_unclosed
from mindscope.server.debugger.failures_schema import (
    DebugCollective,
    DebugCrash,
    DebugCrashError,
    DebugFailureAnswer,
    DebugFailureEntry,
    DebugFailureFile,
    DebugFailuresAnswer,
    DebugFlightRank,
    DebugMismatch,
    DebugTextTable,
)
from mindscope.server.debugger.sources import SourceNotFoundError
from mindscope.server.http.disconnect import check_connected
from mindscope.server.http.run_stores import trainings_of
from mindscope.server.http.schema import ReasonEntry
from mindscope.store import RunStore

_MOST_ROWS = 500
_MOST_LAST = 5
_MOST_MISMATCHES = 500
_MOST_CRASHES = 64
_MOST_TEXT = 1 << 16


def list_failures(catalog: Catalog, runs: Iterable[str]) -> DebugFailuresAnswer:
    """Return those of runs, and of the other ranks of their trainings."""
    answer = DebugFailuresAnswer(
        crashes=[], logs=0, unclosed=[], failures=[], ranks=[], mismatches=[], problems=[]
    )  # fmt: skip
    logs = TrainingLogs(catalog.runs)
    for store, ranks in trainings_of(catalog, runs):
        _add(answer, ranks)
        _add_crashes(answer, store, ranks, logs)
    return answer


def _add_crashes(
    answer: DebugFailuresAnswer, store: RunStore, ranks: Sequence[RunStore], trainings: TrainingLogs
) -> None:  # fmt: skip
    check_connected()
    logs = trainings.of(store)
    answer.logs += len(logs)
    answer.crashes += [_crash(store.id, name, found) for name, found in crashes_of(logs, ranks)[:_MOST_CRASHES]]
    answer.unclosed += [rank.id for rank in ranks if is_unclosed(rank, time.time())]


def _crash(run: str, name: str, found: Crash) -> DebugCrash:
    return DebugCrash(
        run=run,
        file=name,
        rank=found.rank if found.rank >= 0 else None,
        kind=found.kind,
        errors=[DebugCrashError(error=error.error, line=error.line) for error in found.errors],
        text=found.text[:_MOST_TEXT],
        before=list(found.before),
        is_memory=found.is_memory,
        wall_time=found.modified_at,
    )


def _add(answer: DebugFailuresAnswer, stores: Sequence[RunStore]) -> None:
    paths, runs = FailurePaths(), dict[Path, RunStore]()
    for store in stores:
        with suppress(OSError):
            own = _paths_of(store)
            paths.running_data += own.running_data
            paths.flight_records += own.flight_records
            runs |= dict.fromkeys(own.running_data, store)
    failures = read_failures(paths, check_connected)
    answer.failures += [
        DebugFailureEntry(
            run=runs[each.path].id, source=path_name(each.path, Path(runs[each.path].path)), rank=each.rank,
            error=each.error,
        )
        for each in failures.running_data
    ]  # fmt: skip
    answer.ranks += [_flight_rank(flight_record) for flight_record in failures.flight_records]
    answer.mismatches += [
        DebugMismatch(
            kind=mismatch.kind, group=mismatch.group, sequence=mismatch.sequence, values=dict(mismatch.values)
        )
        for mismatch in failures.mismatches[:_MOST_MISMATCHES]
    ]
    answer.problems += failures.problems


def _paths_of(store: RunStore) -> FailurePaths:
    return find_failures(Path(store.path), has_beside=store.id != BASE_ID)


def _flight_rank(record: FlightRecord) -> DebugFlightRank:
    last = [_collective(collective) for collective in record.collectives[-_MOST_LAST:]]
    return DebugFlightRank(
        rank=record.rank, version=record.version, collectives=record.count, skipped=record.skipped, last=last
    )


def _collective(each: Collective) -> DebugCollective:
    return DebugCollective(
        group=each.group_description or each.group,
        sequence=each.sequence,
        operation=each.operation,
        state=each.state,
        input_sizes=[list(sizes) for sizes in each.input_sizes],
        stack=list(each.stack),
    )


def failure_answer(catalog: Catalog, run: str, source: str) -> DebugFailureAnswer:
    """Return the running data of a rank. Raises SourceNotFoundError, RunNotFoundError, OSError."""
    store = catalog.run(run)
    directory = Path(store.path)
    path = next((each for each in _paths_of(store).running_data if path_name(each, directory) == source), None)
    if path is None:
        raise SourceNotFoundError(run, source)
    return _answer(read_running_data(path))


def _answer(found: RunningData) -> DebugFailureAnswer:
    culprit = found.culprit
    return DebugFailureAnswer(
        error=found.error,
        phase=str(culprit.get("phase", "")),
        module=str(culprit.get("module", "")),
        type=str(culprit.get("type", "")),
        call=str(culprit.get("call", "")),
        lines=[str(each) for each in _list(culprit.get("lines"))],
        not_finite=_tensor_text(culprit.get("first_not_finite")),
        facts=dict(_facts({**found.state, **found.memory})),
        exception=found.exception,
        stacks=found.stacks,
        statistics=_table(found.statistics),
        order=_table(found.order),
        memory_history=_table(found.memory_history),
        nodes=_table(_text_table(("number", "node", "stream", "graph"), found.nodes)),
        addresses=_table(_text_table(("operator", "part", "address", "bytes"), found.addresses)),
        files=[DebugFailureFile(name=file.name, size_bytes=file.size_bytes) for file in found.files],
        problems=[ReasonEntry.of(problem) for problem in found.problems.values()],
    )


def _text_table(columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> TextTable:
    return TextTable(columns, [[str(cell) for cell in row] for row in rows])


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _tensor_text(value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    tensor = cast("Mapping[str, Any]", value)
    return " ".join(str(tensor[name]) for name in ("kind", "name", "dtype", "shape") if name in tensor)


def _facts(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if value is not None:
            yield str(name), value if isinstance(value, str) else json.dumps(value)


def _table(table: TextTable) -> DebugTextTable:
    rows = [list(row) for row in table.rows[:_MOST_ROWS]]
    return DebugTextTable(columns=list(table.columns), rows=rows, total=len(table.rows))
