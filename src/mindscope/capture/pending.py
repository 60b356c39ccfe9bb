# SPDX-License-Identifier: Apache-2.0
"""Takes a value from the caller: checks and copies it at once, encodes it later."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from mindscope.capture.array_conversion import Array, to_array
from mindscope.capture.array_kind import ArrayKind, WarnOnce
from mindscope.capture.audio import AUDIO
from mindscope.capture.buffer_pool import BufferPool
from mindscope.capture.deferred_array import DeferredArray
from mindscope.capture.embeddings import Embedding, embedding
from mindscope.capture.encoded import Encoded
from mindscope.capture.figures import figure_pixels, is_pillow
from mindscope.capture.framework_tensors import outline, sharding_text
from mindscope.capture.histograms import HISTOGRAM
from mindscope.capture.hparams import hparams_values
from mindscope.capture.images import IMAGE, PIXELS
from mindscope.capture.landscapes import landscape_bytes
from mindscope.capture.lineage import FIELDS, lineage_bytes
from mindscope.capture.meshes import MeshInput, mesh_input
from mindscope.capture.messages import graph_bytes
from mindscope.capture.pr_curves import CurveInput, curve_input
from mindscope.capture.protobuf_fields import bytes_field, text_field
from mindscope.capture.scalars import SCALAR
from mindscope.capture.tables import recorded_table
from mindscope.capture.tensor_statistics import StepRows, TensorTable, encode_statistics
from mindscope.capture.tensors import TENSOR
from mindscope.capture.videos import VIDEO
from mindscope.errors import RecorderClosedError, TypeRejectedError, ValueRejectedError
from mindscope.formats.kinds.table import html_to_tensorboard, table_to_tensorboard
from mindscope.formats.kinds.text import text_to_tensorboard
from mindscope.formats.tensorboard_values import value_field

ARRAYS: dict[str, ArrayKind] = {
    "scalar": SCALAR,
    "image": IMAGE,
    "video": VIDEO,
    "tensor": TENSOR,
    "histogram": HISTOGRAM,
}
TENSORBOARD_ARRAYS: dict[str, ArrayKind] = {"audio": AUDIO}
TENSORBOARD_PLUGINS = (*TENSORBOARD_ARRAYS, "text", "pr_curve", "mesh", "hparams", "embedding", "table", "html")
"""Kinds that only TensorBoard's format has a message for, or its projector files."""
MESSAGE_PLUGINS = ("graph", *FIELDS)
PLUGINS = (*ARRAYS, "figure", *TENSORBOARD_PLUGINS, "landscape", "tensor_statistics", *MESSAGE_PLUGINS)
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
    write: Callable[[Path, int], None] | None = None
    """Writes files below the directory of the run, at a step; for values that no event holds."""

    @property
    def is_tensorboard(self) -> bool:
        """Whether only TensorBoard's format has a message for it."""
        return self.plugin in TENSORBOARD_PLUGINS

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
        return from_bytes(plugin, tag, graph_bytes(value))
    if plugin in FIELDS:
        return from_bytes(plugin, tag, lineage_bytes(plugin, value))
    if plugin == "landscape":
        fields = bytes_field(1, text_field(1, tag) + bytes_field(10, landscape_bytes(value)))
        return from_bytes(plugin, tag, fields)
    if plugin == "tensor_statistics":
        return _from_statistics(plugin, tag, value)
    if isinstance(value, DeferredArray) and plugin in ARRAYS:
        return PendingValue(
            plugin, tag, value.size + _MIN_BYTES, partial(_encode_deferred, plugin, tag, value, warn_once), value
        )
    if plugin in PREPARERS:
        return PREPARERS[plugin](plugin, tag, value)
    if plugin == "figure" or (plugin == "image" and is_pillow(value)):
        return prepare_array(plugin, tag, np.moveaxis(figure_pixels(value), 2, 0), PIXELS, warn_once, buffers)
    return prepare_array(
        plugin, tag, value, (TENSORBOARD_ARRAYS if plugin in TENSORBOARD_ARRAYS else ARRAYS)[plugin], warn_once, buffers
    )


def prepare_array(
    plugin: str, tag: str, value: Any, kind: ArrayKind, warn_once: WarnOnce, buffers: BufferPool
) -> PendingValue:
    """Take an array of ``kind``. Raises ValueRejectedError."""
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


def _from_text(plugin: str, tag: str, value: Any) -> PendingValue:
    if not isinstance(value, str):
        raise TypeRejectedError(f"value is {type(value).__name__}, want a text (str)")
    encode = html_to_tensorboard if plugin == "html" else text_to_tensorboard
    return from_bytes(plugin, tag, value_field(encode(tag, value)))


def _from_hparams(plugin: str, tag: str, value: Any) -> PendingValue:
    return from_bytes(plugin, tag, b"".join(map(value_field, hparams_values(value))))


def _from_table(plugin: str, tag: str, value: Any) -> PendingValue:
    return from_bytes(plugin, tag, value_field(table_to_tensorboard(tag, recorded_table(value))))


def from_input(plugin: str, tag: str, value: CurveInput | MeshInput) -> PendingValue:
    """Return a value that computes its message later, from copies of its own."""
    return PendingValue(plugin, tag, value.nbytes + _MIN_BYTES, partial(value.encode, tag))


def from_embedding(plugin: str, tag: str, value: Embedding) -> PendingValue:
    """Return a value that is files."""

    def write(directory: Path, step: int) -> None:
        value.write(directory, step, tag)

    return PendingValue(plugin, tag, value.nbytes + _MIN_BYTES, bytes, write=write)


PREPARERS: dict[str, Callable[[str, str, Any], PendingValue]] = {
    "text": _from_text,
    "pr_curve": lambda plugin, tag, value: from_input(plugin, tag, curve_input(value)),
    "mesh": lambda plugin, tag, value: from_input(plugin, tag, mesh_input(value)),
    "hparams": _from_hparams,
    "embedding": lambda plugin, tag, value: from_embedding(plugin, tag, embedding(value)),
    "table": _from_table,
    "html": _from_text,
}


def from_bytes(plugin: str, tag: str, encoded: bytes) -> PendingValue:
    """Return a value that is encoded already."""
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
