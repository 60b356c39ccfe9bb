# SPDX-License-Identifier: Apache-2.0
"""Reads ONNX files without the data of weights."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from mindscope.formats.onnx_schemas import GRAPH, MODEL, TENSOR

_SMALL_FILE = 1 << 24
_BLOCK = 1 << 16
_SMALL_FIELD = 1 << 12
_LONGEST_NUMBER, _LONGEST_HEADER = 10, 20  # bytes
_FIRST_FIELD = 8  # the least tag: no field has number 0, as a file of zeros would say
_NUMBER, _RUN, _FIXED = 0, 2, {1: 8, 5: 4}
_GRAPH_OF_MODEL = next(field.number for field in MODEL.fields if field.name == "graph")
_TENSOR_OF_GRAPH = next(field.number for field in GRAPH.fields if field.name == "initializer")
_DATA = {field.number for field in TENSOR.fields if field.name.endswith("_data") and field.name != "external_data"}


def read_without_weights(path: Path) -> bytes:
    """The bytes of a model in which the data of large initializers are zeros.

    The zeros take no memory. The bytes end after the first break of the encoding: what follows, such as gigabytes of
    zeros, would take hours to decode.
    """
    size = path.stat().st_size
    if size <= _SMALL_FILE:
        return path.read_bytes()
    data = mmap.mmap(-1, size)
    with path.open("rb") as file:
        copy = _Copy(file, data)
        copy.messages(0, size, (_GRAPH_OF_MODEL, _TENSOR_OF_GRAPH))
    if copy.broken_at is not None:
        data.resize(copy.broken_at + 1)
    return cast(bytes, data)  # read only by slices and as a buffer


class _Copy:
    """Copies all fields of a file block by block, but not the large data of tensors."""

    def __init__(self, file: BinaryIO, data: mmap.mmap) -> None:
        self._file, self._data = file, data
        self._done = 0  # all bytes before this are copied or left out
        self.broken_at: int | None = None
        """The first byte that begins no field."""

    def messages(self, start: int, stop: int, path: tuple[int, ...]) -> None:
        """Copy the message in ``start:stop``; ``path`` are the numbers of the fields that lead to tensors."""
        at = start
        while at < stop and self.broken_at is None:
            self._need(min(at + _LONGEST_HEADER, stop))
            tag = number_after(self._data, at, stop)
            content = field_content(self._data, *tag, stop) if tag is not None else None
            if tag is None or content is None or tag[0] < _FIRST_FIELD:
                self.broken_at = at
                return
            number, (first, at) = tag[0] >> 3, content
            if path and number == path[0]:
                self.messages(first, at, path[1:])
            elif path or number not in _DATA or at - first <= _SMALL_FIELD:
                self._need(at)
            else:
                self._done = max(self._done, at)

    def _need(self, stop: int) -> None:
        if stop > self._done:
            self._file.seek(self._done)
            content = self._file.read(max(stop - self._done, _BLOCK))[: len(self._data) - self._done]
            self._data[self._done : self._done + len(content)] = content
            self._done = max(stop, self._done + len(content))


def without_large_tensors(model: bytes) -> bytes:
    """The bytes of a model without the data of large initializers, up to the first break of the encoding."""
    return b"".join(_pieces(model, 0, len(model), (_GRAPH_OF_MODEL, _TENSOR_OF_GRAPH)))


def _pieces(data: bytes, start: int, stop: int, path: tuple[int, ...]) -> Iterator[bytes]:
    at = start
    while at < stop:
        tag = number_after(data, at, stop)
        content = field_content(data, *tag, stop) if tag is not None else None
        if tag is None or content is None or tag[0] < _FIRST_FIELD:
            return
        number, (first, end) = tag[0] >> 3, content
        if path and number == path[0]:
            inner = b"".join(_pieces(data, first, end, path[1:]))
            yield data[at : tag[1]] + _varint(len(inner)) + inner
        elif path or number not in _DATA or end - first <= _SMALL_FIELD:
            yield data[at:end]
        at = end


def _varint(number: int) -> bytes:
    """A number as a protobuf encodes lengths."""
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def number_after(data: bytes | mmap.mmap, at: int, stop: int) -> tuple[int, int] | None:
    """The number that begins at byte ``at``, and where it ends; None if it is cut."""
    value = 0
    for place in range(min(_LONGEST_NUMBER, stop - at)):
        byte = data[at + place]
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value, at + place + 1
    return None


def field_content(data: bytes | mmap.mmap, tag: int, at: int, stop: int) -> tuple[int, int] | None:
    """Where the content of a field begins and ends, at most at ``stop``; None if the encoding breaks."""
    if tag & 7 in _FIXED:
        return at, min(at + _FIXED[tag & 7], stop)
    number = number_after(data, at, stop)
    if number is None or tag & 7 not in (_NUMBER, _RUN):
        return None
    return (at, number[1]) if tag & 7 == _NUMBER else (number[1], min(number[1] + number[0], stop))
