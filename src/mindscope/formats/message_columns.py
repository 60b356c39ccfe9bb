# SPDX-License-Identifier: Apache-2.0
"""Many encoded messages as columns: arrays of numbers and of runs, without an object for each message.

A run is a piece ``data[start:stop]`` of the encoded bytes: a text, or the message in a field.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pickle import PickleBuffer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.formats._message_columns import find_byte, hash_runs, join_runs, number_texts, scan_fields
from mindscope.formats._schema import Field, Schema

Indices = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class ByteRanges:
    """Pieces of ``data``: n starts and n stops (int64)."""

    data: bytes
    """The bytes, or another buffer of bytes."""
    start: NDArray[np.int64]
    stop: NDArray[np.int64]

    def __len__(self) -> int:
        return self.start.size

    def __reduce__(self) -> tuple[Any, ...]:
        """Return ``data`` as a buffer, which a pickle may have outside of itself."""
        return ByteRanges, (PickleBuffer(self.data), self.start, self.stop)

    def bytes_of(self, row: int) -> bytes:
        return bytes(self.data[self.start[row] : self.stop[row]])

    def text(self, row: int) -> str:
        """Return a run as text, with escapes for bytes that are no UTF-8."""
        return self.bytes_of(row).decode("utf-8", "backslashreplace")

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> ByteRanges:
        return ByteRanges(self.data, self.start[rows], self.stop[rows])

    def find(self, byte: bytes, *, last: bool = False) -> NDArray[np.int64]:
        """Return the position in ``data`` of the first or last ``byte`` of each run, -1 for a run without it."""
        return find_byte(self.data, self.start, self.stop, byte[0], last=last)

    def hashes(self) -> NDArray[np.uint64]:
        """Return a hash of each run, shape (n,). Equal runs have equal hashes, also runs of other data."""
        return hash_runs(self.data, self.start, self.stop)


class Messages:
    """The messages of one schema in ``runs``, read one level deep; unknown fields are skipped."""

    def __init__(self, schema: Schema, runs: ByteRanges) -> None:
        self.schema = schema
        self.runs = runs
        self._columns, self.broken = scan_fields(schema, runs.data, runs.start, runs.stop)
        """``broken`` are the rows that break the encoding; their fields before the break are kept."""

    @classmethod
    def one(cls, schema: Schema, data: bytes) -> Messages:
        """Return a single message."""
        return cls(schema, ByteRanges(data, np.zeros(1, np.int64), np.full(1, len(data), np.int64)))

    def __len__(self) -> int:
        return len(self.runs)

    def numbers(self, field: str, default: int = 0) -> NDArray[np.int64]:
        """Return the number in ``field`` of each message, the last if it occurs several times."""
        row, value, _ = self._columns[field]
        numbers = np.full(len(self), default, np.int64)
        numbers[row] = value
        return numbers

    def field_runs(self, field: str) -> ByteRanges:
        """Return the run in ``field`` of each message, the last if it occurs several times; an empty run without it."""
        row, first, second = self._columns[field]
        start, stop = np.zeros(len(self), np.int64), np.zeros(len(self), np.int64)
        start[row], stop[row] = first, second
        return ByteRanges(self.runs.data, start, stop)

    def each_number(self, field: str) -> tuple[Indices, NDArray[np.int64]]:
        """Return every number in ``field``, and the row of its message, in the order of the data.

        The field is repeated and not packed.
        """
        row, value, _ = self._columns[field]
        return row, value

    def each_run(self, field: str) -> tuple[Indices, ByteRanges]:
        """Return every run in the repeated ``field``, and the row of its message, in the order of the data."""
        row, start, stop = self._columns[field]
        return row, ByteRanges(self.runs.data, start, stop)

    def each_message(self, field: str) -> tuple[Indices, Messages]:
        """Return every message in the repeated ``field``, and the row of the message that holds it."""
        row, runs = self.each_run(field)
        return row, Messages(self._schema_of(field), runs)

    def messages(self, field: str) -> Messages:
        """Return the message in ``field`` of each message; an empty one without it."""
        return Messages(self._schema_of(field), self.field_runs(field))

    def _schema_of(self, name: str) -> Schema:
        field: Field = next(each for each in self.schema.fields if each.name == name)
        assert field.schema is not None, f"{name} is no message"
        return field.schema


class Texts(Sequence[str]):
    """Distinct texts in UTF-8, one after the other in ``joined``; text i ends at ``ends[i]``."""

    def __init__(self, joined: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.joined = joined
        self.ends = ends

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([len(each) for each in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), ends)

    def __len__(self) -> int:
        return self.ends.size

    def __getitem__(self, index: int) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return a text, with escapes for bytes that are no UTF-8."""
        index = range(len(self))[index]
        start = self.ends[index - 1] if index else 0
        return self.joined[start : self.ends[index]].tobytes().decode("utf-8", "backslashreplace")

    def and_more(self, texts: Sequence[str]) -> Texts:
        """Return these texts, then ``texts``."""
        more = Texts.of(texts)
        before = self.ends[-1] if self.ends.size else 0
        return Texts(np.concatenate([self.joined, more.joined]), np.concatenate([self.ends, more.ends + before]))

    @cached_property
    def all(self) -> list[str]:
        """Every text as an object."""
        return [self[index] for index in range(len(self))]

    @property
    def nbytes(self) -> int:
        return self.joined.nbytes + self.ends.nbytes


def join_rows(several: Sequence[ByteRanges]) -> ByteRanges:
    """Return all runs one after the other; they are in the same data."""
    start = np.concatenate([runs.start for runs in several])
    return ByteRanges(several[0].data, start, np.concatenate([runs.stop for runs in several]))


def number_runs(*several: ByteRanges) -> tuple[list[Indices], Texts]:
    """Return numbers the distinct texts of all runs; text 0 is "".

    Returns the numbers (int32) of each of ``several``, and the texts.
    """
    runs = join_rows([ByteRanges(several[0].data, np.zeros(1, np.int64), np.zeros(1, np.int64)), *several])
    number, first = number_texts(runs.data, runs.start, runs.stop)
    ends = np.cumsum([len(each) for each in several])
    texts = runs.take(first)
    return np.split(number[1:], ends[:-1]), Texts(*join_runs(texts.data, texts.start, texts.stop))


def join_texts(several: Sequence[Texts]) -> tuple[list[Indices], Texts]:
    """Number the distinct texts of all; text 0 is "". Returns the numbers of each of ``several``, and the texts."""
    data = b"".join(texts.joined.tobytes() for texts in several)
    offsets = np.cumsum([0, *(texts.joined.size for texts in several)])
    runs = [
        ByteRanges(data, np.concatenate([[0], texts.ends])[:-1] + offset, texts.ends + offset)
        for texts, offset in zip(several, offsets[:-1].tolist(), strict=True)
    ]
    return number_runs(*runs)


def distinct_runs(runs: ByteRanges) -> tuple[Indices, list[bytes]]:
    """Return the number of each run among the distinct ones, and their bytes."""
    number, first = number_texts(runs.data, runs.start, runs.stop)
    return number, [runs.bytes_of(int(row)) for row in first]
