# SPDX-License-Identifier: Apache-2.0
"""Tensors in files, whose statistics are computed piece by piece."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.formats.elements import ElementType, numpy_element
from mindscope.debug.formats.shapes import MOST_DIMENSIONS, is_possible_shape
from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.model.elements import TensorElements
from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.errors import FormatError
from mindscope.python_syntax import parsed

PIECE = 1 << 20
"""Elements that are in memory at a time."""
_DIGEST_BYTES = 8
_LONGEST_HEADER = 1 << 16


@dataclass(frozen=True, slots=True)
class StoredArray:
    """Describes where a file has the elements of a tensor."""

    path: Path
    offset: int
    """Byte of the first element."""
    element: ElementType
    shape: tuple[int, ...]
    is_fortran: bool = False
    """Whether the first axis varies fastest."""
    unpack: Callable[[NDArray[Any]], NDArray[Any]] | None = None
    """Converts the layout in the file to that of the tensor, without padding."""
    unpacked_shape: tuple[int, ...] | None = None
    """Shape of the tensor, if it is not ``shape``."""

    def __post_init__(self) -> None:
        if not is_possible_shape(self.shape):
            raise FormatError(
                f"{self.path.name} has shape {self.shape}, want 0 to {MOST_DIMENSIONS} sizes from 0 on, and fewer "
                "than 2**63 elements"
            )

    @property
    def tensor_shape(self) -> tuple[int, ...]:
        """The shape of what ``read`` returns."""
        return self.shape if self.unpacked_shape is None else self.unpacked_shape

    @property
    def count(self) -> int:
        """Elements in the file."""
        return math.prod(self.shape)

    def read(self) -> NDArray[Any]:
        """Return the tensor. Raises FormatError if the file ends before it does, OSError."""
        self._check_size()
        with self.path.open("rb") as file:
            file.seek(self.offset)
            data = file.read(self.element.size(self.count))
        numbers = self._checked(self._numbers(data)[: self.count], self.count)
        array = numbers.reshape(self.shape, order="F" if self.is_fortran else "C")
        return self.unpack(array) if self.unpack else array

    def elements(self) -> TensorElements:
        """Return the tensor piece by piece; one whose file is not in C order is read whole, and kept."""
        is_in_order = self.unpack is None and not self.is_fortran
        whole = cache(lambda: np.ravel(self.read()))
        return TensorElements(
            self.tensor_shape,
            self.element.name,
            self.element.read(np.empty(0, self.element.stored)).dtype,
            self.element.size(self.count),
            self._read_piece if is_in_order else lambda start, count: whole()[start : start + count],
        )

    def _read_piece(self, start: int, count: int) -> NDArray[Any]:
        self._check_size()
        count = max(min(count, self.count - start), 0)
        in_one = self.element.in_one
        first = start // in_one
        with self.path.open("rb") as file:
            file.seek(self.offset + first * self.element.stored.itemsize)
            data = file.read(self.element.size(start + count - first * in_one))
        numbers = self._numbers(data)[start - first * in_one :][:count]
        return self._checked(numbers, count)

    def _checked(self, numbers: NDArray[Any], count: int) -> NDArray[Any]:
        if numbers.size != count:
            raise FormatError(f"{self.path.name} became shorter while it was read, read it again")
        return numbers

    def statistics(self) -> tuple[NDArray[np.float64], int]:
        """Return the fields of the tensor, and the first 8 bytes of the MD5 of its bytes. Raises as ``read``."""
        if self.unpack:
            array = np.ascontiguousarray(self.read())
            return statistics_of(array, self.element.name), digest_of(hashlib.md5(array.data, usedforsecurity=False))
        self._check_size()
        found: NDArray[np.float64] | None = None
        digest = hashlib.md5(usedforsecurity=False)
        with self.path.open("rb") as file:
            file.seek(self.offset)
            for start in range(0, max(self.count, 1), PIECE):
                count = min(PIECE, self.count - start)
                data = file.read(self.element.size(count))
                digest.update(data)
                piece = statistics_of(self._numbers(data)[:count], self.element.name)
                found = piece if found is None else merged_statistics(found, piece)
        assert found is not None
        return found, digest_of(digest)

    def _numbers(self, data: bytes) -> NDArray[Any]:
        whole = len(data) // self.element.stored.itemsize * self.element.stored.itemsize
        return self.element.read(np.frombuffer(data[:whole], self.element.stored))

    def _check_size(self) -> None:
        have, want = self.path.stat().st_size - self.offset, self.element.size(self.count)
        if have < want:
            raise FormatError(
                f"{self.path.name} has {max(have, 0)} bytes of elements, want {want} for shape {self.shape} of "
                f"{self.element.name}; it was cut"
            )


def read_npy(path: Path, dtype: str = "") -> StoredArray:
    """Return the array of an npy file.

    Args:
        path: of the file.
        dtype: of the tensor before it was converted to the array, where a file name says it.

    Raises:
        FormatError: no npy file, or one of objects, which are never loaded.
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        try:
            version = np.lib.format.read_magic(file)
            read_header = (
                np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            )
            _check_header(file, 2 if version == (1, 0) else 4)
            begin = file.seek(0, os.SEEK_CUR)
            shape, is_fortran, stored = parsed(lambda: read_header(_at(file, begin)))
        except OSError:
            raise
        except Exception as error:  # numpy raises many kinds for bytes that are no header
            raise FormatError(f"{path.name} is no npy file: {error}") from error
        offset = file.seek(0, os.SEEK_CUR)
    element = numpy_element(stored, dtype)
    if element is None:
        raise FormatError(f"{path.name} has elements of type {stored}, want numbers")
    return StoredArray(path, offset, element, tuple(int(size) for size in shape), is_fortran)


def _at(file: BinaryIO, offset: int) -> BinaryIO:
    file.seek(offset)
    return file


def _check_header(file: BinaryIO, size: int) -> None:
    """Raises ValueError if the header is too long: NumPy reads all of it before it looks."""
    length = int.from_bytes(file.read(size), "little")
    if length > _LONGEST_HEADER:
        raise ValueError(f"its header has {length} bytes, want at most {_LONGEST_HEADER}")
    file.seek(-size, os.SEEK_CUR)


def statistics_of(array: NDArray[Any], dtype: str) -> NDArray[np.float64]:
    """Compute the statistics as ``array_statistics``; of complex numbers, which have no order, only count and NaN."""
    if array.dtype.kind != "c":
        with np.errstate(invalid="ignore"):  # a signaling NaN
            return array_statistics(array, dtype)
    found = np.full(len(FIELDS), np.nan)
    found[COLUMN[Field.COUNT]], found[COLUMN[Field.NAN]] = array.size, np.isnan(array).sum()
    return found


_EXTREMES = {Field.MIN: np.fmin, Field.MAX: np.fmax}


def merged_statistics(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the fields of two parts of a tensor as those of the whole."""
    with np.errstate(over="ignore", invalid="ignore"):
        merged = one + other
    for field, extreme in _EXTREMES.items():
        merged[COLUMN[field]] = extreme(one[COLUMN[field]], other[COLUMN[field]])
    return merged


def digest_of(hash: Any) -> int:
    """Return the first 8 bytes of a hash as a number."""
    return int.from_bytes(hash.digest()[:_DIGEST_BYTES], "big")


def digest_of_text(text: str) -> int:
    """Return the digest of a hash that is written in hexadecimal; 0 if it is none."""
    digits = text.strip().lower().removeprefix("0x")[: 2 * _DIGEST_BYTES]
    try:
        return int(digits, 16)
    except ValueError:
        return 0
