# SPDX-License-Identifier: Apache-2.0
"""The bytes of one file to rows by series: what ``dialects.locate`` says of each event, for millions of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats import mindspore, tensorboard
from mindscope.formats._scan import BROKEN_METADATA, EVENT_FIELD, TOLD, TOLD_SCALAR, EventColumns
from mindscope.formats.barrier import as_format_error
from mindscope.formats.block_allocator import BlockAllocator
from mindscope.formats.dialects import decode, locate
from mindscope.formats.frames import FRAME_HEADER, FRAME_OVERHEAD, FrameReader
from mindscope.formats.step_ranges import StepRanges
from mindscope.formats.time_range import EMPTY_RANGE, TimeRange
from mindscope.types import DialectName, Kind, Undecodable

Columns = dict[str, NDArray[Any]]


@dataclass(slots=True)
class Scanned:
    """Rows of one stretch of a file, by series, each in the order of the file.

    ``scalars[tag]`` has columns step int64, wall_time float64 and value, which is float32, or float64 where float32
    does not hold one of the values; ``references[kind, tag]`` has step,
    wall_time, and offset and length int64. ``time_range`` is how far all of these reach. ``undecodable`` lists payloads
    that are no event, and values and metadata that can't be decoded.
    """

    records: int = 0
    scalars: dict[str, Columns] = field(default_factory=dict[str, Columns])
    references: dict[tuple[Kind, str], Columns] = field(default_factory=dict[tuple[Kind, str], Columns])
    time_range: TimeRange = EMPTY_RANGE
    undecodable: list[Undecodable] = field(default_factory=list[Undecodable])

    @property
    def size_bytes(self) -> int:
        """What the columns take in memory; one that several series have counts once."""
        columns = {
            id(column): column.nbytes
            for series in (self.scalars, self.references)
            for rows in series.values()
            for column in rows.values()
        }
        return sum(columns.values())


class ScanBuffers:
    """What scanners need one after the other, in one thread: memory that is warm, and columns that many files share."""

    def __init__(self, step_ranges: StepRanges | None = None) -> None:
        self.columns = EventColumns()
        self.allocator = BlockAllocator()
        self.step_ranges = step_ranges or StepRanges()


class EventScanner:
    """Scans one file, chunk by chunk, until ``take`` hands out what was found.

    ``kinds`` holds what one run has learned, see ``tensorboard.locate``. ``buffers`` serve one scanner at a time.
    """

    def __init__(self, dialect: DialectName, kinds: dict[str, Kind], buffers: ScanBuffers | None = None) -> None:
        self._dialect = dialect
        self._kinds = kinds
        self._buffers = buffers or ScanBuffers()
        self._columns = self._buffers.columns
        self._columns.start(dialect.value, partial(_learn_kind, kinds))
        self._tags: list[str] = []  # by the number that the columns give them
        self._looked_into = _looked_into(dialect)
        self._start()

    def _start(self) -> None:
        self._scalars: dict[str, list[Columns]] = {}  # in the order of the file, chunk by chunk
        self._references: dict[tuple[Kind, str], list[Columns]] = {}
        self._places: list[Columns] = []  # of references, not grouped yet
        self._undecodable: list[Undecodable] = []
        self._time_ranges: list[TimeRange] = []

    def scan(self, reader: FrameReader, chunk: bytes | bytearray | memoryview, end: int | None = None) -> None:
        """Take in the whole records in ``chunk``, which begins at ``reader.ahead``; the reader moves on.

        ``end``: see ``FrameReader.records``.
        """
        view = memoryview(chunk)
        base = reader.ahead
        while self._scan_to_uncommon(reader, view, base, end):
            pass

    def _scan_to_uncommon(self, reader: FrameReader, view: memoryview, base: int, end: int | None) -> bool:
        """Go on in ``view`` as far as the compiled scan does; whether that was a record for the readable path."""
        reader.scan(view[reader.ahead - base :], self._columns, end)
        odd: list[int] = []
        if self._columns.has_places:
            self._tags += self._columns.new_tags()
            places = self._columns.take_places()
            odd, odd_lengths = places.pop("odd_offset").tolist(), places.pop("odd_length").tolist()
            self._add_places(places, view, base)
            if odd:
                self._add_references()  # those that stand before
            for offset, length in zip(odd, odd_lengths, strict=True):
                self._add_uncommon(view[offset - base : offset - base + length], offset)
        return bool(odd)

    def take(self) -> Scanned:
        """What was found since the last call."""
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
        )
        self._start()
        return scanned

    def _add_scalars(self) -> None:
        """The scalars that the columns hold, behind those that were found before."""
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
            self._scalars.setdefault(self._tags[tag], []).append(columns)  # tags that are no text may look alike

    def _add_places(self, places: Columns, view: memoryview, base: int) -> None:
        """References wait until they are taken: grouping those of many chunks is as much work as those of one."""
        is_looked_into = np.logical_or.reduce([places["number"] == number for number in self._looked_into])
        if is_looked_into.any():
            self._look_into(_rows(places, is_looked_into), view, base)
            places = _rows(places, ~is_looked_into)
        self._places.append(places)

    def _look_into(self, places: Columns, view: memoryview, base: int) -> None:
        for number, tag, columns in _series(places):
            if number == TOLD + TOLD_SCALAR:
                self._add_scalar_tensors(self._tags[tag], columns, view, base)
            elif number == BROKEN_METADATA:
                self._add_broken_metadata(self._tags[tag], columns, view, base)
            else:
                self._add_run_metadata(columns, view, base)

    def _add_references(self) -> None:
        """The references that wait, behind those that were found before."""
        if not self._places:
            return
        for number, tag, columns in _series(_joined(self._places)):
            if number >= TOLD:
                self._add_reference_rows(_TOLD_KINDS[number - TOLD - TOLD_SCALAR], self._tags[tag], columns)
            elif number >= EVENT_FIELD:
                kind = _EVENT_KINDS[self._dialect][number - EVENT_FIELD]
                self._add_reference_rows(kind, kind.value, columns)
            else:
                self._add_reference_rows(_VALUE_KINDS[self._dialect][number], self._tags[tag], columns)
        self._places = []

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
        """Scalars in a form that the compiled scan leaves to the readable rule."""
        values = np.empty(columns["step"].size)
        is_good = np.ones(values.size, np.bool_)
        for row, (start, length) in enumerate(zip(columns["offset"] - base, columns["length"], strict=True)):
            try:
                values[row] = decode(DialectName.TENSORBOARD, Kind.SCALAR, view[int(start) : int(start + length)])
            except FormatError as error:  # all that this decode raises
                is_good[row] = False
                self._undecodable.append(Undecodable(base + int(start), int(length), error))
        rows = _rows({"step": columns["step"], "wall_time": columns["wall_time"], "value": values}, is_good)
        self._add_slow_scalars(tag, rows | {"value": narrowest(rows["value"])})

    def _add_uncommon(self, payload: memoryview, offset: int) -> None:
        """An event that the compiled scan leaves to the readable path, which takes it in or says what is wrong."""
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
            if value.scalar is not None:
                rows["value"] = narrowest(np.array([value.scalar]))
                self._add_slow_scalars(value.tag, rows)
            else:
                place = {"offset": np.array([value.offset]), "length": np.array([value.length])}
                self._add_reference_rows(value.kind, value.tag, rows | place)

    def _add_slow_scalars(self, tag: str, rows: Columns) -> None:
        if rows["step"].size:
            self._add_scalars()  # those of the tag that stand before
            self._time_ranges.append(TimeRange.of(Kind.SCALAR, rows))
            self._scalars.setdefault(tag, []).append(rows)

    def _add_reference_rows(self, kind: Kind, tag: str, rows: Columns) -> None:
        self._time_ranges.append(TimeRange.of(kind, rows))
        self._references.setdefault((kind, tag), []).append(rows)


_EVENT_KINDS = {
    DialectName.MINDSPORE: mindspore.EVENT_KINDS,
    DialectName.MINDSPORE_LINEAGE: mindspore.LINEAGE_KINDS,
    DialectName.TENSORBOARD: tensorboard.EVENT_KINDS,
}

_VALUE_KINDS = {DialectName.MINDSPORE: mindspore.VALUE_KINDS, DialectName.TENSORBOARD: tensorboard.FIELD_KINDS}
_TOLD_KINDS = (Kind.SCALAR, *(kind for kind in Kind if kind is not Kind.SCALAR))
"""What metadata can tell, by the numbers that the columns have for it from ``TOLD_SCALAR`` on."""


def _looked_into(dialect: DialectName) -> list[int]:
    """The numbers of places whose bytes say what they are, and are read as long as their chunk is there."""
    run_metadata = [EVENT_FIELD + number for number, kind in _EVENT_KINDS[dialect].items() if kind is Kind.RUN_METADATA]
    return [TOLD + TOLD_SCALAR, BROKEN_METADATA, *run_metadata]


def _learn_kind(kinds: dict[str, Kind], tag: str, metadata: bytes | None) -> int:
    """What ``EventColumns`` asks of a tag whose metadata says its kind; ``kinds`` learns it."""
    try:
        tensorboard.learn_kind(tag, metadata, kinds)
    except Exception:
        return -1
    return TOLD_SCALAR + _TOLD_KINDS.index(kinds[tag]) if tag in kinds else 0


def narrowest(values: NDArray[np.float64]) -> NDArray[Any]:
    """The values as float32 where it holds all of them."""
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = values.astype(np.float32)
    return narrow if np.array_equal(narrow, values, equal_nan=True) else values


def _rows(columns: Columns, which: slice | NDArray[np.bool_]) -> Columns:
    return {name: column[which] for name, column in columns.items()}


def _joined(parts: list[Columns]) -> Columns:
    if len(parts) == 1:
        return parts[0]
    with np.errstate(invalid="ignore"):  # a signaling NaN becomes a quiet one where float32 meets float64
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _groups(numbers: NDArray[Any], count: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """The rows of each number, in their order. Numbers run from 0 to ``count``."""
    if numbers.size == 0:
        return
    # sorting 16-bit numbers is linear
    order = np.argsort(numbers.astype(np.uint16) if count <= 1 << 16 else numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=count))
    starts = np.concatenate([[0], ends[:-1]])
    for number in np.flatnonzero(ends > starts).tolist():
        yield number, order[starts[number] : ends[number]]


def _series(places: Columns) -> Iterator[tuple[int, int, Columns]]:
    """The rows of each number and tag, in their order: number, tag, and the columns of references."""
    number, tag = places["number"], places["tag"]
    pairs = (number.astype(np.int64) << 32) + tag
    _, first, of_row = np.unique(pairs, return_index=True, return_inverse=True)
    for place, rows in _groups(of_row, first.size):
        columns = {name: places[name][rows] for name in ("step", "wall_time", "offset", "length")}
        yield int(number[first[place]]), int(tag[first[place]]), columns
