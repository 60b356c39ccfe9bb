# SPDX-License-Identifier: Apache-2.0
"""Parts of values in TensorBoard's format: tensors of numbers or texts, and the metadata that names a plugin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.formats import wire
from mindscope.formats.tensorboard_schemas import SUMMARY, TENSOR
from mindscope.formats.tensorboard_tensors import STRING, data_type_number
from mindscope.types import Message


def value_field(value: Message) -> bytes:
    """Return one ``Summary.value`` field; concatenate them for ``tensorboard.summary_event``."""
    return wire.encode(SUMMARY, {"value": [value]})


def plugin_metadata(plugin: str, content: bytes = b"") -> Message:
    """Return the ``SummaryMetadata`` of a value that the plugin of this name shows."""
    data: Message = {"plugin_name": plugin}
    if content:
        data["content"] = content
    return {"plugin_data": data}


def shape_message(shape: Sequence[int]) -> Message:
    """Return the ``TensorShapeProto`` of ``shape``."""
    return {"dim": [{"size": size} for size in shape]}


def number_tensor(array: NDArray[Any]) -> Message:
    """Return the ``TensorProto`` of ``array``, which keeps its dtype; little-endian as all platforms of the package.

    Raises KeyError for a dtype that the format does not have.
    """
    return {**tensor_head(array), "tensor_content": np.ascontiguousarray(array).tobytes()}


def tensor_head(array: NDArray[Any]) -> Message:
    """Return the ``TensorProto`` of ``array`` without its elements, which are the field ``TENSOR_CONTENT``."""
    return {"dtype": data_type_number(array.dtype), "tensor_shape": shape_message(array.shape)}


TENSOR_CONTENT = next(field.number for field in TENSOR.fields if field.name == "tensor_content")
"""The field of a ``TensorProto`` with the bytes of all elements, row by row."""


def text_tensor(texts: Sequence[bytes], shape: Sequence[int] | None = None) -> Message:
    """Return the ``TensorProto`` of ``texts``, row by row; of one dimension unless ``shape`` says another."""
    dims = [len(texts)] if shape is None else shape
    return {"dtype": STRING, "tensor_shape": shape_message(dims), "string_val": list(texts)}
