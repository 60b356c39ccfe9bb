# SPDX-License-Identifier: Apache-2.0
"""TensorBoard's dialect: what an Event holds, and the values in it, in old form (own fields) and new (tensors)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.event_fields import split_event
from mindscope.formats.tensorboard_schemas import (
    EVENT,
    GRAPH,
    HPARAMS,
    LAYOUT,
    LOG_MESSAGE,
    METADATA,
    SESSION_LOG,
    TAGGED_RUN_METADATA,
    VALUE,
)
from mindscope.formats.tensors import array_from_bytes, dtype_by_name, reshape
from mindscope.reasons import Reason
from mindscope.types import Audio, Histogram, Image, Kind, Located, Message, Tensor, Undecodable

__all__ = ["VERSION", "decode", "decode_tensor", "locate", "version_event"]

VERSION = "brain.Event:2"
"""What the first record of an event file says."""

_PLUGIN_KINDS = {
    "scalars": Kind.SCALAR,
    "images": Kind.IMAGE,
    "histograms": Kind.HISTOGRAM,
    "distributions": Kind.HISTOGRAM,
    "text": Kind.TEXT,
    "audio": Kind.AUDIO,
    "pr_curves": Kind.PR_CURVE,
    "mesh": Kind.MESH,
    "hparams": Kind.HPARAMS,
    "custom_scalars": Kind.CUSTOM_SCALARS,
    "graphs": Kind.GRAPH,
    "graph_run_metadata": Kind.RUN_METADATA,
    "graph_run_metadata_graph": Kind.RUN_METADATA,
    "graph_keras_model": Kind.GRAPH,
    "graph_tagged_run_metadata": Kind.RUN_METADATA,
}
FIELD_KINDS = {
    2: Kind.SCALAR,
    3: Kind.HISTOGRAM,
    4: Kind.IMAGE,
    5: Kind.HISTOGRAM,
    6: Kind.AUDIO,
    8: Kind.TENSOR,
}
EVENT_KINDS = {4: Kind.GRAPH, 6: Kind.LOG_MESSAGE, 7: Kind.SESSION, 8: Kind.RUN_METADATA, 9: Kind.META_GRAPH}
_SUMMARY_FIELD = 5
_EVENT_FIELDS = {_SUMMARY_FIELD, *EVENT_KINDS}
_EVENT_MESSAGES = {
    Kind.LOG_MESSAGE: LOG_MESSAGE,
    Kind.SESSION: SESSION_LOG,
    Kind.RUN_METADATA: TAGGED_RUN_METADATA,
}
_DTYPES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    14: "bfloat16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    22: "uint32",
    23: "uint64",
    24: "float8_e5m2",
    25: "float8_e4m3fn",
}
_STRING = 7
_TENSOR_FIELD = 8  # of a Summary.Value


# ---- reading --------------------------------------------------------------------------------------------------------


def locate(payload: bytes | memoryview, offset: int, kinds: dict[str, Kind]) -> Iterator[Located | Undecodable]:
    """The values of one Event whose bytes begin at file byte ``offset``.

    ``kinds`` remembers the kind of each tag, because only the first event of a tag says its plugin; keep one dict for
    each run and hand it to every call. A value that can't be decoded does not keep the others of its event from being
    had. Metadata that can't be decoded says nothing: its value is what its field makes it, and both are told.
    Raises FormatError when the event itself breaks the encoding.
    """
    wall_time, step, spans = split_event(payload, _EVENT_FIELDS)
    for number, start, end in spans:
        if number == _SUMMARY_FIELD:
            yield from _locate_summary(payload, offset, start, end, step, wall_time, kinds)
            continue
        kind = EVENT_KINDS[number]
        try:
            tag = run_metadata_tag(payload, start, end) if kind is Kind.RUN_METADATA else kind.value
            yield Located(kind, tag, step, wall_time, None, offset + start, end - start)
        except FormatError as error:
            yield Undecodable(offset + start, end - start, error)


def run_metadata_tag(payload: bytes | memoryview, start: int, end: int) -> str:
    for number, value, text_start, text_end in wire.split(payload, start, end):
        if number == 1 and value is None:
            return str(payload[text_start:text_end], "utf-8", "backslashreplace")
    return Kind.RUN_METADATA.value


def _locate_summary(
    payload: bytes | memoryview,
    offset: int,
    start: int,
    end: int,
    step: int,
    wall_time: float,
    kinds: dict[str, Kind],
) -> Iterator[Located | Undecodable]:
    for number, value, value_start, value_end in wire.split(payload, start, end):
        if number != 1 or value is not None:
            continue
        tag, kind, scalar, metadata = "", None, None, None
        for field, content, field_start, field_end in wire.split(payload, value_start, value_end):
            if field == 1 and content is None:
                tag = str(payload[field_start:field_end], "utf-8", "backslashreplace")
            elif field == 9 and content is None:
                metadata = payload[field_start:field_end]
            elif field in FIELD_KINDS:
                kind = FIELD_KINDS[field]
                scalar = content if kind is Kind.SCALAR and isinstance(content, float) else None
        if kind is None and metadata is None:
            continue
        encoded, place = payload[value_start:value_end], (offset + value_start, value_end - value_start)
        if kind in TOLD_BY_METADATA:
            try:
                learn_kind(tag, metadata, kinds)
            except FormatError as error:
                yield Undecodable(*place, error)
            kind = kinds.get(tag, kind)
        try:
            if kind is Kind.SCALAR and scalar is None:
                scalar = decode(Kind.SCALAR, encoded)
        except FormatError as error:
            yield Undecodable(*place, error)
            continue
        if kind is not None:
            yield Located(kind, tag, step, wall_time, scalar, *place)


TOLD_BY_METADATA = (Kind.TENSOR, None)
"""What a value is by its field when the plugin says more."""


def learn_kind(tag: str, metadata: bytes | memoryview | None, kinds: dict[str, Kind]) -> None:
    """Remember what the plugin in an encoded SummaryMetadata says of a tag, the first time that one does.

    Raises FormatError.
    """
    if metadata is None or tag in kinds:
        return
    plugin = wire.decode(METADATA, metadata).get("plugin_data", {}).get("plugin_name", "")
    if plugin in _PLUGIN_KINDS:
        kinds[tag] = _PLUGIN_KINDS[plugin]


def metadata_of(encoded: bytes | memoryview) -> bytes | memoryview | None:
    """The encoded SummaryMetadata of an encoded Summary.Value."""
    spans = [
        (start, end)
        for number, value, start, end in wire.split(encoded, 0, len(encoded))
        if number == 9 and value is None
    ]
    return encoded[slice(*spans[-1])] if spans else None


def decode(kind: Kind, encoded: bytes | memoryview) -> Any:
    """The value in the bytes that a Located covers.

    float, tuple of Image, Tensor, Histogram, Audio or tuple of str; a Message for all others. Raises FormatError.
    """
    if kind is Kind.GRAPH and not _has_tensor(encoded):
        return decode_graph(encoded)
    if kind is Kind.META_GRAPH:
        return {"meta_graph_def": bytes(encoded)}
    if kind in _EVENT_MESSAGES:
        return wire.decode(_EVENT_MESSAGES[kind], encoded)
    value = wire.decode(VALUE, encoded)
    try:
        return _DECODERS[kind](value)
    except (KeyError, IndexError) as missing:
        tag = value.get("tag", "")
        raise FormatError(Reason("field_missing", kind=kind.value, tag=tag, field=str(missing))) from None


def decode_graph(encoded: bytes | memoryview) -> Message:
    """A GraphDef as a message."""
    return wire.decode(GRAPH, encoded)


def _has_tensor(encoded: bytes | memoryview) -> bool:
    """Whether the bytes of a graph are a Summary.Value: a GraphDef has four fields."""
    return any(number == _TENSOR_FIELD for number, _, _, _ in wire.split(encoded, 0, len(encoded)))


def decode_tensor(message: Message) -> NDArray[Any]:
    """The array of a TensorProto: numbers in their dtype, strings as an object array of bytes.

    A run of numbers shorter than the shape repeats its last one, as the format says.
    """
    dims = [int(dim.get("size", 0)) for dim in message.get("tensor_shape", {}).get("dim", [])]
    number = message.get("dtype", 0)
    if number == _STRING:
        strings = np.array(message.get("string_val", []), dtype=object)
        return reshape(strings, "", dims or [strings.size])
    name = data_type_name(number)
    dtype = dtype_by_name(name)
    if dtype is None:
        raise FormatError(Reason("tensor_dtype_number", number=number))
    if "tensor_content" in message:
        return array_from_bytes(message["tensor_content"], name, dims)
    try:
        numbers = _numbers(message, dtype)
    except ValueError as error:  # numpy's, of a list whose numbers are not of that size
        raise FormatError(Reason("tensor_numbers", dtype=name, why=str(error))) from None
    return reshape(_fill(numbers, int(np.prod(dims)) if dims else 1), name, dims)


def data_type_name(number: int) -> str:
    """The numpy name of a DataType; '' when an array can't hold it."""
    return _DTYPES.get(number, "")


def _numbers(message: Message, dtype: np.dtype[Any]) -> NDArray[Any]:
    if "half_val" in message:
        return _halves(message["half_val"], dtype)
    if "float8_val" in message:
        return np.frombuffer(message["float8_val"], dtype)
    for field in ("scomplex_val", "dcomplex_val"):
        if field in message:
            return message[field].astype(dtype.type(0).real.dtype).view(dtype)
    for field in ("float_val", "double_val", "int_val", "int64_val", "bool_val", "uint32_val", "uint64_val"):
        if field in message:
            return message[field]
    return np.zeros(1, dtype)


def _halves(bits: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """float16 or bfloat16 from bit patterns, of which PyTorch's ``add_tensor`` writes those of float32."""
    if bool(((bits < 0) | (bits > 0xFFFF)).any()):
        with np.errstate(over="ignore", invalid="ignore"):
            return bits.astype(np.int32).view(np.float32).astype(dtype)
    return bits.astype(np.uint16).view(dtype)


_MOST_REPEATED = 1 << 24  # a tensor of a constant beyond this is a lying shape


def _fill(values: NDArray[Any], size: int) -> NDArray[Any]:
    if 0 < len(values) < size <= _MOST_REPEATED:
        return np.concatenate([values, np.repeat(values[-1:], size - len(values))])
    return values[:size] if size == 0 else values


def _strings(value: Message) -> list[bytes]:
    return list(value["tensor"].get("string_val", []))


def _decode_scalar(value: Message) -> float:
    if "simple_value" in value:
        return value["simple_value"]
    array = decode_tensor(value["tensor"])
    if array.size != 1 or array.dtype == object:
        raise FormatError(Reason("scalar_shape", tag=value.get("tag", ""), shape=str(array.shape)))
    return float(array.reshape(-1)[0])


def _decode_image(value: Message) -> tuple[Image, ...]:
    if "image" in value:
        image = value["image"]
        size = image.get("height", 0), image.get("width", 0), image.get("colorspace", 0)
        return (Image(*size, image["encoded_image_string"]),)
    width, height, *pictures = _strings(value)
    return tuple(Image(int(height), int(width), 0, picture) for picture in pictures)


def _decode_histogram(value: Message) -> Histogram:
    if "histo" in value:
        return _from_limits(value["histo"])
    if "obsolete_old_style_histogram" in value:
        raise FormatError(Reason("histogram_old", tag=value.get("tag", "")))
    buckets = decode_tensor(value["tensor"]).astype(np.float64).reshape(-1, 3)
    left, right, count = (np.ascontiguousarray(buckets[:, column]) for column in range(3))
    seen = count > 0
    low, high = (float(left[seen][0]), float(right[seen][-1])) if seen.any() else (0.0, 0.0)
    middle = float(((left + right) / 2 * count).sum())
    return Histogram(left, right, count, low, high, middle, float(count.sum()))


def _from_limits(histogram: Message) -> Histogram:
    """Buckets from their upper limits, without the empty ones at both ends: the outermost edges are then the data's."""
    limits = histogram.get("bucket_limit", np.empty(0))
    count = histogram.get("bucket", np.empty(0))
    if len(limits) != len(count):
        raise FormatError(Reason("histogram_limits", limits=len(limits), counts=len(count)))
    low, high = histogram.get("min", 0.0), histogram.get("max", 0.0)
    total = histogram.get("num", float(count.sum()))
    seen = np.flatnonzero(count > 0)
    first, last = (int(seen[0]), int(seen[-1])) if seen.size else (0, -1)
    inner = limits[first : max(last, 0)]
    left = np.concatenate([[low], inner]) if seen.size else np.empty(0)
    right = np.concatenate([inner, [high]]) if seen.size else np.empty(0)
    return Histogram(left, right, count[first : last + 1], low, high, histogram.get("sum", 0.0), total)


def _decode_text(value: Message) -> tuple[str, ...]:
    texts = tuple(str(text, "utf-8", "backslashreplace") for text in _strings(value))
    shape = [int(dim.get("size", 0)) for dim in value["tensor"].get("tensor_shape", {}).get("dim", [])]
    is_table = len(shape) == 2 and shape[0] > 0 and shape[1] > 0 and shape[0] * shape[1] == len(texts)
    return (_table(texts, shape[1]),) if is_table else texts


def _table(cells: tuple[str, ...], columns: int) -> str:
    """Cells row by row as a table of Markdown, which has no line breaks in cells and wants a head."""
    plain = [" ".join(cell.replace("|", "\\|").split()) for cell in cells]
    rows = [plain[start : start + columns] for start in range(0, len(plain), columns)]
    return "\n".join(f"| {' | '.join(row)} |" for row in ([""] * columns, ["---"] * columns, *rows))


def _decode_audio(value: Message) -> Audio:
    if "audio" in value:
        audio = value["audio"]
        return Audio(
            audio.get("sample_rate", 0.0),
            audio.get("num_channels", 0),
            audio.get("length_frames", 0),
            audio["encoded_audio_string"],
            audio.get("content_type", ""),
        )
    clips = _strings(value)[:: _strings_a_row(value)]
    return Audio(0.0, 0, 0, clips[0], "audio/wav", tuple(clips[1:]))


def _strings_a_row(value: Message) -> int:
    """How many strings follow each other in a row of a tensor of two dimensions, as of clips with a label each."""
    dims = value["tensor"].get("tensor_shape", {}).get("dim", [])
    return max(1, int(dims[1].get("size", 0))) if len(dims) == 2 else 1


def _decode_graph_value(value: Message) -> Message:
    """The JSON of a Keras model as ``{"keras_model": text}``, or a GraphDef."""
    encoded = _strings(value)[0]
    if encoded.lstrip().startswith(b"{"):
        return {"keras_model": str(encoded, "utf-8", "backslashreplace")}
    return decode_graph(encoded)


def _decode_tensor_value(value: Message) -> Tensor:
    return Tensor(decode_tensor(value["tensor"]))


def _decode_hparams(value: Message) -> Message:
    return wire.decode(HPARAMS, value["metadata"]["plugin_data"].get("content", b""))


def _decode_layout(value: Message) -> Message:
    return wire.decode(LAYOUT, _strings(value)[0])


_DECODERS = {
    Kind.SCALAR: _decode_scalar,
    Kind.IMAGE: _decode_image,
    Kind.TENSOR: _decode_tensor_value,
    Kind.HISTOGRAM: _decode_histogram,
    Kind.TEXT: _decode_text,
    Kind.AUDIO: _decode_audio,
    Kind.GRAPH: _decode_graph_value,
    Kind.PR_CURVE: _decode_tensor_value,
    Kind.MESH: _decode_tensor_value,
    Kind.HPARAMS: _decode_hparams,
    Kind.CUSTOM_SCALARS: _decode_layout,
}


# ---- writing --------------------------------------------------------------------------------------------------------


def version_event(wall_time: float) -> bytes:
    """The payload of the first record of an event file."""
    return wire.encode(EVENT, {"wall_time": wall_time, "file_version": VERSION})
