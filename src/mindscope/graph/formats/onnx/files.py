# SPDX-License-Identifier: Apache-2.0
"""Reads ONNX files without the data of weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from mindscope.errors import FormatError
from mindscope.formats.onnx_schemas import ATTRIBUTE_TENSOR, GRAPH, MODEL, NODE, TENSOR
from mindscope.formats.wire import Schema
from mindscope.reasons import Reason

MOST_BYTES = 1 << 28
"""Largest size of a model without its weights: a graph of a million nodes has about this size."""
_SMALL_FILE = 1 << 24
_BLOCK = 1 << 16
_SMALL_FIELD = 1 << 12
_LONGEST_NUMBER = 10  # bytes
_FIRST_FIELD = 8  # the least tag: no field has number 0, as a file of zeros would say
_NUMBER, _RUN, _FIXED = 0, 2, {1: 8, 5: 4}
_DATA = {field.number for field in TENSOR.fields if field.name.endswith("_data") and field.name != "external_data"}

_Fields = Mapping[int, "_Fields | None"]
"""Fields of a message that are read, by number: those of the message inside, None for data of a tensor."""


def _number(schema: Schema, name: str) -> int:
    return next(field.number for field in schema.fields if field.name == name)


_TENSOR: _Fields = dict.fromkeys(_DATA)
_ATTRIBUTE: _Fields = {_number(ATTRIBUTE_TENSOR, "t"): _TENSOR}
_NODE: _Fields = {_number(NODE, "attribute"): _ATTRIBUTE}
_MODEL: _Fields = {
    _number(MODEL, "graph"): {_number(GRAPH, "initializer"): _TENSOR, _number(GRAPH, "node"): _NODE},
}


def read_without_weights(path: Path) -> bytes:
    """Return the bytes of a model without the data of large tensors; a small file as it is.

    The bytes end after the first break of the encoding: what follows, such as gigabytes of zeros, would take hours to
    decode. Raises FormatError if there is too much else, OSError.
    """
    size = path.stat().st_size
    if size <= _SMALL_FILE:
        return path.read_bytes()
    with path.open("rb") as file:
        return _without_large_tensors(_FileBytes(file), size, path.name)


def without_large_tensors(model: bytes) -> bytes:
    """Return the bytes of a model without the data of large tensors, up to the first break of the encoding."""
    return _without_large_tensors(model, len(model), "model")


class _FileBytes:
    """Bytes of a file, read block by block."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._start, self._block = 0, b""

    def __getitem__(self, key: slice) -> bytes:
        start, stop = int(key.start), int(key.stop)
        if not self._start <= start <= stop <= self._start + len(self._block):
            self._file.seek(start)
            self._start, self._block = start, self._file.read(max(stop - start, _BLOCK))
        return self._block[start - self._start : stop - self._start]


def _without_large_tensors(data: bytes | _FileBytes, size: int, name: str) -> bytes:
    kept = 0

    def pieces(start: int, stop: int, fields: _Fields) -> Iterator[bytes]:
        """Yield the fields of the message in ``start:stop``; what is cut or broken stays so."""
        nonlocal kept
        at = start
        while at < stop:
            field = _next_field(data, at, stop)
            if field is None:
                yield data[at : at + 1]
                return
            number, tag_end, first, end = field
            is_cut, end = end > stop, min(end, stop)
            is_left_out = number in fields and end - at > _SMALL_FIELD
            inside = fields.get(number)
            if is_left_out and inside is not None:
                inner = b"".join(pieces(first, end, inside))
                yield data[at:tag_end] + _varint(len(inner) + is_cut) + inner
            elif not is_left_out:
                kept += end - at
                if kept > MOST_BYTES:
                    raise FormatError(Reason("graph_content_too_large", file=name, most=MOST_BYTES))
                yield data[at:end]
            elif is_cut:
                yield data[at:tag_end] + _varint(1)
            at = end

    return b"".join(pieces(0, size, _MODEL))


def _next_field(data: bytes | _FileBytes, at: int, stop: int) -> tuple[int, int, int, int] | None:
    """Return the number of a field, where its tag ends, where its content begins and ends; None if the encoding breaks.

    The content of a field that is cut ends after ``stop``.
    """
    head = data[at : min(at + 2 * _LONGEST_NUMBER, stop)]
    tag = number_after(head, 0, len(head))
    if tag is None or tag[0] < _FIRST_FIELD:
        return None
    (key, tag_end), kind = tag, tag[0] & 7
    if kind in _FIXED:
        return key >> 3, at + tag_end, at + tag_end, at + tag_end + _FIXED[kind]
    number = number_after(head, tag_end, len(head))
    if number is None or kind not in (_NUMBER, _RUN):
        return None
    first = at + number[1]
    return key >> 3, at + tag_end, at + tag_end if kind == _NUMBER else first, first + number[0] * (kind == _RUN)


def _varint(number: int) -> bytes:
    """Return a number as a protobuf encodes lengths."""
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def number_after(data: bytes, at: int, stop: int) -> tuple[int, int] | None:
    """Return the number that begins at byte ``at``, and where it ends; None if it is cut."""
    value = 0
    for offset in range(min(_LONGEST_NUMBER, stop - at)):
        byte = data[at + offset]
        value |= (byte & 0x7F) << 7 * offset
        if byte < 0x80:
            return value, at + offset + 1
    return None


def field_content(data: bytes, tag: int, at: int, stop: int) -> tuple[int, int] | None:
    """Find where the content of a field begins and ends, at most at ``stop``; None if the encoding breaks."""
    if tag & 7 in _FIXED:
        return at, min(at + _FIXED[tag & 7], stop)
    number = number_after(data, at, stop)
    if number is None or tag & 7 not in (_NUMBER, _RUN):
        return None
    return (at, number[1]) if tag & 7 == _NUMBER else (number[1], min(number[1] + number[0], stop))
