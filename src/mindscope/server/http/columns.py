# SPDX-License-Identifier: Apache-2.0
"""The wire format of messages with columns: ``application/vnd.mindscope.columns``.

    byte 0   "MSC1"
         4   uint32, little endian: length H of the header
         8   H bytes: the header, JSON in UTF-8, padded with spaces so that 8 + H is a multiple of 8
         8+H data: the columns one after the other, little endian, each padded with zeros to a multiple of 8

The header is any message. A field such as ``step: Float64`` takes an array, and is a ``Column`` in the header. Offsets
count from the start of the data, so that a client can lay typed arrays over the bytes without copying.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, Field, GetCoreSchemaHandler, SerializationInfo
from pydantic_core import core_schema
from typing_extensions import TypedDict

from mindscope.formats.message_columns import Texts
from mindscope.server.http.json_response import json_of
from mindscope.server.http.response_limit import check_size
from mindscope.server.http.schema import Answer

MEDIA_TYPE = "application/vnd.mindscope.columns"
MAGIC = b"MSC1"
ALIGNMENT = 8
CHUNK_BYTES = 1 << 18

Name = TypeVar("Name", bound=BaseModel)
Part = TypeVar("Part")


class Column(TypedDict):
    """Where a column is: ``offset`` in bytes from the start of the data, ``length`` in numbers, little endian."""

    dtype: str
    offset: int
    length: int


class CompactColumn(Column):
    """A column of ``value_type`` in the smallest ``dtype`` that holds it.

    The data of a constant one is a single number for all ``length``.
    """

    value_type: str
    is_constant: bool


@dataclass(slots=True)
class ColumnData:
    """The columns after the header; ``size`` is in bytes and a multiple of 8."""

    columns: list[NDArray[Any]] = field(default_factory=list[NDArray[Any]])
    size: int = 0
    entries: dict[int, dict[str, object]] = field(default_factory=dict[int, "dict[str, object]"])
    """The fields of a column in the header by ``id(values)``: a message that occurs twice shares its data."""

    def add(self, values: NDArray[Any]) -> dict[str, object]:
        """Return the fields of a ``Column``."""
        entry = self.entries.get(id(values))
        if entry is None:
            entry = self.entries[id(values)] = {
                "dtype": values.dtype.name, "offset": self.size, "length": values.size,
            }  # fmt: skip
            self.columns.append(values)
            self.size += _aligned(values.nbytes)
        return entry

    def add_compact(self, values: NDArray[Any]) -> dict[str, object]:
        """Return the fields of a ``CompactColumn``."""
        if id(values) not in self.entries:
            is_constant = values.size > 1 and bool(_same(values, values[0]).all())
            entry = self.add(_narrowed(values[:1] if is_constant else values))
            self.entries[id(values)] = {
                **entry, "length": values.size, "value_type": values.dtype.name, "is_constant": is_constant,
            }  # fmt: skip
        return self.entries[id(values)]

    def chunks(self) -> Iterator[bytes]:
        """Yield the columns one after the other, copied chunk by chunk."""
        for values in self.columns:
            rows = CHUNK_BYTES // values.itemsize
            for start in range(0, values.size, rows):
                yield values[start : start + rows].tobytes()
            yield bytes(-values.nbytes % ALIGNMENT)


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The type of a field that holds a column; the float type that an array has without a ``dtype``.

    ``is_compact``: the column is sent in the smallest type that holds its values, and once if all are the same.
    """

    dtype: str | None
    is_compact: bool = False

    def array(self, values: Any) -> NDArray[Any]:
        """Return the values as a column; dimensions follow each other row by row."""
        column: NDArray[Any] = np.asarray(values)
        dtype = self.dtype or ("float32" if column.dtype == np.float32 else "float64")
        return column.astype(_little_endian(dtype), copy=False).reshape(-1)

    def _append(self, values: NDArray[Any], info: SerializationInfo[ColumnData]) -> dict[str, object]:
        data: ColumnData = info.context
        return data.add_compact(values) if self.is_compact else data.add(values)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        fields = handler.generate_schema(_message_of(self))
        serializer = core_schema.plain_serializer_function_ser_schema(self._append, info_arg=True, return_schema=fields)
        return core_schema.no_info_plain_validator_function(self.array, serialization=serializer)


@cache
def _little_endian(dtype: str) -> np.dtype[Any]:
    return np.dtype(f"<{np.dtype(dtype).str[1:]}")


@cache
def _message_of(kind: ColumnType) -> Any:
    """Return the type of the column in the header, as the OpenAPI document describes it."""
    types = [kind.dtype] if kind.dtype else ["float32", "float64"]
    base = CompactColumn if kind.is_compact else Column
    fields = {**get_type_hints(base)}
    fields["value_type" if kind.is_compact else "dtype"] = Annotated[str, Field(json_schema_extra={"enum": [*types]})]
    name = f"{'Compact' if kind.is_compact else ''}{(kind.dtype or 'float').capitalize()}Column"
    message = cast(Any, TypedDict)(name, fields)
    message.__doc__ = base.__doc__
    return message


Float64 = Annotated[ArrayLike, ColumnType("float64")]
Float32 = Annotated[ArrayLike, ColumnType("float32")]
Floats = Annotated[ArrayLike, ColumnType(None)]
"""float32, or float64 where the array has it."""
Int32 = Annotated[ArrayLike, ColumnType("int32")]
Uint32 = Annotated[ArrayLike, ColumnType("uint32")]
Uint16 = Annotated[ArrayLike, ColumnType("uint16")]
Uint8 = Annotated[ArrayLike, ColumnType("uint8")]
"""Also truth values."""
CompactFloat64 = Annotated[ArrayLike, ColumnType("float64", is_compact=True)]
CompactInt32 = Annotated[ArrayLike, ColumnType("int32", is_compact=True)]
CompactUint32 = Annotated[ArrayLike, ColumnType("uint32", is_compact=True)]
CompactUint8 = Annotated[ArrayLike, ColumnType("uint8", is_compact=True)]


class Utf8Column(Answer):
    """Texts one after the other in ``utf8``; text i ends before byte ``ends[i]``."""

    utf8: Uint8
    ends: Uint32

    @staticmethod
    def of(texts: Sequence[str] | Texts) -> Utf8Column:
        """Return a column of texts. A half of a surrogate pair becomes a question mark."""
        if not isinstance(texts, Texts):
            texts = Texts.of([text.encode("utf-8", "replace").decode() for text in texts])
        return Utf8Column(utf8=texts.joined, ends=texts.ends)


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


def pack(header: Answer) -> Packed:
    """Return a message with columns as a response. Raises AnswerTooLargeError."""
    data = ColumnData()
    text = json_of(header, context=data).encode()
    check_size(len(text) + data.size)
    length = _aligned(8 + len(text)) - 8
    return Packed(MAGIC + length.to_bytes(4, "little") + text.ljust(length), data)


def each_once(names: Iterable[Name], compute: Callable[[Name], Part]) -> Iterator[Part]:
    """Yield the result of ``compute`` for each name, in their order. Computes equal names once.

    Raises AnswerTooLargeError at the first result with which the columns have more bytes than a response may.
    """
    known: dict[str, Part] = {}
    size = 0
    for name in names:
        key = name.model_dump_json()
        if key not in known:
            known[key] = compute(name)
            size += _size_of(known[key])
            check_size(size)
        yield known[key]


def _size_of(part: object) -> int:
    """Return the bytes of the columns of a message."""
    if isinstance(part, BaseModel):
        return sum(map(_size_of, part.__dict__.values()))
    return part.nbytes if isinstance(part, np.ndarray) else 0


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values in the smallest type of their kind that holds them."""
    if not values.size:
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
