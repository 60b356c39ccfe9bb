# SPDX-License-Identifier: Apache-2.0
"""Ranges of NVTX, and calls of CUDA and of the operating system, in an export of Nsight Systems."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.nsight.ids import correlation_of, process_of, thread_of
from mindscope.profile.formats.nsight.row_tables import ROW_TABLES
from mindscope.profile.formats.recorded_runs import ANNOTATION, LAUNCH, OPERATOR, RecordedMarks, RecordedRuns, step_runs
from mindscope.profile.formats.recording import TraceBuilder
from mindscope.profile.formats.scope_names import mapped
from mindscope.profile.formats.sqlite_file import SqliteFile, SqliteRows, named
from mindscope.profile.formats.step_names import NO_STEP, step_numbers
from mindscope.profile.trace.argument_columns import NO_INTEGER
from mindscope.profile.trace.trace import Track
from mindscope.table.columns import TextColumn

_PUSH_POP, _START_END, _MARK = 59, 60, 34
_OTHER = "nvtx"
"""Ranges that mark a step, which another slice stands for."""
_CALLS = {
    "CUPTI_ACTIVITY_KIND_RUNTIME": LAUNCH,
    "OSRT_API": "osrt",
    "CUBLAS_EVENTS": "library",
    "CUDNN_EVENTS": "library",
}
_OPERATOR = re.compile(r"(aten|c10d|torch\w*|prim|quantized|autograd::engine)::|\w+Backward\d*(, |$)", re.ASCII)
_SEQUENCE = re.compile(r", seq = (\d{1,18})")
_SIZES = re.compile(r", sizes = (\[.*?\])(?:, input_op_ids = |$)", re.DOTALL)
_DETAILS = re.compile(r", (?:seq|op_id|sizes|input_op_ids) = ")


class _Threads(NamedTuple):
    """Names of processes and threads."""

    processes: Mapping[int, str]
    threads: Mapping[int, str]
    """Names of threads by ``globalTid``."""


def read_host_tables(file: SqliteFile, strings: Mapping[int, str], to: TraceBuilder) -> None:
    """Adds what the threads of the host did."""
    threads = _threads(file, strings)
    _ranges(file, strings, threads, to)
    for table, category in _CALLS.items():
        rows = file.rows(table, integers=("start", "end", "nameId", "globalTid", "correlationId"))
        if rows is None:
            continue
        is_known = rows.has("start", "end")
        to.skip("no_time", int((~is_known).sum()))
        rows = rows.select(is_known)
        thread = rows.whole("globalTid", 0)
        ids = correlation_of(process_of(thread), rows.whole("correlationId", 0))
        of_device = {"correlation": ids} if category == LAUNCH else {}
        runs = RecordedRuns(
            category=category, start=rows.whole("start"), duration=rows.whole("end") - rows.whole("start"),
            name=mapped(named(rows.whole("nameId"), strings), _without_version),
            track=_tracks(thread, threads, to), integers=of_device,
        )  # fmt: skip
        to.add(ROW_TABLES.located(runs, rows))


def _ranges(file: SqliteFile, strings: Mapping[int, str], threads: _Threads, to: TraceBuilder) -> None:
    rows = file.rows(
        "NVTX_EVENTS", integers=("start", "end", "eventType", "textId", "globalTid", "rangeId"), texts=("text",)
    )
    if rows is None:
        return
    kind = rows.whole("eventType", _PUSH_POP)
    is_range = np.isin(kind, (_PUSH_POP, _START_END))
    to.skip("other_phase", int((~is_range & (kind != _MARK)).sum()))
    to.skip("no_time", int(((is_range | (kind == _MARK)) & ~rows.has("start")).sum()))
    to.skip("unpaired", int((is_range & rows.has("start") & ~rows.has("end")).sum()))
    _marks(rows.select((kind == _MARK) & rows.has("start")), strings, threads, to)
    rows = rows.select(is_range & rows.has("start", "end"))
    name, thread = _texts(rows, strings), rows.whole("globalTid", 0)
    # Ranges of the second kind may overlap in any way.
    track = np.where(
        rows.whole("eventType", _PUSH_POP) == _PUSH_POP,
        _tracks(thread, threads, to),
        _tracks(thread, threads, to, " ranges"),
    )
    duration = rows.whole("end") - rows.whole("start")
    is_operator = name.is_any_of(lambda text: _OPERATOR.match(text) is not None)
    number = np.where(is_operator, NO_STEP, step_numbers(name, np.where(is_operator, 0, duration)))
    runs = RecordedRuns(category=ANNOTATION, start=rows.whole("start"), duration=duration, name=name, track=track)
    whole = ROW_TABLES.located(runs, rows)
    _operators(whole.select(is_operator), to)
    to.add(whole.select(~is_operator & (number == NO_STEP)))
    _steps(whole.select(number != NO_STEP), number[number != NO_STEP], to)


def _operators(runs: RecordedRuns, to: TraceBuilder) -> None:
    """Add ranges of ``torch.autograd.profiler.emit_nvtx``: ``aten::mm, seq = 12, sizes = [[8, 4], [4, 2]]``."""
    sequences = np.array(
        [int(found[1]) if (found := _SEQUENCE.search(text)) else NO_INTEGER for text in runs.name.values], np.int64
    )
    numbers = sequences[runs.name.codes] if len(runs) else np.empty(0, np.int64)
    named_runs = runs.of_category(OPERATOR).named(mapped(runs.name, lambda text: _DETAILS.split(text, maxsplit=1)[0]))
    to.add(named_runs.with_arguments({"Sequence number": numbers}, {"Input Dims": mapped(runs.name, _sizes)}))


def _steps(runs: RecordedRuns, number: NDArray[np.int64], to: TraceBuilder) -> None:
    steps = step_runs(number, runs)
    if runs.name.is_any_of(lambda text: text.startswith("ProfilerStep#")).all():
        to.add(steps.as_read())
    else:
        to.add(runs.of_category(_OTHER))
        to.add(steps)


def _marks(rows: SqliteRows, strings: Mapping[int, str], threads: _Threads, to: TraceBuilder) -> None:
    track = _tracks(rows.whole("globalTid", 0), threads, to)
    to.add_marks(RecordedMarks(time=rows.whole("start"), name=_texts(rows, strings), track=track))


def _texts(rows: SqliteRows, strings: Mapping[int, str]) -> TextColumn:
    """Return the text itself, else that of its number."""
    own, by_number = rows.text("text"), named(rows.whole("textId"), strings)
    if not any(own.values):
        return by_number
    return TextColumn.of(first or second for first, second in zip(own, by_number, strict=True))


def _threads(file: SqliteFile, strings: Mapping[int, str]) -> _Threads:
    processes = file.rows("PROCESSES", integers=("pid|globalPid",), texts=("name",))
    names = file.rows("ThreadNames", integers=("nameId", "globalTid"))
    return _Threads(
        {} if processes is None else dict(zip(processes.whole("pid").tolist(), processes.text("name"), strict=True)),
        {}
        if names is None
        else dict(zip(names.whole("globalTid").tolist(), named(names.whole("nameId"), strings), strict=True)),
    )


def _tracks(global_ids: NDArray[np.int64], names: _Threads, to: TraceBuilder, suffix: str = "") -> NDArray[np.int64]:
    """Return a track for each thread."""
    ids, codes = np.unique(global_ids, return_inverse=True)
    numbers: list[int] = []
    for id, process, thread in zip(ids.tolist(), process_of(ids).tolist(), thread_of(ids).tolist(), strict=True):
        name = names.threads.get(id, "")
        named_thread = f"thread {thread} ({name})" if name else f"thread {thread}"
        process_name = names.processes.get(process, "") or f"process {process}"
        numbers.append(
            to.tracks.number(Track(str(process), f"{thread}{suffix}", process_name, f"{named_thread}{suffix}"))
        )  # fmt: skip
    return np.array(numbers, np.int64)[codes.reshape(-1)] if numbers else np.empty(0, np.int64)


def _without_version(name: str) -> str:
    """Return a name without its version: ``cudaLaunchKernel_v7000`` is ``cudaLaunchKernel``."""
    return re.sub(r"_v\d{4,}(_ptsz|_ptds)?$", "", name)


def _sizes(text: str) -> str:
    found = _SIZES.search(text)
    return found[1] if found else ""
