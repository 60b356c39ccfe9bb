# SPDX-License-Identifier: Apache-2.0
"""Arrays in MindSpore's TensorProto."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.mindspore_schemas import DATA_TYPES
from mindscope.formats.tensors import array_from_bytes, reshape
from mindscope.types import Message, Tensor

_EXACT_IN_FLOAT32 = {"float32", "float16", "bfloat16", "bool", "int8", "uint8", "int16", "uint16"}


def decode_tensor(message: Message) -> Tensor:
    """Return the array of a TensorProto, in the dtype it declares.

    MindSpore writes every dtype as float32. If that loses precision, our recorder adds the exact bytes as ``raw_data``;
    if it does not, the recorder sets ``is_float_exact`` for the numbers of a wider dtype.
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


def is_exact_in_float32(name: str, tensor: Message) -> bool:
    """Return whether float32 holds the numbers of ``tensor`` exactly: by its dtype, or by the flag of its writer."""
    return name in _EXACT_IN_FLOAT32 or tensor.get("is_float_exact", False)


def data_type_name(number: int) -> str:
    """Return the numpy name of a DataType; 'undefined' when the number is unknown."""
    return DATA_TYPES[number].lower() if 0 <= number < len(DATA_TYPES) else "undefined"
