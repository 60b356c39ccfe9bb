# SPDX-License-Identifier: Apache-2.0
"""Writes the values of a run as events of TensorBoard's format."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np

from mindscope.capture.encoded import Encoded, as_buffers, large_record, nested
from mindscope.capture.event_stream import FLOAT64_TENSOR, SIMPLE
from mindscope.capture.event_writer import tensorboard_version_record
from mindscope.capture.protobuf_fields import bytes_field, text_field
from mindscope.capture.tensorboard_tensors import TENSORBOARD_TENSOR
from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats._event_batch import EventBatch
from mindscope.formats.graph_def import graph_to_tensorboard
from mindscope.formats.kinds import KINDS
from mindscope.formats.kinds.graph import is_value
from mindscope.formats.mindspore_schemas import GRAPH
from mindscope.formats.tensorboard import metadata_of
from mindscope.formats.tensorboard_schemas import EVENT
from mindscope.formats.tensorboard_values import value_field
from mindscope.reading.scalars import Scalars
from mindscope.reading.values import Sample, Values
from mindscope.types import DialectName, Kind, Message

_SUMMARY_FIELD, _VALUE_FIELD = 5, 1  # of an Event, of a Summary
_ROWS = 1 << 16
"""Points that are Python objects at the same time."""
_TAG_FIELD, _TENSOR_FIELD, _METADATA_FIELD = 1, 8, 9  # of a Summary.Value


class TensorBoardFile:
    """Appends events to an open file, which it begins with the record of its version."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._file.write(tensorboard_version_record())

    def add_scalars(self, tag: str, scalars: Scalars) -> None:
        """Append all points of a tag; as tensors of float64 if float32 can't hold one of them."""
        form = FLOAT64_TENSOR if scalars.value.dtype == np.float64 else SIMPLE
        batch = EventBatch()
        for start in range(0, len(scalars), _ROWS):
            rows = slice(start, start + _ROWS)
            columns = (scalars.value[rows].astype(np.float64), scalars.step[rows], scalars.wall_time[rows])
            for value, step, wall_time in zip(*(column.tolist() for column in columns), strict=True):
                if not batch.add(tag, value, step, wall_time, form):
                    self._file.write(batch.take())
                    batch = EventBatch()
                    batch.add(tag, value, step, wall_time, form)
        self._file.write(batch.take())

    def add_message(self, wall_time: float, step: int, message: Message) -> None:
        """Append one ``Summary.Value``."""
        self._add_values(wall_time, step, value_field(message))

    def add_value(self, tag: str, values: Values[Any], row: int, metadata: bytes | None = None) -> None:
        """Append a value of a tag; adds ``metadata`` if the value has none. Raises FormatError if it can't be read."""
        sample = values[row]
        fields = _value_fields(tag, values, row, sample, metadata)
        self._add_values(sample.wall_time, sample.step, fields)

    def add_event(self, values: Values[Any], row: int) -> None:
        """Append a value that has no tag, such as a graph. Raises FormatError if it can't be read."""
        sample, kind = values[row], values.kind
        if values.unread(row).dialect is DialectName.MINDSPORE:
            encoded = graph_to_tensorboard(wire.decode(GRAPH, sample.value.data))
        else:
            encoded = values.encoded(row)
            if is_value(encoded):  # a plugin's, such as the layers of a Keras model
                self._add_values(sample.wall_time, sample.step, bytes_field(_VALUE_FIELD, encoded))
                return
        storage = KINDS[kind].tensorboard
        assert storage is not None
        assert storage.event_field is not None
        self._add(sample.wall_time, sample.step, storage.event_field, encoded)

    def _add_values(self, wall_time: float, step: int, fields: Encoded) -> None:
        self._add(wall_time, step, _SUMMARY_FIELD, fields)

    def _add(self, wall_time: float, step: int, field: int, content: Encoded) -> None:
        head = wire.encode(EVENT, {"wall_time": wall_time, "step": step})
        for buffer in as_buffers(large_record(head, nested(field, content)).buffers):
            self._file.write(buffer)


def tag_metadata(values: Values[Any]) -> bytes | None:
    """Return the first metadata of a tag; later values of a tag rely on it. None if it has none."""
    for row in range(len(values)):
        if values.unread(row).dialect is DialectName.TENSORBOARD:
            try:
                metadata = metadata_of(values.encoded(row))
            except FormatError:
                continue
            if metadata is not None:
                return bytes(metadata)
    return None


def needs_metadata(values: Values[Any]) -> bool:
    """Return whether the first of ``values`` is a tensor without metadata. Raises FormatError if it can't be read."""
    if not len(values) or values.unread(0).dialect is not DialectName.TENSORBOARD:
        return False
    encoded = values.encoded(0)
    numbers = {number for number, *_ in wire.split(encoded, 0, len(encoded))}
    return _TENSOR_FIELD in numbers and _METADATA_FIELD not in numbers


def _value_fields(tag: str, values: Values[Any], row: int, sample: Sample[Any], metadata: bytes | None) -> Encoded:
    """Return the ``Summary.value`` field: a copy of one of TensorBoard's, else the value in TensorBoard's form."""
    if values.unread(row).dialect is DialectName.TENSORBOARD:
        encoded = _copy(values.encoded(row), tag, values.tag)
        parts = (encoded,) if metadata is None else (encoded, bytes_field(_METADATA_FIELD, metadata))
        return nested(_VALUE_FIELD, *parts)
    if values.kind is Kind.TENSOR:
        TENSORBOARD_TENSOR.check(sample.value.value)
        return TENSORBOARD_TENSOR.encode(tag, sample.value.value, _ignore)
    convert = KINDS[values.kind].to_tensorboard
    assert convert is not None
    return value_field(convert(tag, sample.value))


def _copy(encoded: bytes, tag: str, given: str) -> bytes:
    """Return a ``Summary.Value`` with another tag."""
    if tag == given:
        return encoded
    fields = wire.split(encoded, 0, len(encoded))  # all but a scalar are texts, bytes or messages
    rest = [
        bytes_field(number, encoded[start:end])
        for number, value, start, end in fields
        if value is None and number != _TAG_FIELD
    ]
    return b"".join((text_field(_TAG_FIELD, tag), *rest))


def _ignore(cause: str, subject: str, text: str) -> None:
    """Take the warning of an encoder that has none to give."""
