# SPDX-License-Identifier: Apache-2.0
"""The bytes of one file to rows by series: what ``dialects.locate`` says of each event, for millions of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats import mindspore, tensorboard, wire
from mindscope.formats._scan import EVENT_FIELD, EventColumns
from mindscope.formats.dialects import locate
from mindscope.formats.frames import FrameReader
from mindscope.formats.tensorboard_schemas import VALUE
from mindscope.types import DialectName, Kind, Located

Columns = dict[str, NDArray[Any]]


@dataclass(slots=True)
class Scanned:
    """Rows of one stretch of a file, by series, each in the order of the file.

    ``scalars[tag]`` has columns step int64, wall_time float64, value float32; ``references[kind, tag]`` has step,
    wall_time, and offset and length int64. ``undecodable`` lists payloads that are no event: offset, length, why.
    """

    records: int = 0
    scalars: dict[str, Columns] = field(default_factory=dict[str, Columns])
    references: dict[tuple[Kind, str], Columns] = field(default_factory=dict[tuple[Kind, str], Columns])
    undecodable: list[tuple[int, int, FormatError]] = field(default_factory=list[tuple[int, int, FormatError]])


class EventScanner:
    """Scans one file, stretch by stretch. ``kinds`` is the memory of one run, see ``tensorboard.locate``."""

    def __init__(self, dialect: DialectName, kinds: dict[str, Kind]) -> None:
        self._dialect = dialect
        self._kinds = kinds
        self._columns = EventColumns(dialect.value)
        self._tags: list[str] = []  # by the number that the columns give them

    def scan(self, reader: FrameReader, chunk: bytes | bytearray | memoryview) -> Scanned:
        """The rows of the whole records in ``chunk``, which begins at ``reader.position``; the reader moves on."""
        view = memoryview(chunk)
        base = reader.position
        reader.scan(view, self._columns)
        tags, records, taken = self._columns.take()
        self._tags += tags
        scanned = Scanned(records)
        self._add_scalars(scanned, taken)
        if taken["tag"].size:
            self._add_references(scanned, taken, view, base)
        for offset, length in zip(taken["odd_offset"].tolist(), taken["odd_length"].tolist(), strict=True):
            self._add_odd(scanned, view[offset - base : offset - base + length], offset)
        return scanned

    def _add_scalars(self, scanned: Scanned, taken: Columns) -> None:
        step, wall_time, value = taken["scalar_step"], taken["scalar_wall_time"], taken["scalar_value"]
        start = 0
        for tag, stop in zip(self._tags, taken["scalar_stop"].tolist(), strict=True):
            if stop > start:
                rows = slice(start, stop)
                columns = {"step": step[rows], "wall_time": wall_time[rows], "value": value[rows]}
                _extend(scanned.scalars, tag, columns)  # tags that are no text may look alike
                start = stop

    def _add_references(self, scanned: Scanned, taken: Columns, view: memoryview, base: int) -> None:
        for (number, tag), rows in _groups_of_two(taken["number"], taken["tag"]):
            columns = {name: taken[name][rows] for name in ("step", "wall_time", "offset", "length")}
            if number >= EVENT_FIELD:
                self._add_event_fields(scanned, number - EVENT_FIELD, columns, view, base)
            else:
                described = columns["offset"][taken["described"][rows]]
                lengths = columns["length"][taken["described"][rows]]
                self._add_values(scanned, number, self._tags[tag], columns, view, base, (described, lengths))

    def _add_event_fields(self, scanned: Scanned, number: int, columns: Columns, view: memoryview, base: int) -> None:
        kind = _EVENT_KINDS[self._dialect][number]
        if kind is not Kind.RUN_METADATA:
            _extend(scanned.references, (kind, kind.value), columns)
            return
        for row, (start, length) in enumerate(zip(columns["offset"] - base, columns["length"], strict=True)):
            try:
                tag = tensorboard.run_metadata_tag(view, int(start), int(start + length))
            except FormatError as error:
                scanned.undecodable.append((base + int(start), int(length), error))
                continue
            _extend(scanned.references, (kind, tag), {name: column[row : row + 1] for name, column in columns.items()})

    def _add_values(
        self,
        scanned: Scanned,
        number: int,
        tag: str,
        columns: Columns,
        view: memoryview,
        base: int,
        described: tuple[NDArray[Any], NDArray[Any]],
    ) -> None:
        if self._dialect is not DialectName.TENSORBOARD:
            _extend(scanned.references, (mindspore.VALUE_KINDS[number], tag), columns)
            return
        field_kind = tensorboard.FIELD_KINDS.get(number)
        if field_kind in (Kind.TENSOR, None) and tag not in self._kinds:
            self._learn_kind(scanned, tag, field_kind, view, base, described)
        kind = self._kinds.get(tag, field_kind) if field_kind in (Kind.TENSOR, None) else field_kind
        if kind is Kind.SCALAR:
            self._add_scalar_tensors(scanned, tag, columns, view, base)
        elif kind is not None:
            _extend(scanned.references, (kind, tag), columns)

    def _learn_kind(
        self,
        scanned: Scanned,
        tag: str,
        field_kind: Kind | None,
        view: memoryview,
        base: int,
        described: tuple[NDArray[Any], NDArray[Any]],
    ) -> None:
        for start, length in zip((described[0] - base).tolist(), described[1].tolist(), strict=True):
            try:
                value = wire.decode(VALUE, view[start : start + length])
            except FormatError as error:
                scanned.undecodable.append((base + start, length, error))
                continue
            plugin = tensorboard.plugin_name(value.get("metadata", {}))
            tensorboard.kind_of(tag, plugin, field_kind, self._kinds)
            if tag in self._kinds:
                return

    def _add_scalar_tensors(self, scanned: Scanned, tag: str, columns: Columns, view: memoryview, base: int) -> None:
        values = np.empty(columns["step"].size, np.float32)
        is_good = np.ones(values.size, np.bool_)
        for row, (start, length) in enumerate(zip(columns["offset"] - base, columns["length"], strict=True)):
            try:
                values[row] = tensorboard.decode(Kind.SCALAR, view[int(start) : int(start + length)])
            except FormatError as error:
                is_good[row] = False
                scanned.undecodable.append((base + int(start), int(length), error))
        rows = {"step": columns["step"], "wall_time": columns["wall_time"], "value": values}
        _extend(scanned.scalars, tag, {name: column[is_good] for name, column in rows.items()})

    def _add_odd(self, scanned: Scanned, payload: memoryview, offset: int) -> None:
        """An event that the compiled scan leaves to the readable path, which takes it in or says what is wrong."""
        try:
            values = list(locate(self._dialect, payload, offset, self._kinds))
        except FormatError as error:
            scanned.undecodable.append((offset, len(payload), error))
            return
        for value in values:
            _add_located(scanned, value)


_EVENT_KINDS = {
    DialectName.MINDSPORE: mindspore.EVENT_KINDS,
    DialectName.MINDSPORE_LINEAGE: mindspore.LINEAGE_KINDS,
    DialectName.TENSORBOARD: tensorboard.EVENT_KINDS,
}


def _add_located(scanned: Scanned, value: Located) -> None:
    place: Columns = {"step": np.array([value.step]), "wall_time": np.array([value.wall_time])}
    if value.scalar is not None:
        _extend(scanned.scalars, value.tag, place | {"value": np.array([value.scalar], np.float32)})
    else:
        place |= {"offset": np.array([value.offset]), "length": np.array([value.length])}
        _extend(scanned.references, (value.kind, value.tag), place)


def _extend(series: dict[Any, Columns], key: Any, columns: Columns) -> None:
    known = series.get(key)
    if known is None:
        series[key] = columns
    elif next(iter(columns.values())).size:
        series[key] = {name: np.concatenate([known[name], columns[name]]) for name in known}


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


def _groups_of_two(first: NDArray[Any], second: NDArray[Any]) -> Iterator[tuple[tuple[int, int], NDArray[np.intp]]]:
    pairs, numbers = np.unique(np.stack([first, second]), axis=1, return_inverse=True)
    for number, rows in _groups(numbers.reshape(-1), pairs.shape[1]):
        yield (int(pairs[0, number]), int(pairs[1, number])), rows
