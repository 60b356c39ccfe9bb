# SPDX-License-Identifier: Apache-2.0
"""Describes the recorded tensors: the operator or module they belong to, and their slot there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Phase(str, Enum):
    """The part of a step in which an operator ran."""

    FORWARD = "forward"
    BACKWARD = "backward"
    OPTIMIZER = "optimizer"

    def __str__(self) -> str:
        return self.value


class Role(str, Enum):
    """The role of a tensor at its operator."""

    INPUT = "input"
    OUTPUT = "output"
    PARAMETER = "parameter"
    GRADIENT = "gradient"
    """Gradient of a parameter. Those of activations are inputs and outputs of operators of the phase ``backward``."""
    BUFFER = "buffer"
    """Buffer of a module before its forward pass; recorded only while it is, or after it was, not finite."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class DebugTensor:
    """A tensor of the execution of a step. Equal ones of different steps are the same tensor.

    A module is an operator whose ``type`` is its class. A parameter belongs to the module that holds it and has the
    role ``PARAMETER`` or ``GRADIENT``; its own name is its ``slot``.
    """

    module: str
    """Path of the module, such as ``encoder.layers.0``; empty for the network itself or where it is not known."""
    type: str
    """Type of the operator, such as ``aten::mm``, ``MatMul``, or the class of a module, ``Linear``."""
    phase: Phase
    role: Role
    slot: str
    """The position among inputs or outputs: ``0``, ``1.2`` in nested lists, ``mask`` for a keyword."""
    call: int = 0
    """The number of operators of this module, type and phase that ran before it in the step."""
    dtype: str = ""
    """``float16``, ``bfloat16``, ``int64``, ...; empty where it is not known."""
    shape: tuple[int, ...] | None = None
    """Shape of the tensor; None where it is not known."""
    name: str = ""
    """The full name that the format gives to the operator, for its messages; empty where it gives none."""
    stack: Sequence[str] = ()
    """Source lines that called the operator, innermost first: ``/train/net.py:49 forward: x = self.conv(x)``."""

    @property
    def operator(self) -> str:
        """Name of the operator in messages: its own name, or path and type, ``encoder.layers.0/aten::mm#2``."""
        if self.name:
            return self.name
        path = f"{self.module}/{self.type}" if self.module else self.type
        return f"{path}#{self.call}" if self.call else path
