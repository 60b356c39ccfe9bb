# SPDX-License-Identifier: Apache-2.0
"""Taking a value over from the caller: copied and checked at once, its encoding left for later."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mindscope.capture.arriving import Arriving
from mindscope.capture.histograms import histogram_field
from mindscope.capture.images import ambiguity, check_image, copy_picture, image_message
from mindscope.capture.landscapes import landscape_bytes
from mindscope.capture.lineage import FIELDS, lineage_bytes
from mindscope.capture.messages import graph_bytes
from mindscope.capture.scalars import range_warning, scalar_fields
from mindscope.capture.spares import Spares
from mindscope.capture.tensors import check_tensor, planes, tensor_message
from mindscope.capture.values import Array, to_array, to_scalar
from mindscope.capture.wrapping import text_field, wrap
from mindscope.errors import RecorderClosedError, TypeRejectedError, ValueRejectedError
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import VALUE
from mindscope.types import Message

VALUE_PLUGINS = ("scalar", "image", "tensor", "histogram", "landscape")
MESSAGE_PLUGINS = ("graph", *FIELDS)
PLUGINS = (*VALUE_PLUGINS, *MESSAGE_PLUGINS)

_LEAST_BYTES = 16 << 10  # what a value counts in the queue at least: encoding takes time however small it is

Say = Callable[[str, str, str], None]


class Taken(NamedTuple):
    """A value that is no scalar, or one that is still to arrive; ours since ``add_value``."""

    plugin: str
    tag: str
    size: int
    """Bytes that it counts in the queue."""
    encode: Callable[[], bytes]
    """Makes the ``Summary.value`` fields, or for graphs and lineage the encoded message. Any thread may call it."""
    content: Array | Arriving | None = None
    """What ``encode`` reads, of an array: a copy that was made here, or what comes later."""


def check_plugin(plugin: Any) -> str:
    """The plugin's name in lower case, as MindSpore's documentation writes LANDSCAPE. Raises ValueError if unknown."""
    name = str(plugin).lower() if isinstance(plugin, str) else plugin
    if name not in PLUGINS:
        raise ValueError(f"plugin is {plugin!r}, want one of {', '.join(PLUGINS)}")
    return name


def rejection(plugin: str, tag: str, error: Exception) -> Exception:
    """``error`` with the plugin and tag in its text."""
    if isinstance(error, RecorderClosedError):
        return error
    if isinstance(error, ValueRejectedError) and repr(tag) in str(error):
        return error
    kind = TypeRejectedError if isinstance(error, TypeError) else ValueRejectedError
    return kind(f"{plugin} {tag!r} was not recorded: {error}")


def take(plugin: str, tag: str, value: Any, say: Say, spares: Spares) -> Taken:
    """Take over a value of any plugin, a scalar only where it is still to arrive.

    Arrays are copied into ``spares``; ``say(cause, subject, text)`` hears of oddities that are found later.

    Raises ValueRejectedError for a value that can't be recorded.
    """
    if plugin == "graph":
        return _take_bytes(plugin, tag, graph_bytes(value))
    if plugin in FIELDS:
        return _take_bytes(plugin, tag, lineage_bytes(plugin, value))
    if plugin == "landscape":
        fields = wrap(1, text_field(1, tag) + wrap(10, landscape_bytes(value)))
        return _take_bytes(plugin, tag, fields)
    if isinstance(value, Arriving):
        return Taken(plugin, tag, value.size + _LEAST_BYTES, partial(_encode_arrived, plugin, tag, value, say), value)
    check, encode = _ARRAYS[plugin]
    array = to_array(value, partial(copy_picture, spares=spares) if plugin == "image" else spares.copy)
    check(array)
    return Taken(plugin, tag, array.nbytes + _LEAST_BYTES, partial(encode, tag, array, say), array)


def _take_bytes(plugin: str, tag: str, encoded: bytes) -> Taken:
    return Taken(plugin, tag, len(encoded) + _LEAST_BYTES, lambda: encoded)


def _check_scalar(array: Array) -> None:
    if array.size != 1 or array.dtype.kind == "c":
        raise ValueRejectedError(
            f"scalar is {array.dtype} of shape {array.shape}, want exactly one real element; record it as a tensor or "
            "histogram, or reduce it first"
        )


def _check_histogram(array: Array) -> None:
    if array.dtype.kind == "c":
        raise TypeRejectedError(f"histogram has dtype {array.dtype}, want real numbers; record its real part")


def _encode_arrived(plugin: str, tag: str, value: Arriving, say: Say) -> bytes:
    check, encode = _ARRAYS[plugin]
    array = value.wait()
    try:
        check(array)
    except (TypeError, ValueError) as error:
        raise rejection(plugin, tag, error) from error
    return encode(tag, array, say)


def _encode_image(tag: str, array: Array, say: Say) -> bytes:
    with np.errstate(all="ignore"):
        message, invalid = image_message(array)
    if text := ambiguity(array.shape):
        say("axes", tag, f"image {tag!r} {text}")
    if invalid:
        say("NaN", tag, f"image {tag!r} has {invalid} values that are NaN or infinite; their pixels are magenta")
    return _value_field(tag, "image", message)


def _encode_histogram(tag: str, array: Array, say: Say) -> bytes:
    return histogram_field(tag, array)


def _encode_scalar(tag: str, array: Array, say: Say) -> bytes:
    number = to_scalar(array)
    if text := range_warning(tag, number):
        say("range", tag, text)
    return scalar_fields({tag: number})


def _encode_tensor(tag: str, array: Array, say: Say) -> bytes:
    with np.errstate(all="ignore"):
        return b"".join(_value_field(name, "tensor", tensor_message(plane)) for name, plane in planes(tag, array))


def _value_field(tag: str, name: str, message: Message) -> bytes:
    return wrap(1, wire.encode(VALUE, {"tag": tag, name: message}))


_ARRAYS: dict[str, tuple[Callable[[Array], None], Callable[[str, Array, Say], bytes]]] = {
    "scalar": (_check_scalar, _encode_scalar),
    "image": (check_image, _encode_image),
    "histogram": (_check_histogram, _encode_histogram),
    "tensor": (check_tensor, _encode_tensor),
}
