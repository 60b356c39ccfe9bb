# SPDX-License-Identifier: Apache-2.0
"""The wire format of curves and histograms: ``application/vnd.mindscope.columns``.

    byte 0   "MSC1"
         4   uint32, little endian: length H of the header
         8   H bytes: the header, JSON in UTF-8, padded with spaces so that 8 + H is a multiple of 8
         8+H data: the columns one after the other, little endian, each padded with zeros to a multiple of 8

The header is a ``CurvesHeader`` or a ``HistogramsHeader``; offsets in it count from the start of the data, so that a
client can lay typed arrays over the bytes without copying.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.server.http.json_response import json_of
from mindscope.server.http.response_limit import check_size
from mindscope.server.http.schema import Answer, Column, CompactColumn

MEDIA_TYPE = "application/vnd.mindscope.columns"
MAGIC = b"MSC1"
ALIGNMENT = 8
CHUNK_BYTES = 1 << 18


@dataclass(slots=True)
class ColumnData:
    """The columns after the header; ``size`` is in bytes and a multiple of 8."""

    columns: list[tuple[int, np.dtype[np.generic], NDArray[np.generic]]] = field(
        default_factory=list[tuple[int, "np.dtype[np.generic]", NDArray[np.generic]]]
    )  # offset, type on the wire, values
    size: int = 0

    def add(self, values: NDArray[np.generic], bytes_each: int = 8) -> Column:
        column = Column(dtype=f"float{8 * bytes_each}", offset=self.size, length=values.size)
        self.columns.append((self.size, np.dtype(f"<f{bytes_each}"), values))
        self.size += _aligned(values.size * bytes_each)
        check_size(self.size)
        return column

    def add_as_is(self, values: NDArray[np.generic]) -> Column:
        """Return a column in the type that it has; truth values are bytes."""
        own = values.dtype
        name: str = "u1" if own.kind == "b" else f"<{own.kind}{own.itemsize}"
        dtype = np.dtype(name)
        column = Column(dtype=str(dtype), offset=self.size, length=values.size)
        self.columns.append((self.size, dtype, values))
        self.size += _aligned(values.size * dtype.itemsize)
        check_size(self.size)
        return column

    def add_compact(self, values: NDArray[np.generic]) -> CompactColumn:
        """Return a column in the smallest type that holds all values; a single value if all are the same."""
        is_constant = values.size > 1 and bool(_same(values, values[0]).all())
        column = self.add_as_is(_narrowed(values[:1] if is_constant else values))
        return CompactColumn(dtype=column.dtype, offset=column.offset, length=values.size, is_constant=is_constant)

    def chunks(self) -> Iterator[bytes]:
        """Yield the columns one after the other, copied chunk by chunk."""
        for _, dtype, values in self.columns:
            rows = CHUNK_BYTES // dtype.itemsize
            for start in range(0, values.size, rows):
                yield values[start : start + rows].astype(dtype).tobytes()
            yield bytes(-values.size * dtype.itemsize % ALIGNMENT)


@dataclass(frozen=True, slots=True)
class Packed:
    """A response in this format. Its bytes are made while it is sent."""

    front: bytes  # up to the data
    data: ColumnData

    @property
    def size(self) -> int:
        return len(self.front) + self.data.size

    def chunks(self) -> Iterator[bytes]:
        """Yield all bytes, in chunks of about ``CHUNK_BYTES``."""
        pending = bytearray(self.front)
        for piece in self.data.chunks():
            pending += piece
            if len(pending) >= CHUNK_BYTES:
                yield bytes(pending)
                pending.clear()
        yield bytes(pending)

    def __bytes__(self) -> bytes:
        return b"".join(self.chunks())


def join(header: Answer, data: ColumnData) -> Packed:
    """Return the response of a header whose columns are in ``data``."""
    text = json_of(header).encode()
    check_size(len(text) + data.size)
    length = _aligned(8 + len(text)) - 8
    return Packed(MAGIC + length.to_bytes(4, "little") + text.ljust(length), data)


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values in the smallest type of their kind that holds them."""
    if not values.size or values.dtype.kind not in "iuf":
        return values
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):
            small = values.astype(np.float32)
        return small if _same(small.astype(values.dtype), values).all() else values
    lowest, highest = int(values.min()), int(values.max())
    kinds = (np.uint8, np.uint16, np.uint32) if lowest >= 0 else (np.int32,)
    for kind in kinds:
        if np.iinfo(kind).min <= lowest and highest <= np.iinfo(kind).max and np.dtype(kind) <= values.dtype:
            return values.astype(kind)
    return values


def _same(values: NDArray[Any], other: Any) -> NDArray[np.bool_]:
    """Return whether values are equal, one by one; NaN equals NaN."""
    equal = values == other
    return equal | ((values != values) & (other != other)) if values.dtype.kind == "f" else equal


def _aligned(length: int) -> int:
    return -(-length // ALIGNMENT) * ALIGNMENT
