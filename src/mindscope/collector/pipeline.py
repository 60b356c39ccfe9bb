# SPDX-License-Identifier: Apache-2.0
"""A data pipeline as the message that is recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from mindscope.graph.data.dataset import DatasetNode, DatasetOperation
from mindscope.types import Message

_INT32 = range(-(1 << 31), 1 << 31)


def dataset_message(node: DatasetNode) -> Message:
    """Return the ``DatasetGraph`` message of a stage and all below it."""
    message: Message = {"parameter": _parameters({"op_type": node.op_type, **node.parameters})}
    if node.children:
        message["children"] = [dataset_message(child) for child in node.children]
    if node.operations:
        message["operations"] = [_operation("tensor_op_name", operation) for operation in node.operations]
    if node.sampler is not None:
        message["sampler"] = _operation("sampler_name", node.sampler)
    return message


def _operation(name_key: str, operation: DatasetOperation) -> Message:
    parameters: dict[str, Any] = {name_key: operation.name}
    if name_key == "tensor_op_name":
        parameters["tensor_op_params"] = json.dumps(_plain(operation.parameters)) if operation.parameters else "None"
    else:
        parameters |= operation.parameters
    message: Message = {"operationParam": _parameters(parameters)}
    if operation.size:
        message["size"] = list(operation.size)
    if operation.weights:
        message["weights"] = list(operation.weights)
    return message


def _parameters(parameters: Mapping[str, Any]) -> Message:
    message: dict[str, dict[str, Any]] = {}
    for key, value in parameters.items():
        name, entry = _entry(_plain(value))
        message.setdefault(name, {})[key] = entry
    return message


def _entry(value: Any) -> tuple[str, Any]:
    """Return the map that a value belongs to, and what it is there."""
    if isinstance(value, bool):
        return "mapBool", value
    if isinstance(value, int) and value in _INT32:
        return "mapInt", value
    if isinstance(value, float):
        return "mapDouble", value
    if isinstance(value, list):
        return "mapStrList", {
            "strValue": ["" if each is None else json.dumps(each) for each in cast("list[Any]", value)]
        }
    return "mapStr", json.dumps(value) if isinstance(value, dict) else str(value)


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it; anything else becomes its text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in cast("list[Any]", value)]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value)
