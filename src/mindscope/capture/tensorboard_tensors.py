# SPDX-License-Identifier: Apache-2.0
"""Tensors in TensorBoard's format: every dtype exactly."""

from __future__ import annotations

from functools import partial

from mindscope.capture.array_conversion import Array
from mindscope.capture.array_kind import ArrayKind, WarnOnce
from mindscope.capture.encoded import Encoded, array_bytes, joined, nested
from mindscope.capture.protobuf_fields import bytes_field, text_field
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.formats import wire
from mindscope.formats.tensorboard_schemas import METADATA, TENSOR
from mindscope.formats.tensorboard_tensors import data_type_number
from mindscope.formats.tensorboard_values import TENSOR_CONTENT, plugin_metadata, tensor_head

_LARGEST = (1 << 31) - (1 << 20)  # other readers reject messages of 2 GiB
_TENSOR_FIELD, _METADATA_FIELD = 8, 9  # of a Summary.Value


def _check(array: Array) -> None:
    try:
        data_type_number(array.dtype)
    except KeyError:
        raise TypeRejectedError(f"tensor has dtype {array.dtype}, which the format has not; convert it") from None
    if array.nbytes > _LARGEST:
        raise ValueRejectedError(
            f"tensor of shape {array.shape} has {array.nbytes} bytes, want a record below 2 GiB; record slices of it"
        )


def _encode(tag: str, array: Array, warn_once: WarnOnce, plugin: str) -> Encoded:
    head = wire.encode(TENSOR, tensor_head(array))
    content = nested(TENSOR_CONTENT, (array_bytes(array),)) if array.size else ()
    metadata = bytes_field(_METADATA_FIELD, wire.encode(METADATA, plugin_metadata(plugin)))
    return joined(nested(1, text_field(1, tag), nested(_TENSOR_FIELD, head, content), metadata))


TENSORBOARD_TENSOR = ArrayKind(_check, partial(_encode, plugin="tensor"))
"""``tensor`` is the plugin that PyTorch names, and no other program shows."""
