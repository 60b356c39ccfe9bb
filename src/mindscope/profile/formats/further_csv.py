# SPDX-License-Identifier: Apache-2.0
"""CSV files that are shown as they are: columns with the names and units of their headers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.csv_table import CsvTable
from mindscope.profile.formats.json_values import bounded
from mindscope.profile.trace.trace import Counter, Track
from mindscope.table.columns import Column, TextColumn
from mindscope.table.table import Table

_NOTHING = ("", "-", "--", "n/a", "na", "nan", "null", "none")
_LARGEST = 2**53
_TIME = "timestamp"
_KEYS = ("id", "ptr", "port", "funcid", "deviceid")
"""Ends of names of columns whose numbers are no quantities."""
_BYTES = {"kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
_MOST_COUNTERS = 64
_DAY_NS = 86_400 * 10**9


def further_table(table: CsvTable) -> Table | None:
    """Return the table with typed columns: whole numbers, numbers (NaN for ``N/A``), texts; None without rows."""
    if not len(table):
        return None
    columns: dict[str, Column] = {}
    for index, name in enumerate(table.names):
        if name or any(table.column(index)):
            columns[_unique(name or f"column {index + 1}", columns)] = _typed(table.column(index))
    return Table(extra=columns)


def counters_of_table(name: str, table: CsvTable, track: int, trace_range: tuple[int, int]) -> Iterator[Counter]:
    """Yield the quantities of a table whose rows have a time, as counters; none of a table without times.

    Args:
        name: of the table.
        table: the rows.
        track: of the counters in their trace.
        trace_range: first and last nanosecond of the trace; times of another clock are no counters.
    """
    times = table.nanoseconds(*[each for each in table.names if _bare(each).startswith(_TIME)][:1], unit="us")
    if times is None or not len(times):
        return
    if times.min() < trace_range[0] - _DAY_NS or times.max() > trace_range[1] + _DAY_NS:
        return
    typed = {each: _typed(table.column(index)) for index, each in enumerate(table.names)}
    texts = [column for each, column in typed.items() if isinstance(column, TextColumn) and not _is_key(each)]
    keys = [each for each in typed if _is_key(each) and not isinstance(typed[each], TextColumn)]
    labels = _labels(texts, [(key, typed[key]) for key in keys], len(times))
    made = 0
    for label in dict.fromkeys(labels):
        rows = np.array([row for row, each in enumerate(labels) if each == label])
        order = rows[np.argsort(times[rows], kind="stable")]
        for each, column in typed.items():
            if (
                isinstance(column, TextColumn)
                or each in keys
                or _bare(each).startswith(_TIME)
                or made >= _MOST_COUNTERS
            ):
                continue
            values = column[order].astype(np.float64)
            inside = np.isfinite(values)
            if inside.any():
                made += 1
                yield _samples(name, each, label, track, times[order][inside] - trace_range[0], values[inside])


def samples_track(name: str) -> Track:
    """Return the row of the timeline of the counters of a table."""
    return Track("Samples", name, "Samples of the hardware", name, 1_000)


def _samples(
    table: str, column: str, label: str, track: int, times: NDArray[np.int64], values: NDArray[np.float64]
) -> Counter:
    """Return sizes in bytes; other quantities with the unit in their name."""
    bare, _, unit = column.partition("(")
    scale = _BYTES.get(unit.rstrip(")").lower())
    title = " ".join(part for part in (table, label, bare.strip() if scale else column) if part)
    return Counter(title, track, times, values * scale if scale else values, "bytes" if scale else "")


def _labels(texts: Sequence[TextColumn], keys: Sequence[tuple[str, Column]], count: int) -> list[str]:
    """Return what distinguishes the series of a table: texts, and ids that differ."""
    found: list[list[str]] = [list(column) for column in texts]
    for name, column in keys:
        assert not isinstance(column, TextColumn)
        if len(np.unique(column)) > 1:
            found.append([f"{name} {value:g}" for value in column.tolist()])
    return [" ".join(parts) for parts in zip(*found, strict=True)] if found else [""] * count


def _typed(cells: Sequence[str]) -> Column:
    values = [None if cell.lower() in _NOTHING else _number(cell) for cell in cells]
    known = [value for cell, value in zip(cells, values, strict=True) if cell.lower() not in _NOTHING]
    if not known or any(value is None for value in known):
        return TextColumn.of(cells)
    if len(known) == len(cells) and all(
        value is not None and value.is_integer() and abs(value) < _LARGEST for value in values
    ):
        return np.array(values, np.int64)
    if all(cell.isdecimal() and len(cell) > 15 for cell in cells):
        return TextColumn.of(cells)  # ids that a float64 can't hold
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _number(cell: str) -> float | None:
    try:
        return bounded(float(cell))
    except ValueError:
        return None


def _is_key(name: str) -> bool:
    return _bare(name).endswith(_KEYS)


def _bare(name: str) -> str:
    return "".join(letter for letter in name.partition("(")[0].lower() if letter.isalnum())


def _unique(name: str, known: dict[str, Column]) -> str:
    number, found = 2, name
    while found in known:
        found, number = f"{name} {number}", number + 1
    return found
