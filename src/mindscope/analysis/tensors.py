# SPDX-License-Identifier: Apache-2.0
"""Reads the numbers of a recorded tensor block by block, so that a large tensor is never in memory as a whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.slices import SliceKey
from mindscope.analysis.stored_values import StoredValues, find_values
from mindscope.archive.mounts import open_file
from mindscope.errors import FormatError
from mindscope.formats.tensor_layout import TensorLayout, find_tensor_layout
from mindscope.reasons import Reason, os_reason
from mindscope.store import FileFacts, ReferenceColumns, RunStore
from mindscope.types import Kind

BLOCK_BYTES = 4 * 1024 * 1024

Array = NDArray[Any]
Block = tuple[tuple[int, ...], Array]
"""The origin of a block in a slice, and the block; both have the dimensions of the slice."""


@dataclass(frozen=True, slots=True)
class TensorSource:
    """A tensor of ``shape``. ``read(start, count)`` returns elements of ``dtype`` in C order.

    ``size_bytes`` is their size in the log. Texts have dtype object. ``dtype_name`` is the dtype of the tensor where
    its elements are read as a wider one, such as bfloat16 as float32.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    is_exact: bool
    size_bytes: int
    read: Callable[[int, int], Array]
    dtype_name: str = ""

    def blocks(self, key: SliceKey) -> Iterator[Block]:
        """Yield the slice in blocks of some megabytes, in C order: whole rows of inner dimensions, or a part of
        a row.
        """
        if any(len(part) == 0 for part in key if isinstance(part, range)):
            return
        yield from self._blocks(key, 0, 0, ())

    def take(self, key: SliceKey) -> Array:
        """Return the whole slice as an array."""
        parts = [block.reshape(-1) for _, block in self.blocks(key)]
        shape = tuple(len(part) for part in key if isinstance(part, range))
        return np.concatenate([np.empty(0, self.dtype), *parts]).reshape(shape)

    def _blocks(self, key: SliceKey, axis: int, offset: int, origin: tuple[int, ...]) -> Iterator[Block]:
        """Yield the blocks of the sub-tensor that begins at element ``offset``, by recursion over the dimensions."""
        inner = math.prod(self.shape[axis + 1 :])
        if axis == len(key):
            yield origin, self.read(offset, 1).reshape((1,) * len(origin))
            return
        part = key[axis]
        if isinstance(part, int):
            yield from self._blocks(key, axis + 1, offset + part * inner, origin)
            return
        most = BLOCK_BYTES // max(1, inner * self.dtype.itemsize * abs(part.step))
        if most < 1:  # a single step to the next row is more than a block
            for number, index in enumerate(part):
                yield from self._blocks(key, axis + 1, offset + index * inner, (*origin, number))
            return
        for number in range(0, len(part), most):
            yield self._rows(key, axis, offset, (*origin, number), part[number : number + most])

    def _rows(self, key: SliceKey, axis: int, offset: int, origin: tuple[int, ...], rows: range) -> Block:
        """Return the sub-tensors at ``rows`` of one dimension. One read covers them and the rows between them."""
        shape = self.shape[axis + 1 :]
        low, high = min(rows[0], rows[-1]), max(rows[0], rows[-1])
        numbers = self.read(offset + low * math.prod(shape), (high - low + 1) * math.prod(shape))
        stride = slice(None, None, rows.step if len(rows) > 1 else 1)
        taken = numbers.reshape((-1, *shape))[(stride, *(_as_slice(part) for part in key[axis + 1 :]))]
        zeros = (0,) * (taken.ndim - 1)
        return (*origin, *zeros), taken.reshape((1,) * (len(origin) - 1) + taken.shape)


def open_tensor(store: RunStore, kind: Kind, tag: str, id: str) -> TensorSource | None:
    """Return the tensor that ``value_ids`` calls ``id``; None if the log has no such value.

    Raises TagNotFoundError, FormatError if the value can't be read.
    """
    values = find_values(store, kind, tag)
    located = values.locate(id)
    return None if located is None else tensor_at(values, *located)


def tensor_at(found: StoredValues, references: ReferenceColumns, row: int) -> TensorSource:
    """Return the tensor in a row of ``references``, read in place if the file has its numbers as an array.

    Raises FormatError.
    """
    return _in_place(found, references, row) or _decoded(found, references, row)


def _in_place(found: StoredValues, references: ReferenceColumns, row: int) -> TensorSource | None:
    """Return the tensor in the file, or None if the file does not have its numbers as an array."""
    try:
        facts = found.file(int(references.file[row]))
        offset, length = int(references.offset[row]), int(references.length[row])
        with _opened(facts, offset + length) as file:
            layout = find_tensor_layout(facts.dialect, _reader(file, offset), length) if facts.dialect else None
    except (KeyError, OSError, FormatError):
        return None  # decoding raises the reason
    return None if layout is None else _from_layout(facts, offset, layout)


def _from_layout(facts: FileFacts, offset: int, layout: TensorLayout) -> TensorSource:
    start, width = offset + layout.offset, layout.stored.itemsize

    def read(first: int, count: int) -> Array:
        try:
            with _opened(facts, start + (first + count) * width) as file:
                stored = np.frombuffer(_reader(file, start)(first * width, count * width), layout.stored)
        except OSError as error:
            raise FormatError(Reason("file_unreadable", file=facts.name, **os_reason(error))) from error
        with np.errstate(invalid="ignore", over="ignore"):
            return stored.astype(layout.dtype, copy=False)

    size_bytes = math.prod(layout.shape) * width
    return TensorSource(layout.shape, layout.dtype, layout.is_exact, size_bytes, read)


def _decoded(found: StoredValues, references: ReferenceColumns, row: int) -> TensorSource:
    tensor = found.read(references, row)
    flat: Array = tensor.value.reshape(-1)
    size_bytes = int(references.length[row])
    return TensorSource(
        tensor.value.shape, flat.dtype, tensor.is_exact, size_bytes, lambda start, count: flat[start : start + count]
    )


@contextmanager
def _opened(facts: FileFacts, end: int) -> Generator[BinaryIO]:
    """Yield the file, which must have at least ``end`` bytes. Raises OSError, FormatError."""
    with open_file(facts.path) as file:
        if file.seek(0, 2) < end:
            raise FormatError(Reason("file_shorter", file=facts.name))
        yield file


def _reader(file: BinaryIO, offset: int) -> Callable[[int, int], bytes]:
    def read(start: int, count: int) -> bytes:
        file.seek(offset + start)
        parts = bytearray()
        while len(parts) < count and (part := file.read(count - len(parts))):
            parts += part
        return bytes(parts)

    return read


def _as_slice(part: int | range) -> int | slice:
    if isinstance(part, int):
        return part
    stop = part.stop if part.stop >= 0 else None  # -1 would count from the end
    return slice(part.start, stop, part.step)
