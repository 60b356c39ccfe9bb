# SPDX-License-Identifier: Apache-2.0
"""Takes a value from the caller: checks and copies it at once, encodes it later."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from mindscope.capture.array_conversion import Array, to_array
from mindscope.capture.array_kind import ArrayKind, WarnOnce
from mindscope.capture.buffer_pool import BufferPool
from mindscope.capture.deferred_array import DeferredArray
from mindscope.capture.encoded import Encoded
from mindscope.capture.framework_tensors import outline, sharding_text
from mindscope.capture.histograms import HISTOGRAM
from mindscope.capture.images import IMAGE
from mindscope.capture.landscapes import landscape_bytes
from mindscope.capture.lineage import FIELDS, lineage_bytes
from mindscope.capture.messages import graph_bytes
from mindscope.capture.protobuf_fields import bytes_field, text_field
from mindscope.capture.scalars import SCALAR
from mindscope.capture.tensor_statistics import StepRows, TensorTable, encode_statistics
from mindscope.capture.tensors import TENSOR
from mindscope.capture.videos import VIDEO
from mindscope.errors import RecorderClosedError, TypeRejectedError, ValueRejectedError

ARRAYS: dict[str, ArrayKind] = {
    "scalar": SCALAR,
    "image": IMAGE,
    "video": VIDEO,
    "tensor": TENSOR,
    "histogram": HISTOGRAM,
}
MESSAGE_PLUGINS = ("graph", *FIELDS)
PLUGINS = (*ARRAYS, "landscape", "tensor_statistics", *MESSAGE_PLUGINS)
"""Every kind that ``add_value`` takes."""

_MIN_BYTES = 16 << 10  # minimal size of a value in the queue: encoding takes time even for small ones


class PendingValue(NamedTuple):
    """A value other than a scalar, or a deferred one; the recorder owns it after ``add_value``."""

    plugin: str
    tag: str
    size: int
    """Size in the queue, in bytes."""
    encode: Callable[[], Encoded]
    """Makes the ``Summary.value`` fields, or for graphs and lineage the encoded message. Thread-safe."""
    content: Array | DeferredArray | None = None
    """The array that ``encode`` reads: our copy, or a deferred array; None for messages."""

    def release(self, buffers: BufferPool) -> None:
        """Give back the memory of the content, which is not read any more."""
        if isinstance(self.content, np.ndarray):
            buffers.release(self.content)
        elif self.content is not None:
            self.content.release()


def check_plugin(plugin: Any) -> str:
    """Return the plugin's name in lower case, because MindSpore's documentation writes LANDSCAPE. Raises ValueError."""
    name = str(plugin).lower() if isinstance(plugin, str) else plugin
    if name not in PLUGINS:
        raise ValueError(f"plugin is {plugin!r}, want one of {', '.join(PLUGINS)}")
    return name


def rejection(plugin: str, tag: str, error: Exception) -> Exception:
    """Return ``error`` with the plugin and tag in its text."""
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
    if plugin == "tensor_statistics":
        return _from_statistics(plugin, tag, value)
    if isinstance(value, DeferredArray):
        return PendingValue(
            plugin, tag, value.size + _MIN_BYTES, partial(_encode_deferred, plugin, tag, value, warn_once), value
        )
    kind = ARRAYS[plugin]
    value, encode = kind.split(value) if kind.split else (value, kind.encode)
    if part := sharding_text(value):
        warn_once(
            "sharded", plugin, f"{plugin} {tag!r} is {part}; call value.full_tensor() in all processes for the whole"
        )
    array = to_array(value, lambda array: kind.copy(array, buffers), kind.check)
    return PendingValue(plugin, tag, array.nbytes + _MIN_BYTES, partial(encode, tag, array, warn_once), array)


def refusal(plugin: str, tag: str, value: Any) -> Exception | None:
    """Return the error with which ``prepare`` refuses an array of this shape and dtype.

    It is None where ``prepare`` may accept it. Nothing is copied before.
    """
    array = cast("Array | None", value if isinstance(value, np.ndarray) else outline(value))
    if array is None or plugin not in ARRAYS:
        return None
    try:
        ARRAYS[plugin].check(array)
    except (TypeError, ValueError) as error:
        return rejection(plugin, tag, error)
    return None


def _from_bytes(plugin: str, tag: str, encoded: bytes) -> PendingValue:
    return PendingValue(plugin, tag, len(encoded) + _MIN_BYTES, lambda: encoded)


def _from_statistics(plugin: str, tag: str, value: Any) -> PendingValue:
    if not isinstance(value, (StepRows, TensorTable)):
        raise TypeRejectedError(
            f"value is {type(value).__name__}, want StepRows or a TensorTable; the Debugger makes them"
        )
    return PendingValue(plugin, tag, value.size_bytes + _MIN_BYTES, partial(encode_statistics, tag, value))


def _encode_deferred(plugin: str, tag: str, value: DeferredArray, warn_once: WarnOnce) -> Encoded:
    kind, array = ARRAYS[plugin], value.wait()
    try:
        kind.check(array)
    except (TypeError, ValueError) as error:
        raise rejection(plugin, tag, error) from error
    return kind.encode(tag, array, warn_once)
