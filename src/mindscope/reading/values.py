# SPDX-License-Identifier: Apache-2.0
"""The values of one tag that is no scalar: read and decoded when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats import dialects
from mindscope.reading.tags import tag_not_found
from mindscope.reasons import Reason, os_reason
from mindscope.store import FileFacts, ReferenceColumns, RunStore, read_encoded
from mindscope.types import Kind

T = TypeVar("T")


class Sample(Generic[T]):
    """One value with its step and wall time (seconds since 1970). ``value`` is read at first use, and kept."""

    def __init__(self, step: int, wall_time: float, load: Callable[[], T]) -> None:
        self.step = step
        self.wall_time = wall_time
        self._load = load

    @cached_property
    def value(self) -> T:
        """The decoded value. Raises FormatError when the bytes are no such value, or the file became shorter."""
        return self._load()

    def __repr__(self) -> str:
        return f"Sample(step={self.step}, wall_time={self.wall_time})"


class Values(Sequence[Sample[T]]):
    """Values of one tag as of when they were asked for. Indexing gives a ``Sample``, slicing gives ``Values``.

    ``step`` (int64) and ``wall_time`` (float64) are read-only arrays of shape (n,).
    """

    def __init__(self, kind: Kind, tag: str, places: ReferenceColumns, file: Callable[[int], FileFacts]) -> None:
        self.kind = kind
        self.tag = tag
        self._places = places
        self._file = file

    @property
    def step(self) -> NDArray[np.int64]:
        return self._places.step

    @property
    def wall_time(self) -> NDArray[np.float64]:
        return self._places.wall_time

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Sample[T]: ...
    @overload
    def __getitem__(self, index: slice) -> Values[T]: ...
    def __getitem__(self, index: int | slice) -> Sample[T] | Values[T]:
        if isinstance(index, slice):
            return Values(self.kind, self.tag, self._places.take(index), self._file)
        row = range(len(self))[index]
        return Sample(int(self.step[row]), float(self.wall_time[row]), lambda: self._read(row))

    def place(self, row: int) -> tuple[str, int]:
        """File name and byte offset of a value. Raises FormatError when its file is gone."""
        return self._facts(row).name, int(self._places.offset[row])

    def encoded(self, row: int) -> bytes:
        """The bytes of a value as they stand in its file. Raises FormatError when they are gone."""
        facts = self._facts(row)
        try:
            return read_encoded(facts.path, int(self._places.offset[row]), int(self._places.length[row]))
        except OSError as error:
            raise FormatError(Reason("file_unreadable", file=facts.name, **os_reason(error))) from error

    def _read(self, row: int) -> Any:
        facts = self._facts(row)
        if facts.dialect is None:
            raise FormatError(f"{facts.name}: it was replaced meanwhile; refresh the run to read it anew")
        return dialects.decode(facts.dialect, self.kind, self.encoded(row))

    def _facts(self, row: int) -> FileFacts:
        try:
            return self._file(int(self._places.file[row]))
        except KeyError:
            raise FormatError(f"{self.kind} {self.tag!r}: its file is gone; refresh the run") from None

    def __repr__(self) -> str:
        return f"Values(kind={str(self.kind)!r}, tag={self.tag!r}, {len(self)} values)"


def values_of(store: RunStore, kind: Kind, tag: str, *, overwritten: bool = False) -> Values[Any]:
    """The values of a tag of any other kind than scalar. Raises TagNotFoundError."""
    series = store.references(kind, tag)
    if series is None:
        raise tag_not_found(store, kind, tag)
    return Values(kind, tag, series.all() if overwritten else series.visible(), store.file)
