# SPDX-License-Identifier: Apache-2.0
"""Types of the values of an ONNX model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mindscope.formats import wire
from mindscope.formats.onnx_schemas import GRAPH, TYPE
from mindscope.graph.data.columns import Role, TensorType
from mindscope.graph.formats.onnx.tensors import dtype_name
from mindscope.reasons import Reason
from mindscope.types import Message

_SETTING_DTYPES = ("int64", "int32", "bool", "string")


class InferredTypes(NamedTuple):
    """Types by the names of values; ``problem`` says why there are none."""

    types: Mapping[str, TensorType]
    problem: Reason | None = None


def types_of_values(encoded: bytes) -> dict[str, TensorType]:
    """Return the types that an encoded GraphProto gives of its values and outputs, by name."""
    graph = wire.decode(GRAPH, encoded)
    values: list[Message] = [*graph.get("value_info", []), *graph.get("output", [])]
    return {value["name"]: read_type(wire.encode(TYPE, value["type"])) for value in values if "type" in value}


def read_type(encoded: bytes) -> TensorType:
    """Return the type that an encoded TypeProto describes."""
    message = wire.decode(TYPE, encoded)
    for field in ("tensor_type", "sparse_tensor_type"):
        if field in message:
            return _read_tensor_type(message[field])
    return TensorType(next(iter(message), "").removesuffix("_type"))


def _read_tensor_type(message: Message) -> TensorType:
    sizes: list[Message] | None = message["shape"].get("dim", []) if "shape" in message else None
    shape = None if sizes is None else tuple(int(size.get("dim_value", -1)) for size in sizes)
    return TensorType(dtype_name(int(message.get("elem_type", 0))), shape)


def tensor_role(type: TensorType) -> Role:
    """Return what an initializer is: a scalar or a list of integers is a constant, others are parameters."""
    is_setting = type.shape is not None and len(type.shape) <= 1 and (type.dtype in _SETTING_DTYPES or not type.shape)
    return Role.CONSTANT if is_setting else Role.PARAMETER
