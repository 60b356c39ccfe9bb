# SPDX-License-Identifier: Apache-2.0
"""Reads the bytes of one file into rows by series: like ``dialects.locate``, but fast enough for millions of events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats import mindspore, tensorboard
from mindscope.formats._scan import BROKEN_METADATA, EVENT_FIELD, METADATA_KIND, SCALAR_KIND, EventColumns
from mindscope.formats.barrier import as_format_error
from mindscope.formats.block_allocator import BlockAllocator
from mindscope.formats.dialects import decode, locate
from mindscope.formats.frames import FRAME_HEADER, FRAME_OVERHEAD, FrameReader
from mindscope.formats.kinds import REFINED_KINDS, refined_kind
from mindscope.formats.step_ranges import StepRanges
from mindscope.formats.time_range import EMPTY_RANGE, TimeRange
from mindscope.types import DialectName, Kind, Undecodable

Columns = dict[str, NDArray[Any]]
Purges = list[tuple["Purge", dict[tuple[Kind, str], int]]]

MAX_PURGES = 100
"""Purges of one section that count; a training writes one when it starts. The limit bounds the work for odd files."""


class Purge(NamedTuple):
    """The start of a session at ``step``: older points at this and later steps are outdated, as in TensorBoard.

    ``purge_step`` of the writers of PyTorch and tensorboardX makes it; ``wall_time`` is in seconds since 1970.
    """

    step: int
    wall_time: float


@dataclass(slots=True)
class Scanned:
    """Rows of one section of a file, by series, each in file order.

    ``scalars[tag]`` has columns step int64, wall_time float64 and value, which is float32, or float64 if one of the
    values does not fit float32. ``references[kind, tag]`` has step, wall_time, and offset and length int64.
    ``time_range`` covers all of these. ``undecodable`` lists payloads that are not events, and values and metadata that
    can't be decoded. ``purges`` lists the session starts, each with the count of rows before it, by series.
    ``stopped_at`` is the offset after the last session stop, None without one.
    """

    records: int = 0
    scalars: dict[str, Columns] = field(default_factory=dict[str, Columns])
    references: dict[tuple[Kind, str], Columns] = field(default_factory=dict[tuple[Kind, str], Columns])
    time_range: TimeRange = EMPTY_RANGE
    undecodable: list[Undecodable] = field(default_factory=list[Undecodable])
    purges: Purges = field(default_factory=Purges)
    stopped_at: int | None = None

    @property
    def size_bytes(self) -> int:
        """Memory of the columns; a column that several series share counts once."""
        columns = {
            id(column): column.nbytes
            for series in (self.scalars, self.references)
            for rows in series.values()
            for column in rows.values()
        }
        return sum(columns.values())


class ScanBuffers:
    """Memory and columns that scanners of one thread reuse for many files."""

    def __init__(self, step_ranges: StepRanges | None = None) -> None:
        self.columns = EventColumns()
        self.allocator = BlockAllocator()
        self.step_ranges = step_ranges or StepRanges()


class EventScanner:
    """Scans one file, chunk by chunk, until ``take`` returns the rows.

    ``kinds`` maps the tags of one run to kinds, see ``tensorboard.locate``. Only one scanner at a time may use
    ``buffers``.
    """

    def __init__(self, dialect: DialectName, kinds: dict[str, Kind], buffers: ScanBuffers | None = None) -> None:
        self._dialect = dialect
        self._kinds = kinds
        self._buffers = buffers or ScanBuffers()
        self._columns = self._buffers.columns
        self._columns.start(dialect.value, partial(_learn_kind, kinds))
        self._tags: list[str] = []  # indexed by the number that ``_columns`` assigns
        self._looked_into = _looked_into(dialect)
        self._refined = _refined_numbers(dialect)
        self._start()

    def _start(self) -> None:
        self._scalars: dict[str, list[Columns]] = {}  # in file order, chunk by chunk
        self._references: dict[tuple[Kind, str], list[Columns]] = {}
        self._ungrouped: list[Columns] = []  # references that are not grouped yet
        self._undecodable: list[Undecodable] = []
        self._time_ranges: list[TimeRange] = []
        self._purges: Purges = []
        self._stopped_at: int | None = None

    def scan(self, reader: FrameReader, chunk: bytes | bytearray | memoryview, end: int | None = None) -> None:
        """Scan the whole records in ``chunk``, which begins at ``reader.ahead``; moves the reader forward.

        ``end``: see ``FrameReader.records``.
        """
        view = memoryview(chunk)
        base = reader.ahead
        while self._scan_to_uncommon(reader, view, base, end):
            pass

    def _scan_to_uncommon(self, reader: FrameReader, view: memoryview, base: int, end: int | None) -> bool:
        """Scan ``view`` with the compiled scanner; returns True if it stopped at a record for Python code."""
        reader.scan(view[reader.ahead - base :], self._columns, end)
        odd: list[int] = []
        if self._columns.has_references:
            self._tags += self._columns.new_tags()
            references = self._columns.take_references()
            odd, odd_lengths = references.pop("odd_offset").tolist(), references.pop("odd_length").tolist()
            self._keep_references(references, view, base)
            if odd:
                self._add_references()  # of earlier records, to keep file order
            for offset, length in zip(odd, odd_lengths, strict=True):
                self._add_uncommon(view[offset - base : offset - base + length], offset)
        return bool(odd)

    def take(self) -> Scanned:
        """Return the rows since the last call."""
        self._add_scalars()
        self._add_references()
        records, reach = self._columns.take_records()
        if reach is not None:
            self._time_ranges.append(TimeRange(*reach))
        scanned = Scanned(
            records=records,
            scalars={tag: _joined(parts) for tag, parts in self._scalars.items()},
            references={key: _joined(parts) for key, parts in self._references.items()},
            time_range=TimeRange.union(self._time_ranges),
            undecodable=self._undecodable,
            purges=self._purges,
            stopped_at=self._stopped_at,
        )
        self._start()
        return scanned

    def _add_scalars(self) -> None:
        """Append the scalars of ``_columns`` to the earlier ones."""
        self._tags += self._columns.new_tags()
        rows, steps, wall_time, values = self._columns.take_scalars(self._buffers.allocator.empty)
        stored, value_starts = 0, [0, 0]
        for tag, start, stop, first, stride, is_wide in rows:
            value_start = value_starts[is_wide]
            value_starts[is_wide] = value_stop = value_start + stop - start
            if stride:
                step = self._buffers.step_ranges.column(first, stride, stop - start)
            else:
                step = steps[stored : stored + stop - start]
                stored += stop - start
            columns = {
                "step": step,
                "wall_time": wall_time[start:stop],
                "value": values[is_wide][value_start:value_stop],
            }
            self._scalars.setdefault(self._tags[tag], []).append(columns)  # invalid UTF-8 may give equal tags

    def _keep_references(self, references: Columns, view: memoryview, base: int) -> None:
        """Keep references ungrouped until ``take``: grouping many chunks at once costs as much as grouping one."""
        self._refine(references, view, base)
        is_looked_into = np.logical_or.reduce([references["number"] == number for number in self._looked_into])
        if is_looked_into.any():
            self._look_into(_rows(references, is_looked_into), view, base)
            references = _rows(references, ~is_looked_into)
        self._ungrouped.append(references)

    def _refine(self, references: Columns, view: memoryview, base: int) -> None:
        """Give values the number of the kind that their content says."""
        numbers = references["number"]
        for number, kind in self._refined.items():
            for row in np.flatnonzero(numbers == number).tolist():
                start = int(references["offset"][row]) - base
                found = refined_kind(kind, view[start : start + int(references["length"][row])])
                if found is not None and found is not kind:
                    numbers[row] = _kind_number(found)

    def _look_into(self, references: Columns, view: memoryview, base: int) -> None:
        for number, tag, columns in _series(references):
            if number == METADATA_KIND + SCALAR_KIND:
                self._add_scalar_tensors(self._tags[tag], columns, view, base)
            elif number == BROKEN_METADATA:
                self._add_broken_metadata(self._tags[tag], columns, view, base)
            else:
                self._add_run_metadata(columns, view, base)

    def _add_references(self) -> None:
        """Group the waiting references and append them to the earlier ones."""
        if not self._ungrouped:
            return
        for number, tag, columns in _series(_joined(self._ungrouped)):
            if number >= METADATA_KIND:
                self._add_reference_rows(
                    _METADATA_KINDS[number - METADATA_KIND - SCALAR_KIND], self._tags[tag], columns
                )
            elif number >= EVENT_FIELD:
                kind = _EVENT_KINDS[self._dialect][number - EVENT_FIELD]
                self._add_reference_rows(kind, kind.value, columns)
            else:
                self._add_reference_rows(_VALUE_KINDS[self._dialect][number], self._tags[tag], columns)
        self._ungrouped = []

    def _add_broken_metadata(self, tag: str, columns: Columns, view: memoryview, base: int) -> None:
        for offset, length in zip(columns["offset"].tolist(), columns["length"].tolist(), strict=True):
            try:
                metadata = tensorboard.metadata_of(view[offset - base : offset - base + length])
                tensorboard.learn_kind(tag, metadata, {})
            except Exception as error:
                self._undecodable.append(Undecodable(offset, length, as_format_error(error, "metadata")))

    def _add_run_metadata(self, columns: Columns, view: memoryview, base: int) -> None:
        for row, (start, length) in enumerate(zip(columns["offset"] - base, columns["length"], strict=True)):
            try:
                tag = tensorboard.run_metadata_tag(view, int(start), int(start + length))
            except Exception as error:
                broken = as_format_error(error, Kind.RUN_METADATA.value)
                self._undecodable.append(Undecodable(base + int(start), int(length), broken))
                continue
            self._add_reference_rows(Kind.RUN_METADATA, tag, _rows(columns, slice(row, row + 1)))

    def _add_scalar_tensors(self, tag: str, columns: Columns, view: memoryview, base: int) -> None:
        """Add scalars in a form that the compiled scanner does not decode."""
        values = np.empty(columns["step"].size)
        is_good = np.ones(values.size, np.bool_)
        for row, (start, length) in enumerate(zip(columns["offset"] - base, columns["length"], strict=True)):
            try:
                values[row] = decode(DialectName.TENSORBOARD, Kind.SCALAR, view[int(start) : int(start + length)])
            except FormatError as error:  # the only exception of this decode
                is_good[row] = False
                self._undecodable.append(Undecodable(base + int(start), int(length), error))
        rows = _rows({"step": columns["step"], "wall_time": columns["wall_time"], "value": values}, is_good)
        self._add_slow_scalars(tag, rows | {"value": narrowest(rows["value"])})

    def _add_uncommon(self, payload: memoryview, offset: int) -> None:
        """Read an event that the compiled scanner leaves to Python code, which adds its values or reports the error."""
        try:
            values = list(locate(self._dialect, payload, offset, self._kinds))
        except Exception as error:
            broken = as_format_error(error, "event")
            self._undecodable.append(Undecodable(offset - FRAME_HEADER, len(payload) + FRAME_OVERHEAD, broken))
            return
        for value in values:
            if isinstance(value, Undecodable):
                self._undecodable.append(value)
                continue
            rows: Columns = {"step": np.array([value.step]), "wall_time": np.array([value.wall_time])}
            if value.kind is Kind.SESSION:
                status = _status(payload[value.offset - offset :][: value.length])
                if status == tensorboard.SESSION_START:
                    self._add_purge(Purge(value.step, value.wall_time))
                elif status == tensorboard.SESSION_STOP:
                    self._stopped_at = offset - FRAME_HEADER + len(payload) + FRAME_OVERHEAD
                    continue  # a mark, no value
            if value.scalar is not None:
                rows["value"] = narrowest(np.array([value.scalar]))
                self._add_slow_scalars(value.tag, rows)
            else:
                location = {"offset": np.array([value.offset]), "length": np.array([value.length])}
                self._add_reference_rows(value.kind, value.tag, rows | location)

    def _add_purge(self, purge: Purge) -> None:
        self._add_scalars()  # of earlier records; their references are in ``_references`` already
        series = [*(((Kind.SCALAR, tag), parts) for tag, parts in self._scalars.items()), *self._references.items()]
        counts = {key: sum(rows["step"].size for rows in parts) for key, parts in series}
        kept = [(earlier, before) for earlier, before in self._purges if earlier.step < purge.step]
        self._purges = [*kept, (purge, counts)][:MAX_PURGES]

    def _add_slow_scalars(self, tag: str, rows: Columns) -> None:
        if rows["step"].size:
            self._add_scalars()  # earlier rows of the tag, to keep file order
            self._time_ranges.append(TimeRange.of(Kind.SCALAR, rows))
            self._scalars.setdefault(tag, []).append(rows)

    def _add_reference_rows(self, kind: Kind, tag: str, rows: Columns) -> None:
        self._time_ranges.append(TimeRange.of(kind, rows, tag))
        self._references.setdefault((kind, tag), []).append(rows)


_EVENT_KINDS = {
    DialectName.MINDSPORE: mindspore.EVENT_KINDS,
    DialectName.MINDSPORE_LINEAGE: mindspore.LINEAGE_KINDS,
    DialectName.TENSORBOARD: tensorboard.EVENT_KINDS,
}

_VALUE_KINDS = {DialectName.MINDSPORE: mindspore.VALUE_KINDS, DialectName.TENSORBOARD: tensorboard.FIELD_KINDS}
_METADATA_KINDS = (Kind.SCALAR, *(kind for kind in Kind if kind is not Kind.SCALAR))
"""Kinds that metadata can define, in the order of the numbers from ``SCALAR_KIND`` on."""


def _status(encoded: memoryview) -> int | None:
    """Return the status of a SessionLog."""
    try:
        return decode(DialectName.TENSORBOARD, Kind.SESSION, encoded).get("status")
    except FormatError:  # the reader of the value reports it
        return None


def _looked_into(dialect: DialectName) -> list[int]:
    """Return numbers of references whose bytes must be read now, while their chunk is in memory."""
    run_metadata = [EVENT_FIELD + number for number, kind in _EVENT_KINDS[dialect].items() if kind is Kind.RUN_METADATA]
    return [METADATA_KIND + SCALAR_KIND, BROKEN_METADATA, *run_metadata]


def _kind_number(kind: Kind) -> int:
    return METADATA_KIND + SCALAR_KIND + _METADATA_KINDS.index(kind)


def _refined_numbers(dialect: DialectName) -> dict[int, Kind]:
    """Return the numbers of fields whose bytes may say a narrower kind, and the kind that they have without."""
    fields = {field: kind for field, kind in _VALUE_KINDS.get(dialect, {}).items() if kind in REFINED_KINDS}
    return fields | {_kind_number(kind): kind for kind in REFINED_KINDS}


def _learn_kind(kinds: dict[str, Kind], tag: str, metadata: bytes | None) -> int:
    """Return the callback of ``EventColumns``: the number of a tag's kind by its metadata; stores the kind in
    ``kinds``.
    """
    try:
        tensorboard.learn_kind(tag, metadata, kinds)
    except Exception:
        return -1
    return SCALAR_KIND + _METADATA_KINDS.index(kinds[tag]) if tag in kinds else 0


def narrowest(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return the values as float32 if it holds all of them exactly."""
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = values.astype(np.float32)
    return narrow if np.array_equal(narrow, values, equal_nan=True) else values


def _rows(columns: Columns, which: slice | NDArray[np.bool_]) -> Columns:
    return {name: column[which] for name, column in columns.items()}


def _joined(parts: list[Columns]) -> Columns:
    if len(parts) == 1:
        return parts[0]
    with np.errstate(invalid="ignore"):  # float32 to float64 turns a signaling NaN into a quiet one
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _groups(numbers: NDArray[Any], count: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield the row numbers of each number, in order. ``numbers`` are from 0 to ``count`` - 1."""
    if numbers.size == 0:
        return
    # sorting 16-bit numbers is linear
    order = np.argsort(numbers.astype(np.uint16) if count <= 1 << 16 else numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=count))
    starts = np.concatenate([[0], ends[:-1]])
    for number in np.flatnonzero(ends > starts).tolist():
        yield number, order[starts[number] : ends[number]]


def _series(references: Columns) -> Iterator[tuple[int, int, Columns]]:
    """Yield the rows of each number and tag, in order: number, tag, and the columns of references."""
    number, tag = references["number"], references["tag"]
    pairs = (number.astype(np.int64) << 32) + tag
    _, first, of_row = np.unique(pairs, return_index=True, return_inverse=True)
    for group, rows in _groups(of_row, first.size):
        columns = {name: references[name][rows] for name in ("step", "wall_time", "offset", "length")}
        yield int(number[first[group]]), int(tag[first[group]]), columns
