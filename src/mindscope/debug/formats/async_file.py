# SPDX-License-Identifier: Apache-2.0
"""Asynchronous dumps of Ascend: all tensors of one operator in a file.

::

    uint64 length of the header | DumpData, protobuf | inputs | outputs | buffers | workspaces

Each tensor is as long as its field ``size`` says, without gaps. Older files are one ``DumpData`` with the bytes in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mindscope.artifacts.problems import Problems
from mindscope.debug.formats.axis_layouts import layout_of
from mindscope.debug.formats.elements import element_type
from mindscope.debug.formats.stored_array import StoredArray
from mindscope.debug.model.tensors import Role
from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.ascend_dump_schemas import DATA_TYPES, DUMP_DATA, FORMATS
from mindscope.reasons import Reason, reason_of

_LENGTH_BYTES = 8
_MOST_HEADER = 1 << 26
_MOST_WHOLE = 1 << 28
_MOST_FIELDS = 1 << 17
"""Largest number of fields of the header of an operator; a tensor has some ten, and they take 100 bytes each."""
_PARTS = (("input", 4, 4, Role.INPUT), ("output", 3, 5, Role.OUTPUT))
"""Name and number of the field of the tensors, number of the field of their bytes, role; in the order of the bytes."""


class AsyncTensor(NamedTuple):
    """One tensor of the file."""

    role: Role
    slot: int
    dtype: str
    format: str
    shape: tuple[int, ...]
    offset: int
    size: int
    """Size in bytes."""
    array: StoredArray | None
    """The elements; None for those that no array can hold, such as texts."""


def read_async_file(path: Path, problems: Problems, most_fields: int = _MOST_FIELDS) -> list[AsyncTensor]:
    """Return the tensors of a file; only its header is read. Tensors past its end get no array, which is a problem.

    Raises:
        FormatError: the file is no dump, or its header has more than ``most_fields`` fields.
        OSError: it can't be read.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        prefix = file.read(_LENGTH_BYTES)
        length = int.from_bytes(prefix, "little")
        fits = len(prefix) == _LENGTH_BYTES and 0 < length <= min(size - _LENGTH_BYTES, _MOST_HEADER)
        header = file.read(length) if fits else b""
    message = _decoded(header, most_fields) if header else None
    if message is not None:
        offsets = _payload_offsets(message, _LENGTH_BYTES + length)
    elif 0 < size <= _MOST_WHOLE:
        data = path.read_bytes()
        message, offsets = wire.decode(DUMP_DATA, data, most_fields), _inner_offsets(data, most_fields)
    else:
        raise FormatError(f"{path.name} begins with length {length}, want that of a header in its {size} bytes")
    return list(_tensors(path, message, offsets, size, problems))


def _decoded(header: bytes, most_fields: int) -> Mapping[str, Any] | None:
    try:
        message = wire.decode(DUMP_DATA, header, most_fields)
    except FormatError as error:
        if reason_of(error).code == "wire_fields":
            raise
        return None
    return message if message.keys() & {"input", "output", "op_name", "version"} else None


def _payload_offsets(message: Mapping[str, Any], start: int) -> dict[tuple[str, int], tuple[int, int]]:
    found: dict[tuple[str, int], tuple[int, int]] = {}
    for part, _, _, _ in _PARTS:
        for index, each in enumerate(message.get(part, ())):
            size = int(each.get("size", 0))
            found[part, index] = start, size
            start += size
    return found


def _inner_offsets(data: bytes, most_fields: int) -> dict[tuple[str, int], tuple[int, int]]:
    """Return where the bytes of each tensor are within the message."""
    found: dict[tuple[str, int], tuple[int, int]] = {}
    for part, field, bytes_field, _ in _PARTS:
        tensors = [(start, end) for number, value, start, end in wire.split(data, 0, len(data), most_fields)
                   if number == field and value is None]  # fmt: skip
        for index, (start, end) in enumerate(tensors):
            spans = [(begin, stop - begin) for number, value, begin, stop in wire.split(data, start, end, most_fields)
                     if number == bytes_field and value is None]  # fmt: skip
            found[part, index] = spans[-1] if spans else (start, 0)
    return found


def _tensors(
    path: Path,
    message: Mapping[str, Any],
    offsets: Mapping[tuple[str, int], tuple[int, int]],
    file_size: int,
    problems: Problems,
) -> Iterator[AsyncTensor]:
    for part, _, _, role in _PARTS:
        for index, each in enumerate(message.get(part, ())):
            offset, size = offsets.get((part, index), (0, 0))
            if offset + size > file_size:
                cut = Reason("debug_tensor_cut", file=path.name, end=offset + size, size=file_size)
                problems.note(path, cut)
            yield _tensor(path, each, role, index, offset, size, file_size, problems)


def _tensor(
    path: Path,
    each: Mapping[str, Any],
    role: Role,
    index: int,
    offset: int,
    size: int,
    file_size: int,
    problems: Problems,
) -> AsyncTensor:
    number, format = int(each.get("data_type", 0)), FORMATS.get(int(each.get("format", 2)), "ND")
    dtype = DATA_TYPES[number] if 0 <= number < len(DATA_TYPES) else f"type {number}"
    shape = _dims(each.get("shape"))
    element = element_type(dtype)
    array = None
    if element is not None and size and offset + size <= file_size and len(shape) <= 64:
        layout = layout_of(format, shape, _dims(each.get("original_shape")))
        if layout is not None and layout.is_padded:
            problems.note(path, Reason("debug_padding", file=path.name, format=format))
        array = StoredArray(
            path, offset, element, shape,
            unpack=layout.unpack if layout else None, unpacked_shape=layout.shape if layout else None,
        )  # fmt: skip
        if element.size(array.count) > size:
            problems.note(
                path,
                Reason("debug_tensor_cut", file=path.name, end=offset + element.size(array.count), size=offset + size),
            )
            array = None
    return AsyncTensor(role, index, dtype, format, array.tensor_shape if array else shape, offset, size, array)


def _dims(shape: Mapping[str, Any] | None) -> tuple[int, ...]:
    return tuple(int(each) for each in shape.get("dim", ())) if shape else ()
