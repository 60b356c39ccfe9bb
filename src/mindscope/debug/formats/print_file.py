# SPDX-License-Identifier: Apache-2.0
"""Printed values of MindSpore in files of ``print_file_path``.

A file is one message ``Print`` whose field ``value`` repeats, since calls are appended without any framing. Only the
heads of its fields are read; elements of tensors are read piece by piece. Source: MindSpore's ``print.proto``::

    Value: 1 string desc, 2 TensorProto tensor
    TensorProto: 1 repeated int64 dims, 2 string tensor_type, 3 bytes tensor_content
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from numpy.typing import NDArray

from mindscope.debug.formats.elements import element_type
from mindscope.debug.formats.shapes import MOST_DIMENSIONS
from mindscope.debug.formats.stored_array import StoredArray
from mindscope.debug.model.elements import TensorElements
from mindscope.errors import FormatError

_FIELD = 0x0A
_DESC, _TENSOR = 1, 2
_DIMS, _TYPE, _CONTENT = 1, 2, 3
_VARINT, _FIXED64, _RUN, _FIXED32 = 0, 1, 2, 5
_LARGEST = 1 << 31
LONGEST_TEXT = 1 << 20
"""Bytes of a text that are read."""
_LONGEST_NAME = 64
_MOST_FIELDS = 1 << 10
"""Limit of the fields of a value; it has two, and one for each size of a tensor."""


@dataclass(frozen=True, slots=True)
class PrintedValue:
    """A text, or a tensor."""

    text: str
    """Text; of one that is longer than a MiB its beginning, and how long it is."""
    elements: TensorElements | None = None
    """The elements; None for a text, and for a tensor whose elements the text abbreviates."""
    dtype: str = ""
    """Dtype of a tensor."""
    shape: tuple[int, ...] | None = None

    @property
    def array(self) -> NDArray[Any] | None:
        """All elements, which are read now. Raises FormatError if the file became shorter, OSError."""
        return None if self.elements is None else self.elements.array()


class ByteSpan(NamedTuple):
    """The bytes of a file that hold a value."""

    start: int
    length: int


class _Field(NamedTuple):
    number: int
    value: int
    """Value of a number; 0 of a run of bytes."""
    run: ByteSpan | None


def is_print_file(path: Path) -> bool:
    """Return whether a file begins with a printed value. Raises OSError."""
    with path.open("rb") as file:
        try:
            span = next(_spans(file, path), None)
            fields = list(_fields(file, span)) if span is not None else []
            runs = {field.number: field.run for field in fields if field.run is not None}
            tensor = runs.get(_TENSOR)
            if tensor is not None:
                name = _tensor_type(file, tensor)
                return name.lower() == "str" or element_type(name) is not None
            desc = runs.get(_DESC)
            return span is not None and desc is not None and len(fields) == 1 and _is_text(file, span, desc)
        except FormatError:
            return False


def _is_text(file: BinaryIO, span: ByteSpan, desc: ByteSpan) -> bool:
    """Return whether a value is nothing but a text, encoded as short as possible."""
    head = 1 + _varint_size(desc.length)
    if not desc.length or span.length != head + desc.length:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(_read(file, desc, LONGEST_TEXT), desc.length <= LONGEST_TEXT)
    except UnicodeDecodeError:
        return False
    return True


def value_spans(path: Path, begin: int = 0) -> Iterator[ByteSpan]:
    """Find where the values of a file are, from one on; a file that is being written ends with its last whole value.

    Raises:
        FormatError: after the values before it, where bytes are no value.
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        file.seek(begin)
        yield from _spans(file, path)


def _spans(file: BinaryIO, path: Path) -> Iterator[ByteSpan]:
    size = os.fstat(file.fileno()).st_size
    while True:
        start = file.read(1)
        if not start:
            return
        if start[0] != _FIELD:
            raise FormatError(f"{path.name} has byte {start[0]:#x}, want that of a printed value")
        length = _varint(file)
        if length is None:
            return
        if length > _LARGEST:
            raise FormatError(f"{path.name} has a value of {length} bytes, want at most {_LARGEST}")
        begin = file.seek(0, os.SEEK_CUR)
        if begin + length > size:
            return
        yield ByteSpan(begin, length)
        file.seek(begin + length)


def read_value(path: Path, span: ByteSpan) -> PrintedValue:
    """Read one value, without the elements of a tensor. Raises FormatError, OSError."""
    with path.open("rb") as file:
        runs = {field.number: field.run for field in _fields(file, span) if field.run is not None}
        tensor, desc = runs.get(_TENSOR), runs.get(_DESC)
        if tensor is not None:
            return _tensor(file, path, tensor)
        return PrintedValue(_text(file, desc) if desc is not None else "")


def _text(file: BinaryIO, run: ByteSpan) -> str:
    text = _read(file, run, LONGEST_TEXT).decode("utf-8", "backslashreplace")
    if run.length <= LONGEST_TEXT:
        return text
    return f"{text}... (the first {LONGEST_TEXT:,} of {run.length:,} bytes)"


def _tensor(file: BinaryIO, path: Path, span: ByteSpan) -> PrintedValue:
    shape: list[int] = []
    name, content = "", ByteSpan(span.start, 0)
    for field in _fields(file, span):
        if field.number == _DIMS:
            shape += [field.value] if field.run is None else _packed(file, field.run)
        elif field.run is not None and field.number == _TYPE:
            name = _name(file, field.run)
        elif field.run is not None and field.number == _CONTENT:
            content = field.run
    if name.lower() == "str":
        return PrintedValue(_text(file, content))
    element = element_type(name)
    if element is None:
        raise FormatError(f"{path.name} has a tensor of {name!r}")
    stored = StoredArray(path, content.start, element, tuple(shape))
    if element.size(stored.count) != content.length:
        raise FormatError(f"{path.name} has a tensor of {name} and shape {tuple(shape)} in {content.length} bytes")
    return PrintedValue("", stored.elements(), name, stored.shape)


def _tensor_type(file: BinaryIO, span: ByteSpan) -> str:
    runs = [field.run for field in _fields(file, span) if field.number == _TYPE and field.run is not None]
    return _name(file, runs[-1]) if runs else ""


def _name(file: BinaryIO, run: ByteSpan) -> str:
    return _read(file, run, _LONGEST_NAME).decode("utf-8", "backslashreplace")


def _packed(file: BinaryIO, run: ByteSpan) -> list[int]:
    file.seek(run.start)
    sizes: list[int] = []
    while file.seek(0, os.SEEK_CUR) < run.start + run.length:
        if len(sizes) > MOST_DIMENSIONS:
            raise FormatError(f"a printed tensor has more than {MOST_DIMENSIONS} sizes")
        sizes.append(_signed(_whole_varint(file)))
    return sizes


def _fields(file: BinaryIO, span: ByteSpan) -> Iterator[_Field]:
    """Yield the fields of a message; the file may be read between them. Raises FormatError, OSError."""
    at, end = span.start, span.start + span.length
    for _ in range(_MOST_FIELDS):
        if at >= end:
            break
        file.seek(at)
        key = _whole_varint(file)
        number, type = key >> 3, key & 7
        if type == _VARINT:
            value, run = _signed(_whole_varint(file)), None
            at = file.seek(0, os.SEEK_CUR)
        elif type == _RUN:
            length = _whole_varint(file)
            value, run = 0, ByteSpan(file.seek(0, os.SEEK_CUR), length)
            at = run.start + length
        elif type in (_FIXED64, _FIXED32):
            value, run = 0, None
            at = file.seek(0, os.SEEK_CUR) + (8 if type == _FIXED64 else 4)
        else:
            raise FormatError(f"byte {at} of a printed value has no type of a field")
        if at > end or not number:
            raise FormatError(f"a field of a printed value ends at byte {at}, the value at {end}")
        yield _Field(number, value, run)
    if at < end:
        raise FormatError(f"a printed value has more than {_MOST_FIELDS} fields")


def _read(file: BinaryIO, run: ByteSpan, most: int) -> bytes:
    file.seek(run.start)
    return file.read(min(run.length, most))


def _whole_varint(file: BinaryIO) -> int:
    value = _varint(file)
    if value is None:
        raise FormatError("the file ends within a printed value")
    return value


def _varint(file: BinaryIO) -> int | None:
    value = 0
    for shift in range(0, 70, 7):
        byte = file.read(1)
        if not byte:
            return None
        value |= (byte[0] & 127) << shift
        if byte[0] < 128:
            return value
    raise FormatError("a number of a printed value has more than 10 bytes")


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _varint_size(value: int) -> int:
    return max(1, -(-value.bit_length() // 7))
