# SPDX-License-Identifier: Apache-2.0
"""The statistics of the tensors of a step as packed columns.

A column has the smallest dtype that holds its numbers; one number if all rows have the same. It is deflated if that
saves bytes. Sums and means keep the precision of float32, everything else is exact.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats._narrowing import narrow_floats, narrow_integers
from mindscope.reasons import Reason
from mindscope.types import Message

TAG = re.compile(r"rank_(\d+)/(steps|tensors)", re.ASCII)
"""Tags of a rank: one for the statistics of steps, one for descriptions of tensors."""
MAX_ROWS = 1 << 24
"""A step with more rows is damaged."""
_LEVEL = 1  # of zlib: higher ones take several times as long, and save a few percent
_DTYPES = frozenset(("u1", "u2", "u4", "u8", "f4", "f8"))


@dataclass(frozen=True, slots=True)
class PackedColumn:
    """One number for each row, or one for all; ``dtype`` without byte order, which is little-endian."""

    dtype: str
    data: bytes
    is_deflated: bool = False

    def unpack(self, name: str, rows: int) -> NDArray[np.generic]:
        """Return the read-only numbers, shape (rows,). Raises FormatError if the bytes are no such column."""
        if self.dtype not in _DTYPES:
            raise _malformed(f"column {name} has dtype {self.dtype!r}, want one of {', '.join(sorted(_DTYPES))}")
        dtype = np.dtype(f"<{self.dtype}")
        data = self._inflated(name, rows * dtype.itemsize) if self.is_deflated else self.data
        if len(data) == dtype.itemsize:
            return np.broadcast_to(np.frombuffer(data, dtype), (rows,))
        if len(data) != rows * dtype.itemsize:
            raise _malformed(f"column {name} has {len(data)} bytes, want {rows} numbers of {dtype.itemsize} bytes")
        return np.frombuffer(data, dtype)

    def _inflated(self, name: str, size: int) -> bytes:
        try:
            return zlib.decompressobj().decompress(self.data, size + 1)  # a bomb ends here
        except zlib.error as error:
            raise _malformed(f"column {name} can't be inflated: {error}") from error


@dataclass(frozen=True, slots=True)
class TensorStatistics:
    """One value in an event file: rows of a step, or descriptions of tensors that rows refer to."""

    table: int
    """Random number of the table of tensors that the rows refer to; a recorder has one."""
    rank: int = 0
    first_tensor: int = 0
    """Index of ``tensors[0]`` in the table."""
    tensors: tuple[Message, ...] = ()
    """Descriptions: ``module``, ``type``, ``phase``, ``role``, ``slot``, ``call``, ``dtype``, ``shape``, ``name``,
    ``stack``; absent where empty."""
    facts: Message = field(default_factory=dict[str, object])
    """Facts of the recording: framework, its version, level."""
    rows: int = 0
    packed: Mapping[str, PackedColumn] = field(default_factory=dict[str, PackedColumn])
    """Columns by name: ``tensor``, ``order``, ``digest`` and statistics.

    A statistic without a column is NaN in all rows.
    """

    def column(self, name: str) -> NDArray[np.generic] | None:
        """Return a column, shape (rows,); None if there is none. Raises FormatError if it is damaged."""
        packed = self.packed.get(name)
        return None if packed is None else packed.unpack(name, self.rows)


def steps_tag(rank: int) -> str:
    """Return the tag of the statistics of a rank."""
    return f"rank_{rank}/steps"


def tensors_tag(rank: int) -> str:
    """Return the tag of the descriptions of a rank's tensors."""
    return f"rank_{rank}/tensors"


def is_tensors_tag(tag: str) -> bool:
    """Return whether a tag has descriptions of tensors, whose steps are positions in their table."""
    match = TAG.fullmatch(tag)
    return match is not None and match[2] == "tensors"


def pack(values: NDArray[np.generic], is_rounded: bool = False) -> PackedColumn:
    """Pack numbers of shape (n,): unsigned integers, or float64 where ``is_rounded`` allows float32."""
    if values.dtype.kind == "f":
        dtype, data = narrow_floats(values.astype(np.float64, copy=False), is_rounded)
    else:
        dtype, data = narrow_integers(values.astype(np.uint64, copy=False))
    deflated = _deflated(data) if len(data) > 64 else data
    is_deflated = len(deflated) < len(data)
    return PackedColumn(dtype, deflated if is_deflated else data, is_deflated)


def _deflated(data: bytes) -> bytes:
    """Compress a column.

    A short one takes a window of its length: to clear the usual 256 KB takes longer than the rest.
    """
    window = min(max(len(data).bit_length(), 9), 15)
    stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, window, min(window - 3, zlib.DEF_MEM_LEVEL))
    return stream.compress(data) + stream.flush()


def _malformed(why: str) -> FormatError:
    return FormatError(Reason("value_malformed", kind="tensor_statistics", why=why))
