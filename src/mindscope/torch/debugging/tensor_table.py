# SPDX-License-Identifier: Apache-2.0
"""The tensors that a debugger met, numbered, with descriptions of those that no file has yet."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from mindscope.capture.tensor_statistics import TensorTable
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.torch.core.tensor_sizes import tensor_sizes
from mindscope.torch.debugging._step_rows import Operator
from mindscope.torch.debugging.element_types import DTYPE_NAMES


class KnownTensors:
    """Numbers tensors in the order in which they are met. One for each debugger.

    A tensor whose shape changed is described once more, without a shape.
    """

    def __init__(self) -> None:
        self.number = secrets.randbits(63)
        """Number of the table in the files."""
        self.operators: dict[tuple[str, str, Phase, int], Operator] = {}
        """Operators by module, type, phase and number of the call."""
        self._indexes: dict[tuple[Operator, Role, str, torch.dtype], int] = {}
        self._described: list[dict[str, Any]] = []
        self._unwritten: set[int] = set()

    def add_operator(self, operator: Operator) -> Operator:
        """Add an operator that is new."""
        self.operators[operator.module, operator.type, operator.phase, operator.call] = operator
        return operator

    def meet(self, operator: Operator, role: Role, slot: str, tensor: Tensor) -> int:
        """Return the number of a tensor whose dtype or shape is not the last one of its operator."""
        key = (operator, role, slot, tensor.dtype)
        index = self._indexes.get(key)
        shape = tensor_sizes(tensor)
        if index is None:
            index = self._indexes[key] = len(self._described)
            self._described.append(_description(operator, role, slot, tensor))
            self._unwritten.add(index)
        elif shape is None or shape != tuple(self._described[index].get("shape", ())):
            shape = None
            if self._described[index].pop("shape", None) is not None:
                self._unwritten.add(index)
        operator.tensors[role, slot] = (index, tensor.dtype, shape)
        return index

    def take_unwritten(self, rank: int, facts: Mapping[str, Any]) -> list[TensorTable]:
        """Return descriptions that no file has yet, in pieces of consecutive indexes."""
        indexes = sorted(self._unwritten)
        self._unwritten.clear()
        pieces: list[list[int]] = []
        for index in indexes:
            if pieces and pieces[-1][-1] == index - 1:
                pieces[-1].append(index)
            else:
                pieces.append([index])
        return [TensorTable(self.number, rank, piece[0], self._copies(piece), dict(facts)) for piece in pieces]

    def tensors(self, first: int) -> list[DebugTensor]:
        """Return the tensors from an index on, as they are described now. Any thread."""
        return [_tensor(each) for each in self._described[first:]]

    def _copies(self, indexes: Sequence[int]) -> list[dict[str, Any]]:
        return [dict(self._described[index]) for index in indexes]


def _description(operator: Operator, role: Role, slot: str, tensor: Tensor) -> dict[str, Any]:
    described: dict[str, Any] = {
        "module": operator.module,
        "type": operator.type,
        "phase": operator.phase.value,
        "role": role.value,
        "slot": slot,
        "call": operator.call,
        "dtype": DTYPE_NAMES.get(tensor.dtype) or str(tensor.dtype).removeprefix("torch."),
        "stack": list(operator.stack),
    }
    shape = tensor_sizes(tensor)
    sizes = {} if shape is None else {"shape": list(shape)}
    return {name: value for name, value in described.items() if value} | sizes


def _tensor(described: Mapping[str, Any]) -> DebugTensor:
    shape = described.get("shape")
    return DebugTensor(
        module=described.get("module", ""), type=described["type"], phase=Phase(described["phase"]),
        role=Role(described["role"]), slot=described.get("slot", ""), call=described.get("call", 0),
        dtype=described.get("dtype", ""), shape=None if shape is None else tuple(shape),
        stack=tuple(described.get("stack", ())),
    )  # fmt: skip
