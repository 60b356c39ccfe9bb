# SPDX-License-Identifier: Apache-2.0
"""Types and plain values of PyTorch as ``TypeProto`` and ``ValueProto``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import torch

from mindscope.formats.mindspore_schemas import DATA_TYPES
from mindscope.types import Message

_NUMBERS = {name: number for number, name in enumerate(DATA_TYPES)}
_UNKNOWN_SIZE = -1


def data_type(dtype: torch.dtype) -> int:
    """Return the number of the DataType; 0 (undefined) for those that MindSpore does not have, such as float8."""
    return _NUMBERS.get(str(dtype).removeprefix("torch.").upper(), 0)


def type_of(value: Any) -> Message | None:
    """Return the ``TypeProto`` of a tensor, a Python number or a sequence of them; None where nothing is known."""
    if isinstance(value, torch.Tensor):
        return tensor_type(value.dtype, value.shape)
    if isinstance(value, (list, tuple)):
        items = [type_of(item) or {"data_type": _NUMBERS["NONE"]} for item in cast(list[Any], value)]
        return {"data_type": _NUMBERS["TUPLE"], "sequence_type": {"elem_types": items}}
    number = _python_type(value)
    return None if number is None else {"data_type": number}


def tensor_type(dtype: torch.dtype, shape: Sequence[Any]) -> Message:
    """Return the ``TypeProto`` of a tensor; sizes that are no numbers are unknown."""
    sizes = [{"size": size if type(size) is int else _UNKNOWN_SIZE} for size in shape]
    inner = {"elem_type": data_type(dtype), "shape": {"dim": sizes}}
    return {"data_type": _NUMBERS["TENSOR"], "tensor_type": inner}


def _python_type(value: Any) -> int | None:
    if isinstance(value, (bool, torch.SymBool)):
        return _NUMBERS["BOOL"]
    if isinstance(value, (int, torch.SymInt)):
        return _NUMBERS["INT64"]
    return _NUMBERS["FLOAT64"] if isinstance(value, (float, torch.SymFloat)) else None


def value_of(value: Any) -> Message:
    """Return the ``ValueProto`` of an argument: number, text, list, or tensor type; anything else by its text."""
    if isinstance(value, bool):
        return {"dtype": _NUMBERS["BOOL"], "bool_val": value}
    if isinstance(value, int):
        fits = -(1 << 63) <= value < 1 << 63
        return {"dtype": _NUMBERS["INT64"], "int_val": value} if fits else _text(str(value))
    if isinstance(value, float):
        return {"dtype": _NUMBERS["FLOAT64"], "double_val": value}
    if isinstance(value, (list, tuple)):
        return {"dtype": _NUMBERS["TUPLE"], "values": [value_of(item) for item in cast(list[Any], value)]}
    if isinstance(value, torch.Tensor):
        return tensor_type_value(value)
    return _text(str(value))


def tensor_type_value(tensor: torch.Tensor) -> Message:
    """Return a constant tensor by type and shape only, as MindSpore writes it."""
    sizes = [size if type(size) is int else _UNKNOWN_SIZE for size in tensor.shape]
    return {"dtype": _NUMBERS["TENSOR"], "tensor_val": {"dims": sizes, "data_type": data_type(tensor.dtype)}}


def graph_value(graph: Message) -> Message:
    """Return a graph that a node calls."""
    return {"dtype": _NUMBERS["GRAPH"], "graph": graph}


def _text(text: str) -> Message:
    return {"dtype": _NUMBERS["STRING"], "str_val": text}
