# SPDX-License-Identifier: Apache-2.0
"""Takes a value from the caller: checks and copies it at once, encodes it later."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mindscope.capture.array_conversion import Array, to_array, to_scalar
from mindscope.capture.buffer_pool import BufferPool
from mindscope.capture.deferred_array import DeferredArray
from mindscope.capture.histograms import histogram_field
from mindscope.capture.images import ambiguity, check_image, copy_image, image_message
from mindscope.capture.landscapes import landscape_bytes
from mindscope.capture.lineage import FIELDS, lineage_bytes
from mindscope.capture.messages import graph_bytes
from mindscope.capture.protobuf_fields import bytes_field, text_field
from mindscope.capture.scalars import range_warning, scalar_fields
from mindscope.capture.tensors import check_tensor, planes, tensor_message
from mindscope.capture.videos import DEFAULT_FPS, check_video, split_frames, video_message
from mindscope.errors import RecorderClosedError, TypeRejectedError, ValueRejectedError
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import VALUE
from mindscope.types import Message

VALUE_PLUGINS = ("scalar", "image", "video", "tensor", "histogram", "landscape")
MESSAGE_PLUGINS = ("graph", *FIELDS)
PLUGINS = (*VALUE_PLUGINS, *MESSAGE_PLUGINS)

_MIN_BYTES = 16 << 10  # minimal size of a value in the queue: encoding takes time even for small ones

WarnOnce = Callable[[str, str, str], None]


class PendingValue(NamedTuple):
    """A value other than a scalar, or a deferred one; the recorder owns it after ``add_value``."""

    plugin: str
    tag: str
    size: int
    """Its size in the queue, in bytes."""
    encode: Callable[[], bytes]
    """Makes the ``Summary.value`` fields, or for graphs and lineage the encoded message. Thread-safe."""
    content: Array | DeferredArray | None = None
    """The array that ``encode`` reads: our copy, or a deferred array; None for messages."""


def check_plugin(plugin: Any) -> str:
    """The plugin's name in lower case, because MindSpore's documentation writes LANDSCAPE. Raises ValueError."""
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


def prepare(plugin: str, tag: str, value: Any, warn_once: WarnOnce, buffers: BufferPool) -> PendingValue:
    """Take a value of any plugin; scalars only if they are deferred.

    Copies arrays into ``buffers``; calls ``warn_once(cause, subject, text)`` for problems found during encoding.

    Raises ValueRejectedError for a value that can't be recorded.
    """
    if plugin == "graph":
        return _from_bytes(plugin, tag, graph_bytes(value))
    if plugin in FIELDS:
        return _from_bytes(plugin, tag, lineage_bytes(plugin, value))
    if plugin == "landscape":
        fields = bytes_field(1, text_field(1, tag) + bytes_field(10, landscape_bytes(value)))
        return _from_bytes(plugin, tag, fields)
    if isinstance(value, DeferredArray):
        return PendingValue(
            plugin, tag, value.size + _MIN_BYTES, partial(_encode_deferred, plugin, tag, value, warn_once), value
        )
    check, encode = _ARRAYS[plugin]
    if plugin == "video":
        value, fps = split_frames(value)
        encode = partial(_encode_video, fps=fps)
    array = to_array(value, partial(copy_image, buffers=buffers) if plugin == "image" else buffers.copy)
    check(array)
    return PendingValue(plugin, tag, array.nbytes + _MIN_BYTES, partial(encode, tag, array, warn_once), array)


def _from_bytes(plugin: str, tag: str, encoded: bytes) -> PendingValue:
    return PendingValue(plugin, tag, len(encoded) + _MIN_BYTES, lambda: encoded)


def _check_scalar(array: Array) -> None:
    if array.size != 1 or array.dtype.kind == "c":
        raise ValueRejectedError(
            f"scalar is {array.dtype} of shape {array.shape}, want exactly one real element; record it as a tensor or "
            "histogram, or reduce it first"
        )


def _check_histogram(array: Array) -> None:
    if array.dtype.kind == "c":
        raise TypeRejectedError(f"histogram has dtype {array.dtype}, want real numbers; record its real part")


def _encode_deferred(plugin: str, tag: str, value: DeferredArray, warn_once: WarnOnce) -> bytes:
    check, encode = _ARRAYS[plugin]
    array = value.wait()
    try:
        check(array)
    except (TypeError, ValueError) as error:
        raise rejection(plugin, tag, error) from error
    return encode(tag, array, warn_once)


def _encode_image(tag: str, array: Array, warn_once: WarnOnce) -> bytes:
    with np.errstate(all="ignore"):
        message, invalid = image_message(array)
    if text := ambiguity(array.shape):
        warn_once("axes", tag, f"image {tag!r} {text}")
    if invalid:
        warn_once("NaN", tag, f"image {tag!r} has {invalid} values that are NaN or infinite; their pixels are magenta")
    return _value_field(tag, "image", message)


def _encode_video(tag: str, array: Array, warn_once: WarnOnce, fps: float = DEFAULT_FPS) -> bytes:
    with np.errstate(all="ignore"):
        message, invalid = video_message(array, fps)
    if invalid:
        warn_once("NaN", tag, f"video {tag!r} has {invalid} values that are NaN or infinite; their pixels are magenta")
    return _value_field(tag, "image", message)


def _encode_histogram(tag: str, array: Array, warn_once: WarnOnce) -> bytes:
    return histogram_field(tag, array)


def _encode_scalar(tag: str, array: Array, warn_once: WarnOnce) -> bytes:
    number = to_scalar(array)
    if text := range_warning(tag, number):
        warn_once("range", tag, text)
    return scalar_fields({tag: number})


def _encode_tensor(tag: str, array: Array, warn_once: WarnOnce) -> bytes:
    with np.errstate(all="ignore"):
        return b"".join(_value_field(name, "tensor", tensor_message(plane)) for name, plane in planes(tag, array))


def _value_field(tag: str, name: str, message: Message) -> bytes:
    return bytes_field(1, wire.encode(VALUE, {"tag": tag, name: message}))


_ARRAYS: dict[str, tuple[Callable[[Array], None], Callable[[str, Array, WarnOnce], bytes]]] = {
    "scalar": (_check_scalar, _encode_scalar),
    "image": (check_image, _encode_image),
    "video": (check_video, _encode_video),
    "histogram": (_check_histogram, _encode_histogram),
    "tensor": (check_tensor, _encode_tensor),
}
