# SPDX-License-Identifier: Apache-2.0
"""The events of a line as columns, some thousands at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.message_columns import ByteRanges, Messages, distinct_runs
from mindscope.profile.formats.row_columns import rows_by_id
from mindscope.profile.formats.xplane.planes import metadata_of, texts_by_id
from mindscope.profile.trace.argument_columns import NO_INTEGER
from mindscope.table.columns import TextColumn

BLOCK = 50_000
"""Events whose stats are in memory at once."""
INTEGERS = (
    "correlation_id", "step_num", "flops", "bytes_accessed", "group_id", "bytes_allocated", "bytes_reserved",
    "allocation_bytes", "addr",
)  # fmt: skip
TEXTS = (
    "hlo_op", "hlo_module", "tf_op", "kernel_details", "memcpy_details", "memset_details", "hlo_category",
    "allocator_name",
)  # fmt: skip
PS = 1000


@dataclass(frozen=True, slots=True)
class EventBlock:
    """Columns of n events."""

    start: NDArray[np.int64]
    """Nanoseconds, on the clock of the line."""
    duration: NDArray[np.int64]
    name: TextColumn
    integers: Mapping[str, NDArray[np.int64]]
    """``NO_INTEGER`` for an event without it."""
    texts: Mapping[str, TextColumn]
    offset: NDArray[np.int64]
    """Position of the encoded event within its plane."""
    size: NDArray[np.uint32]
    broken: int
    """Events that could not be decoded, which are left out."""

    def has(self, name: str) -> NDArray[np.bool_]:
        """Return which events have an integer or text."""
        return self.integers[name] != NO_INTEGER if name in self.integers else self.texts[name].codes > 0


class PlaneNames:
    """Names of the events and stats of a plane, and the stats that all events of a name share."""

    def __init__(self, encoded: bytes) -> None:
        events, stats = metadata_of(encoded)
        self.ids = events.numbers("id")
        self.stat_names = texts_by_id(stats)
        names, texts = distinct_runs(events.field_runs("name"))
        self.names = TextColumn(
            names.astype(np.uint32), [text.decode("utf-8", "backslashreplace") for text in texts]
        )  # fmt: skip
        self.integers, self.texts = self.stats_of(events)

    def stats_of(self, holders: Messages) -> tuple[dict[str, NDArray[np.int64]], dict[str, TextColumn]]:
        """Return the stats of events or of their metadata, as columns beside them."""
        row, stats = holders.each_message("stats")
        kind = stats.numbers("metadata_id")
        number_of = {name: id for id, name in self.stat_names.items()}
        whole = np.where(
            stats.numbers("int64_value", NO_INTEGER) != NO_INTEGER,
            stats.numbers("int64_value", NO_INTEGER),
            stats.numbers("uint64_value", NO_INTEGER),
        )
        integers: dict[str, NDArray[np.int64]] = {}
        for name in INTEGERS:
            integers[name] = np.full(len(holders), NO_INTEGER, np.int64)
            rows = np.flatnonzero(kind == number_of[name]) if name in number_of else np.empty(0, np.int64)
            integers[name][row[rows]] = whole[rows]
        texts = {
            name: self._texts(stats, np.flatnonzero(kind == number_of.get(name, NO_INTEGER)), row, len(holders))
            for name in TEXTS
        }
        return integers, texts

    def _texts(self, stats: Messages, own: NDArray[np.int64], row: NDArray[np.int32], count: int) -> TextColumn:
        """Return the texts of the stats ``own``: their own, or the name of another stat."""
        codes, values = np.zeros(count, np.uint32), [""]
        if not len(own):
            return TextColumn(codes, values)
        numbers, texts = distinct_runs(stats.field_runs("str_value").take(own))
        references = stats.numbers("ref_value", NO_INTEGER)[own]
        known = {each: index for index, each in enumerate(np.unique(references).tolist())}
        values += [text.decode("utf-8", "backslashreplace") for text in texts]
        first = len(values)
        values += [self.stat_names.get(each, "") for each in known]
        by_reference = np.array([first + known[reference] for reference in references.tolist()], np.uint32)
        codes[row[own]] = np.where(references != NO_INTEGER, by_reference, numbers.astype(np.uint32) + 1)
        is_empty = np.array([value == "" for value in values], np.bool_)
        return TextColumn(np.where(is_empty[codes], 0, codes).astype(np.uint32), values)


def event_blocks(lines: Messages, line: int, names: PlaneNames) -> Iterator[EventBlock]:
    """Yield the events of a line, in the order of the file."""
    row, runs = lines.each_run("events")
    rows = np.flatnonzero(row == line)
    timestamp = int(lines.numbers("timestamp_ns")[line])
    schema = next(field.schema for field in lines.schema.fields if field.name == "events")
    assert schema is not None
    for first in range(0, len(rows), BLOCK):
        yield _block(Messages(schema, runs.take(rows[first : first + BLOCK])), timestamp, names)


def _block(events: Messages, timestamp: int, names: PlaneNames) -> EventBlock:
    is_whole = np.ones(len(events), np.bool_)
    is_whole[events.broken] = False
    runs: ByteRanges = events.runs
    if not is_whole.all():
        broken = int((~is_whole).sum())
        whole = _block(Messages(events.schema, runs.take(np.flatnonzero(is_whole))), timestamp, names)
        return EventBlock(
            whole.start, whole.duration, whole.name, whole.integers, whole.texts, whole.offset, whole.size,
            whole.broken + broken,
        )  # fmt: skip
    offset, duration = events.numbers("offset_ps"), events.numbers("duration_ps")
    # Both ends are rounded down, so that an event stays within the one that holds it.
    begin, end = offset // PS, (offset + duration) // PS
    kind = rows_by_id(names.ids, events.numbers("metadata_id"))
    integers, texts = names.stats_of(events)
    for name, shared in names.integers.items():
        if len(shared):
            integers[name] = np.where((integers[name] == NO_INTEGER) & (kind >= 0), shared[kind], integers[name])
    return EventBlock(
        start=timestamp + begin,
        duration=end - begin,
        name=_names(events, kind, names),
        integers=integers,
        texts={name: _or(own, names.texts[name], kind) for name, own in texts.items()},
        offset=runs.start,
        size=(runs.stop - runs.start).astype(np.uint32),
        broken=0,
    )


def _names(events: Messages, kind: NDArray[np.int64], names: PlaneNames) -> TextColumn:
    """Return the name of each event; its number in brackets where the plane does not name it."""
    unknown = kind < 0
    if not unknown.any():
        return names.names.select(kind)
    ids, codes = np.unique(events.numbers("metadata_id")[unknown], return_inverse=True)
    found = np.zeros(len(kind), np.uint32)
    found[~unknown] = names.names.codes[kind[~unknown]]
    found[unknown] = len(names.names.values) + codes.reshape(-1)
    return TextColumn(found, [*names.names.values, *(f"[{id}]" for id in ids.tolist())])


def _or(own: TextColumn, shared: TextColumn, kind: NDArray[np.int64]) -> TextColumn:
    """Return the text of each event, else the one that all events of its name share."""
    if not len(shared) or not shared.codes.any():
        return own
    of_kind = np.where(kind >= 0, shared.codes[kind], 0)
    first = len(own.values)
    codes = np.where(own.codes > 0, own.codes, np.where(of_kind > 0, of_kind + first, 0))
    return TextColumn(codes.astype(np.uint32), [*own.values, *shared.values])
