# SPDX-License-Identifier: Apache-2.0
"""The values of one tag of a kind other than scalar, decoded at first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.histograms import HistogramRow, histogram_rows
from mindscope.analysis.stored_values import StoredValues, find_values
from mindscope.reading.tags import tag_not_found
from mindscope.store import RunStore
from mindscope.store.encoded_value import EncodedValue
from mindscope.types import Histogram, Kind

T = TypeVar("T")
Own = TypeVar("Own", bound="Values[Any]")


class Sample(Generic[T]):
    """One value with its step and wall time (seconds since 1970). ``value`` is read at first use, and kept."""

    def __init__(self, step: int, wall_time: float, load: Callable[[], T]) -> None:
        self.step = step
        self.wall_time = wall_time
        self._load = load

    @cached_property
    def value(self) -> T:
        """The decoded value. Raises FormatError if the bytes are not such a value, or the file became shorter."""
        return self._load()

    def __repr__(self) -> str:
        return f"Sample(step={self.step}, wall_time={self.wall_time})"


class Values(Sequence[Sample[T]]):
    """The values of one tag, a snapshot. An index returns a ``Sample``, a slice returns ``Values``.

    ``step`` (int64) and ``wall_time`` (float64) are read-only arrays of shape (n,).
    """

    def __init__(self, found: StoredValues) -> None:
        self._found = found

    @property
    def kind(self) -> Kind:
        return self._found.kind

    @property
    def tag(self) -> str:
        return self._found.tag

    @property
    def step(self) -> NDArray[np.int64]:
        return self._found.references.step

    @property
    def wall_time(self) -> NDArray[np.float64]:
        return self._found.references.wall_time

    def __len__(self) -> int:
        return len(self._found.references)

    @overload
    def __getitem__(self, index: int) -> Sample[T]: ...
    @overload
    def __getitem__(self: Own, index: slice) -> Own: ...
    def __getitem__(self: Own, index: int | slice) -> Sample[T] | Own:
        if isinstance(index, slice):
            return type(self)(self._found.take(index))
        row = range(len(self))[index]
        load = partial(self._found.read, self._found.references, row)
        return Sample(int(self.step[row]), float(self.wall_time[row]), load)

    def location(self, row: int) -> tuple[str, int]:
        """Return file name and byte offset of a value. Raises FormatError if its file is gone."""
        return self._found.facts(self._found.references, row).name, int(self._found.references.offset[row])

    def unread(self, row: int) -> EncodedValue:
        """Return a value without its bytes. Raises FormatError if its file is gone or another one."""
        return self._found.unread(self._found.references, row)

    def encoded(self, row: int) -> bytes:
        """Return the bytes of a value in its file. Raises FormatError if they can't be read."""
        return self._found.encoded(self._found.references, row)

    def __repr__(self) -> str:
        return f"Values(kind={str(self.kind)!r}, tag={self.tag!r}, {len(self)} values)"


class Histograms(Values[Histogram]):
    """The histograms of one tag. An index returns a ``Sample``, a slice returns ``Histograms``."""

    def merged(self, rows: int = 100, buckets: int = 128) -> list[HistogramRow]:
        """Return all histograms in at most ``rows`` rows.

        Each row merges 1, 2, 4, 8, .. neighbors, and no count is lost.

        A merged row has at most ``buckets`` buckets; a row of a single step keeps the buckets of the log. A histogram
        that can't be read is counted in ``unreadable``. Raises ValueError if ``rows`` is less than 2.
        """
        return histogram_rows(self._found, rows, buckets)


def values_of(store: RunStore, kind: Kind, tag: str, *, overwritten: bool = False) -> Values[Any]:
    """Return the values of a tag of a kind other than scalar. Raises TagNotFoundError."""
    found = found_values(store, kind, tag, overwritten)
    return Histograms(found) if kind is Kind.HISTOGRAM else Values[Any](found)


def found_values(store: RunStore, kind: Kind, tag: str, overwritten: bool = False) -> StoredValues:
    """Return the same as ``find_values``, with an error that names similar tags."""
    if store.references(kind, tag) is None:
        raise tag_not_found(store, kind, tag)
    values = find_values(store, kind, tag)
    return values.overwritten() if overwritten else values
