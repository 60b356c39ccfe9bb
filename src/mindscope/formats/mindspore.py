# SPDX-License-Identifier: Apache-2.0
"""MindSpore's dialect: what an Event or a LineageEvent holds, and the values in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats._scalar_events import encode_summary_event
from mindscope.formats.event_fields import split_event
from mindscope.formats.mindspore_schemas import (
    DATA_TYPES,
    DATASET_GRAPH,
    EVALUATION_LINEAGE,
    EVENT,
    EXPLAIN,
    GRAPH,
    SUMMARY,
    TENSOR,
    TRAIN_LINEAGE,
    USER_DEFINED_INFO,
    VALUE,
)
from mindscope.formats.tensors import array_from_bytes, reshape
from mindscope.reasons import Reason
from mindscope.types import Histogram, Image, Kind, Landscape, Located, Message, Tensor

__all__ = ["VERSION", "decode", "decode_tensor", "locate", "locate_lineage", "summary_event", "value_field"]

VERSION = "MindSpore.Event:1"
"""What the first record of an event file says; lineage files have none."""

VALUE_KINDS = {3: Kind.SCALAR, 4: Kind.IMAGE, 8: Kind.TENSOR, 9: Kind.HISTOGRAM, 10: Kind.LANDSCAPE, 30: Kind.TEXT}
EVENT_KINDS = {4: Kind.GRAPH, 6: Kind.EXPLAIN}
EXACT_FIELD = 1001
"""Of a Value: the scalar as float64, where float32 does not hold it; ours, and skipped by other readers."""
_SUMMARY_FIELD = 5
_EVENT_FIELDS = {_SUMMARY_FIELD, *EVENT_KINDS}
LINEAGE_KINDS = {6: Kind.TRAIN_LINEAGE, 7: Kind.EVAL_LINEAGE, 9: Kind.DATASET_GRAPH, 10: Kind.CUSTOM_LINEAGE}
_MESSAGES = {
    Kind.TRAIN_LINEAGE: TRAIN_LINEAGE,
    Kind.EVAL_LINEAGE: EVALUATION_LINEAGE,
    Kind.DATASET_GRAPH: DATASET_GRAPH,
    Kind.CUSTOM_LINEAGE: USER_DEFINED_INFO,
    Kind.GRAPH: GRAPH,
    Kind.EXPLAIN: EXPLAIN,
}


# ---- reading --------------------------------------------------------------------------------------------------------


def locate(payload: bytes | memoryview, offset: int) -> Iterator[Located]:
    """The values of one Event whose bytes begin at file byte ``offset``."""
    wall_time, step, spans = split_event(payload, _EVENT_FIELDS)
    for number, start, end in spans:
        if number == _SUMMARY_FIELD:
            yield from _locate_summary(payload, offset, start, end, step, wall_time)
        else:
            kind = EVENT_KINDS[number]
            yield Located(kind, kind.value, step, wall_time, None, offset + start, end - start)


def _locate_summary(
    payload: bytes | memoryview, offset: int, start: int, end: int, step: int, wall_time: float
) -> Iterator[Located]:
    for number, value, value_start, value_end in wire.split(payload, start, end):
        if number != 1 or value is not None:
            continue
        tag, kind, scalar, exact = "", None, None, None
        for field, content, field_start, field_end in wire.split(payload, value_start, value_end):
            if field == 1 and content is None:
                tag = str(payload[field_start:field_end], "utf-8", "backslashreplace")
            elif field in VALUE_KINDS:
                kind = VALUE_KINDS[field]
                scalar = content if kind is Kind.SCALAR and isinstance(content, float) else None
            elif field == EXACT_FIELD and isinstance(content, float):
                exact = content
        if kind is Kind.SCALAR and scalar is None:
            raise FormatError(Reason("scalar_no_float", tag=tag))
        if kind is not None:
            if scalar is not None and exact is not None:
                scalar = _exact(scalar, exact)
            yield Located(kind, tag, step, wall_time, scalar, offset + value_start, value_end - value_start)


def locate_lineage(payload: bytes | memoryview, offset: int) -> Iterator[Located]:
    """The messages of one LineageEvent whose bytes begin at file byte ``offset``; the tag is the kind's name."""
    wall_time, step, spans = split_event(payload, LINEAGE_KINDS)
    for number, start, end in spans:
        kind = LINEAGE_KINDS[number]
        yield Located(kind, kind.value, step, wall_time, None, offset + start, end - start)


def decode(kind: Kind, encoded: bytes | memoryview) -> Any:
    """The value in the bytes that a Located covers.

    float, tuple of Image, Tensor, Histogram or Landscape; a Message for graphs and lineage. Raises FormatError.
    """
    if kind in _MESSAGES:
        return wire.decode(_MESSAGES[kind], encoded)
    value = wire.decode(VALUE, encoded)
    try:
        return _DECODERS[kind](value)
    except KeyError as missing:
        tag = value.get("tag", "")
        raise FormatError(Reason("field_missing", kind=kind.value, tag=tag, field=str(missing))) from None


def _decode_scalar(value: Message) -> float:
    return _exact(value["scalar_value"], value.get("exact_scalar_value", value["scalar_value"]))


def _exact(scalar: float, exact: float) -> float:
    """``exact`` where it is the same number with more digits: another program may use the field for something else."""
    with np.errstate(over="ignore"):
        return exact if np.float32(exact) == np.float32(scalar) else scalar


def _decode_image(value: Message) -> tuple[Image, ...]:
    image = value["image"]
    return (Image(image["height"], image["width"], image["colorspace"], image["encoded_image"]),)


def _decode_histogram(value: Message) -> Histogram:
    histogram = value["histogram"]
    buckets: list[Message] = histogram.get("buckets", [])
    left = np.array([bucket["left"] for bucket in buckets], dtype=np.float64)
    width = np.array([bucket["width"] for bucket in buckets], dtype=np.float64)
    return Histogram(
        left=left,
        right=left + width,
        count=np.array([bucket["count"] for bucket in buckets], dtype=np.float64),
        minimum=histogram.get("min", 0.0),
        maximum=histogram.get("max", 0.0),
        sum=histogram.get("sum", 0.0),
        total=histogram.get("count", 0),
        nan_count=histogram.get("nan_count", 0),
        positive_infinity_count=histogram.get("pos_inf_count", 0),
        negative_infinity_count=histogram.get("neg_inf_count", 0),
    )


def decode_tensor(message: Message) -> Tensor:
    """The array of a TensorProto, in the dtype it declares.

    MindSpore writes every dtype as float32. Our recorder adds the exact bytes as ``raw_data`` where that loses any, and
    ``is_float_exact`` to the numbers of a wider dtype where it loses none.
    """
    dims = [int(size) for size in message.get("dims", [])]
    name = data_type_name(message.get("data_type", 0))
    if "raw_data" in message:
        return Tensor(array_from_bytes(message["raw_data"], name, dims))
    for field in ("double_data", "int64_data", "uint64_data", "int32_data"):
        if len(message.get(field, ())):
            return Tensor(reshape(message[field], name, dims))
    values: NDArray[Any] = message.get("float_data", np.empty(0, np.float32))
    return Tensor(reshape(values, name, dims), is_exact=is_exact_in_float32(name, message))


_EXACT_IN_FLOAT32 = {"float32", "float16", "bfloat16", "bool", "int8", "uint8", "int16", "uint16"}


def is_exact_in_float32(name: str, tensor: Message) -> bool:
    """Whether float32 numbers are those that ``tensor`` had: all of that dtype are, or its writer says these are."""
    return name in _EXACT_IN_FLOAT32 or tensor.get("is_float_exact", False)


def data_type_name(number: int) -> str:
    """The numpy name of a DataType; 'undefined' when the number is unknown."""
    return DATA_TYPES[number].lower() if 0 <= number < len(DATA_TYPES) else "undefined"


def _decode_tensor_value(value: Message) -> Tensor:
    return decode_tensor(value["tensor"])


def _decode_landscape(value: Message) -> Landscape:
    message = value["loss_landscape"]
    plane, path = message["landscape"], message.get("loss_path", {})
    points, metadata = path.get("points", {}), message.get("metadata", {})
    convergence = message.get("convergence_point")
    x, y, z = (decode_tensor(plane[axis]).value for axis in "xyz")
    if z.size != x.size * y.size or any(each.dtype.kind not in "biuf" for each in (x, y, z)):
        raise FormatError(Reason("landscape_shape", x=x.size, y=y.size, z=z.size))
    return Landscape(
        x=x,
        y=y,
        z=z,
        path_intervals=tuple(path.get("intervals", ())),
        path_x=_optional_array(points, "x"),
        path_y=_optional_array(points, "y"),
        path_z=_optional_array(points, "z"),
        convergence_point=_read_point(convergence) if convergence else None,
        decomposition=metadata.get("decomposition", ""),
        unit=metadata.get("unit", ""),
        step_per_epoch=metadata.get("step_per_epoch", 0),
    )


def _optional_array(points: Message, axis: str) -> NDArray[Any] | None:
    return decode_tensor(points[axis]).value if axis in points else None


def _read_point(point: Message) -> tuple[float, float, float] | None:
    """None where one of its coordinates is an empty tensor: the landscape is whole without it."""
    x, y, z = (decode_tensor(point[axis]).value.reshape(-1) for axis in "xyz")
    return (float(x[0]), float(y[0]), float(z[0])) if x.size and y.size and z.size else None


def _decode_text(value: Message) -> tuple[str, ...]:
    return (value["text"],)


_DECODERS = {
    Kind.SCALAR: _decode_scalar,
    Kind.IMAGE: _decode_image,
    Kind.TENSOR: _decode_tensor_value,
    Kind.HISTOGRAM: _decode_histogram,
    Kind.LANDSCAPE: _decode_landscape,
    Kind.TEXT: _decode_text,
}


# ---- writing --------------------------------------------------------------------------------------------------------


def value_field(value: Message) -> bytes:
    """One ``Summary.value`` field; concatenate them for ``summary_event``."""
    return wire.encode(SUMMARY, {"value": [value]})


def summary_event(wall_time: float, step: int, values: bytes) -> bytes:
    """The payload of an Event whose Summary is made of ``values``, concatenated ``value_field`` bytes."""
    return encode_summary_event(wall_time, step, values)


def version_event(wall_time: float) -> bytes:
    """The payload of the first record of an event file."""
    return wire.encode(EVENT, {"wall_time": wall_time, "version": VERSION})


def encode_tensor(message: Message) -> bytes:
    """A TensorProto alone, as landscapes and graphs hold it."""
    return wire.encode(TENSOR, message)
