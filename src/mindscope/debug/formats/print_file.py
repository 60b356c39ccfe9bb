# SPDX-License-Identifier: Apache-2.0
"""Printed values of MindSpore: files of ``print_file_path``, and tensors in captured text.

A file is one message ``Print`` whose field ``value`` repeats, since calls are appended without any framing. Source:
MindSpore's ``print.proto`` and documentation of ``Print``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.formats.elements import element_type
from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.print_schemas import PRINTED_VALUE

_FIELD = 0x0A
_LARGEST = 1 << 31
_LONGEST_FIRST = 1 << 26
"""Bytes of the first value, by which a file is recognized."""
_TENSOR = re.compile(
    r"Tensor\(shape=\[(?P<shape>[\d, ]*)\], dtype=(?P<dtype>\w+), value=\s*(?P<values>[^)]*)\)", re.ASCII
)
_OLD_TENSOR = re.compile(
    r"Tensor shape:\[\[const vector\]\[(?P<shape>[\d, ]*)\]\](?P<dtype>\w+)\s*"
    r"val:(?P<values>[\s\d.,eE+\-\[\]infaINF]*)",
    re.ASCII,
)
_NUMBER = re.compile(r"True|False|[-+]?(?:inf|nan|\d+\.?\d*(?:[eE][-+]?\d+)?)", re.IGNORECASE | re.ASCII)


class PrintedValue(NamedTuple):
    """A text, or a tensor."""

    text: str
    array: NDArray[Any] | None
    """The elements; None for a text, and for a tensor whose elements the text abbreviates."""
    dtype: str = ""
    """Dtype of a tensor."""
    shape: tuple[int, ...] | None = None


class ValuePlace(NamedTuple):
    """Bytes of a file that hold a value."""

    start: int
    length: int


def is_print_file(path: Path) -> bool:
    """Whether a file begins with a printed value. Raises OSError."""
    with path.open("rb") as file:
        try:
            place = next(_places(file, path), None)
            if place is None or place.length > _LONGEST_FIRST:
                return False
            file.seek(place.start)
            value = wire.decode(PRINTED_VALUE, file.read(place.length))
        except FormatError:
            return False
    tensor = value.get("tensor")
    is_text = tensor is None and bool(value.get("desc")) and wire.encode(PRINTED_VALUE, value) == _read(path, place)
    return is_text or (tensor is not None and _is_known(str(tensor.get("tensor_type", ""))))


def _is_known(name: str) -> bool:
    return name.lower() == "str" or element_type(name) is not None


def _read(path: Path, place: ValuePlace) -> bytes:
    with path.open("rb") as file:
        file.seek(place.start)
        return file.read(place.length)


def value_places(path: Path, begin: int = 0) -> Iterator[ValuePlace]:
    """Find where the values of a file are, from one on; a file that is being written ends with its last whole value.

    Raises:
        FormatError: after the values before it, where bytes are no value.
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        file.seek(begin)
        yield from _places(file, path)


def _places(file: BinaryIO, path: Path) -> Iterator[ValuePlace]:
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
        file.seek(length, os.SEEK_CUR)
        yield ValuePlace(begin, length)


def read_value(path: Path, place: ValuePlace) -> PrintedValue:
    """Read one value. Raises FormatError, OSError."""
    return _value(wire.decode(PRINTED_VALUE, _read(path, place)), path)


def printed_tensors(text: str) -> Iterator[PrintedValue]:
    """The tensors in a captured text, as Print writes them in graph mode, also in the form of r1.0."""
    for pattern in (_TENSOR, _OLD_TENSOR):
        for match in pattern.finditer(text):
            shape = tuple(int(size) for size in match["shape"].split(",") if size.strip())
            element = element_type(match["dtype"])
            numbers = _NUMBER.findall(match["values"])
            array = None
            if element is not None and len(numbers) == int(np.prod(shape)) and "..." not in match["values"]:
                array = np.array([_number(each) for each in numbers]).reshape(shape)
                array = array.astype(np.float32 if element.decode else element.stored)
            yield PrintedValue(match[0], array, match["dtype"], shape)


def _number(text: str) -> float:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        return float(text)


def _varint(file: BinaryIO) -> int | None:
    value = 0
    for shift in range(0, 63, 7):
        byte = file.read(1)
        if not byte:
            return None
        value |= (byte[0] & 127) << shift
        if byte[0] < 128:
            return value
    raise FormatError("length of a printed value has more than 9 bytes")


def _value(message: dict[str, Any], path: Path) -> PrintedValue:
    tensor = message.get("tensor")
    if tensor is None:
        return PrintedValue(str(message.get("desc", "")), None)
    name = str(tensor.get("tensor_type", ""))
    shape = tuple(int(size) for size in tensor.get("dims", ()))
    content: bytes = tensor.get("tensor_content", b"")
    if name.lower() == "str":
        return PrintedValue(content.decode("utf-8", "replace"), None)
    element = element_type(name)
    count = int(np.prod(shape, dtype=object)) if shape else 1
    if element is None or min(shape, default=0) < 0 or element.size(count) != len(content):
        raise FormatError(f"{path.name} has a tensor of {name} and shape {shape} in {len(content)} bytes")
    array = element.read(np.frombuffer(content, element.stored))[:count].reshape(shape)
    return PrintedValue("", array, name, shape)
