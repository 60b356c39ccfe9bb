# SPDX-License-Identifier: Apache-2.0
"""Steps of ``step_trace_time.csv``."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.csv_table import CsvTable
from mindscope.profile.formats.json_values import whole_numbers
from mindscope.profile.tables.steps import Steps
from mindscope.profile.trace.trace import Trace
from mindscope.table.columns import Column, TextColumn
from mindscope.table.schema import SUM, ColumnField, Unit

_MARK = re.compile(r"(?:ProfilerStep#|Step |step)(\d+)")
_LONGEST = 7 * 86_400 * 1_000_000_000
"""Nanoseconds, as of slices."""
_EXTRA = {"Stage": "stage", "Bubble": "bubble", "Preparing": "preparing"}
STEP_PARTS: Mapping[str, ColumnField] = dict.fromkeys(_EXTRA.values(), ColumnField(Unit.NS, SUM))
"""Times of a step that only Ascend has."""


def steps_of(table: CsvTable, trace: Trace | None) -> Steps | None:
    """Return the steps; None if the file has no row.

    Free time is ``idle``, what communicates while computing is ``overlapped``. A step lasts as long as its parts: the
    column Stage of one version of MindSpore is computed from other rows. Steps without a mark in the trace follow
    each other.

    Raises:
        KeyError: the file has no column Computing.
    """
    if table.nanoseconds("Computing") is None:
        raise KeyError(f"no column Computing, it has {', '.join(table.names) or 'none'}")
    if not len(table):
        return None
    compute = _part(table, "Computing")
    alone = _part(table, "Communication(Not Overlapped)")
    idle = _part(table, "Free")
    duration = compute + alone + idle
    number = _numbers(table, len(compute))
    extra: dict[str, Column] = {
        name: found for column, name in _EXTRA.items() if (found := table.nanoseconds(column)) is not None
    }
    steps = Steps(
        number=number,
        start=_starts(number, duration, trace),
        duration=duration,
        compute=compute,
        communication=alone,
        idle=idle,
        overlapped=table.nanoseconds("Overlapped"),
        extra=extra,
        extra_fields=STEP_PARTS,
    )
    return steps.select(np.argsort(steps.start, kind="stable"))


def step_marks(trace: Trace) -> dict[int, tuple[int, int]]:
    """Number of each step that the trace marks -> its start and duration; the longest range counts."""
    found: dict[int, tuple[int, int]] = {}
    codes = {code: int(match[1]) for code, name in enumerate(trace.names) if (match := _MARK.fullmatch(name))}
    rows = np.flatnonzero(np.isin(trace.slices.name, list(codes)))
    for row in rows.tolist():
        number = codes[int(trace.slices.name[row])]
        mark = int(trace.slices.start[row]), int(trace.slices.duration[row])
        if number not in found or mark[1] > found[number][1]:
            found[number] = mark
    return found


def step_names(ids: NDArray[np.float64], steps: Steps) -> TextColumn | None:
    """Return the step of each row by its id; None if ids are not those of the steps.

    As many ids as steps are those of the profiler, in their order, where the steps have the numbers of the run.
    """
    known = np.isfinite(ids)
    in_file = np.unique(whole_numbers(ids[known]))
    numbers = steps.number[np.argsort(steps.start, kind="stable")]
    if not len(in_file):
        return None
    if np.isin(in_file, numbers).all():
        numbers = in_file
    elif len(in_file) != len(numbers):
        return None
    index = np.searchsorted(in_file, np.where(known, whole_numbers(ids), in_file[0]))
    return TextColumn(np.where(known, index + 1, 0).astype(np.uint32), ["", *map(str, numbers.tolist())])


def _numbers(table: CsvTable, count: int) -> NDArray[np.int64]:
    """Return the numbers in the file; that of a training without marks has one row without a number."""
    numbers = table.numbers("Step")
    if numbers is None or not np.isfinite(numbers).all():
        return np.arange(count, dtype=np.int64)
    return whole_numbers(numbers)


def _starts(number: NDArray[np.int64], duration: NDArray[np.int64], trace: Trace | None) -> NDArray[np.int64]:
    marks = {} if trace is None else step_marks(trace)
    if all(each in marks for each in number.tolist()):
        return np.array([marks[each][0] for each in number.tolist()], np.int64)
    order = np.argsort(number, kind="stable")
    starts = np.zeros(len(number), np.int64)
    starts[order] = np.cumsum(duration[order]) - duration[order]
    return starts


def _part(table: CsvTable, name: str) -> NDArray[np.int64]:
    """Return the nanoseconds of a part of each step; of a damaged file none is negative, and their sums are finite."""
    found = table.nanoseconds(name)
    return np.zeros(len(table), np.int64) if found is None else np.clip(found, 0, _LONGEST)
