# SPDX-License-Identifier: Apache-2.0
"""The tables of profiles, of statistics of tensors and of logs, run by run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from mindscope.analysis.ranks import RankGroups
from mindscope.debug.logs.line_heads import Severity
from mindscope.debug.logs.log_files import SECOND_NS, LogFiles
from mindscope.debug.model.fields import FIELDS
from mindscope.errors import FormatError, MindscopeError
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.texts import Missing
from mindscope.reading.debug import RecordedSource, has_statistics
from mindscope.reading.profiles import RunProfiles
from mindscope.reading.sql.limits import SqlContext
from mindscope.reading.sql.partitions import Columns, SqlPart
from mindscope.reading.training_logs import TrainingLogs
from mindscope.store import RunStore
from mindscope.store.file_facts import readable
from mindscope.table.columns import TextColumn, array_of
from mindscope.table.schema import Unit
from mindscope.table.table import Table

_MESSAGES = 1 << 14

Report = Callable[[str], None]
"""Takes what can't be read, and why."""


def operator_parts(context: SqlContext) -> list[SqlPart]:
    """Return a part for each run: the operators of all of its profiles."""
    return _profile_parts(Part.OPERATORS, context)


def kernel_parts(context: SqlContext) -> list[SqlPart]:
    """Return a part for each run: the kernels of all of its profiles."""
    return _profile_parts(Part.KERNELS, context)


def statistics_parts(context: SqlContext) -> list[SqlPart]:
    """Return a part for each run into which a Debugger recorded."""
    recorded = ((id, store) for id, store in context.source.catalog.runs.items() if has_statistics(store))
    return [SqlPart((readable(id),), partial(_of_tensors, store, context.report)) for id, store in recorded]


def log_parts(context: SqlContext) -> list[SqlPart]:
    """Return a part for each training: the first of its ranks has the logs of all."""
    runs = context.source.catalog.runs
    groups, logs = RankGroups(runs), TrainingLogs(runs)
    firsts = ((id, store) for id, store in runs.items() if groups.of(store)[0] is store)
    return [SqlPart((readable(id),), partial(_of_logs, store, logs, context.report)) for id, store in firsts]


def _profile_parts(part: Part, context: SqlContext) -> list[SqlPart]:
    runs = context.source.catalog.runs
    return [SqlPart((readable(id),), partial(_of_profiles, part, store, context.report)) for id, store in runs.items()]


def _of_profiles(part: Part, store: RunStore, report: Report, names: Sequence[str]) -> Iterator[Columns]:
    profiles = RunProfiles(store.path)
    for number, path in enumerate(profiles.paths):
        name = readable(os.path.relpath(path, store.path))
        try:
            table = _rows_of(profiles[number], part)
        except (MindscopeError, OSError) as error:
            report(f"{readable(store.id)}/{name}: {error}")
            continue
        if table is not None and len(table):
            yield _chosen(table, {"profile": name}, names)


def _rows_of(profile: Profile, part: Part) -> Table | None:
    made: Any = profile.part(part)
    return None if isinstance(made, Missing) else made


def _chosen(table: Table, constants: Mapping[str, str], names: Sequence[str]) -> Columns:
    """Return columns as arrays; of one that the format does not record, nulls; the number of no step is null."""
    columns, count = table.columns(), len(table)
    return {name: _cells(columns, name, constants, count) for name in names}


def _cells(columns: Mapping[str, Any], name: str, constants: Mapping[str, str], count: int) -> Any:
    if name in constants:
        return [constants[name]] * count
    column = columns.get(name, columns.get(name.removesuffix("_ns").removesuffix("_bytes")))
    if column is None:
        return [None] * count
    if name == "step":
        return [None if step < 0 else step for step in array_of(column, Unit.STEP).tolist()]
    if isinstance(column, TextColumn):
        return [readable(text) for text in column]
    return column


def _of_tensors(store: RunStore, report: Report, names: Sequence[str]) -> Iterator[Columns]:
    try:
        source = RecordedSource([store])
    except MindscopeError as error:
        report(f"{readable(store.id)}: {error}")
        return
    for rank in source.ranks:
        for step in source.steps(rank):
            try:
                statistics = source.at(step, rank)
            except (FormatError, MindscopeError, OSError) as error:
                report(f"{readable(store.id)}, step {step}: {error}")
                continue
            tensors: list[Any] = [source.tensors[number] for number in statistics.tensor.tolist()]
            if not tensors:
                continue
            rows = len(tensors)
            columns: dict[str, Any] = {
                "rank": np.full(rows, rank), "step": np.full(rows, step), "order": statistics.order.astype(np.int64),
                **{str(field): np.ascontiguousarray(statistics.column(field)) for field in FIELDS},
            }  # fmt: skip
            for name in set(names) - set(columns):
                columns[name] = [_text(getattr(tensor, name)) for tensor in tensors]
            yield {name: columns[name] for name in names}


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return readable(str(list(cast("tuple[int, ...]", value))) if isinstance(value, tuple) else str(value))


def _of_logs(store: RunStore, trainings: TrainingLogs, report: Report, names: Sequence[str]) -> Iterator[Columns]:
    logs = LogFiles(list(trainings.of(store).items()), None)
    logs.refresh()
    while not logs.is_complete:
        logs.run_step()
    for file in logs.files:
        if file.error is not None:
            report(f"{readable(store.id)}/{file.name}: {file.error}")
            continue
        for start in range(0, len(file.index), _MESSAGES):
            numbers = np.arange(start, min(start + _MESSAGES, len(file.index)))
            try:
                times = file.wall_times(numbers).tolist()
                messages = list(file.index.messages(numbers))
            except OSError as error:
                report(f"{readable(store.id)}/{file.name}: {error}")
                break
            columns: dict[str, Any] = {
                "file": [file.name] * len(messages),
                "message": [message.row for message in messages],
                "wall_time": [time / SECOND_NS if time else None for time in times],
                "severity": [Severity(message.level).name.lower() for message in messages],
                "module": [readable(message.module) for message in messages],
                "rank": [message.rank if message.rank >= 0 else None for message in messages],
                "text": [readable(message.text) for message in messages],
            }
            yield {name: columns[name] for name in names}
