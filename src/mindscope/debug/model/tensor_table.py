# SPDX-License-Identifier: Apache-2.0
"""Facts about the tensors of a source as columns, computed once for all steps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import Field
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensor_kinds import TensorKind, kind_masks, plain_type
from mindscope.debug.model.tensors import DebugTensor, Phase, Role

Mask = NDArray[np.bool_]
_SEED = "oneslike"
"""Type of the operator that begins a backward pass: its gradient of the loss, before any operator of that pass."""
_PRECISIONS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}


@dataclass(frozen=True, slots=True)
class TensorTable:
    """Columns of shape (tensors,)."""

    kinds: Mapping[TensorKind, Mask]
    plain_types: NDArray[np.str_]
    is_float: Mask
    """True where the dtype is not known."""
    is_vector: Mask
    """Whether it has at most one dimension, or, if it is no weight, one larger than 1; true of a shapeless bias."""
    is_input: Mask
    is_forward_output: Mask
    is_in_forward: Mask
    """Whether it is of the forward pass, or before it."""
    is_in_module: Mask
    is_parameter: Mask
    is_parameter_gradient: Mask
    gradient: NDArray[np.int64]
    """Index of the gradient of a parameter; -1 without one."""
    initial_size: NDArray[np.float64]
    """About twice the mean magnitude that common initializations give a matrix or a kernel; 0 if not known."""
    precision: NDArray[np.float64]
    """The distance from 1 to the next larger number of the dtype; that of float32 where the dtype is not known."""
    has_updates: bool
    """Whether the format records updates of parameters."""

    @classmethod
    def of(cls, source: DebugSource) -> TensorTable:
        """Return the facts about all tensors of a source."""
        tensors = source.tensors
        kinds = kind_masks(tensors, source.framework)
        gradients = {(each.module, each.slot): index
                     for index, each in enumerate(tensors) if each.role is Role.GRADIENT}  # fmt: skip
        is_vector = np.array([_is_vector(tensor) for tensor in tensors], np.bool_)
        is_shapeless = np.array([tensor.shape is None for tensor in tensors], np.bool_)
        return cls(
            kinds=kinds,
            plain_types=np.array([plain_type(tensor.type) for tensor in tensors], np.str_),
            is_float=np.array([not tensor.dtype or "float" in tensor.dtype for tensor in tensors], np.bool_),
            is_vector=is_vector | (is_shapeless & kinds[TensorKind.BIAS]),
            is_input=np.array([tensor.role is Role.INPUT for tensor in tensors], np.bool_),
            is_forward_output=np.array(
                [
                    tensor.role is Role.OUTPUT and tensor.phase is Phase.FORWARD and plain_type(tensor.type) != _SEED
                    for tensor in tensors
                ],
                np.bool_,
            ),
            is_in_forward=np.array([tensor.phase is Phase.FORWARD for tensor in tensors], np.bool_),
            is_in_module=np.array([bool(tensor.module) for tensor in tensors], np.bool_),
            is_parameter=np.array([tensor.role is Role.PARAMETER for tensor in tensors], np.bool_),
            is_parameter_gradient=np.array([tensor.role is Role.GRADIENT for tensor in tensors], np.bool_),
            gradient=np.array(
                [
                    gradients.get((tensor.module, tensor.slot), -1) if tensor.role is Role.PARAMETER else -1
                    for tensor in tensors
                ],
                np.int64,
            ),
            initial_size=np.array([_initial_size(tensor.shape) for tensor in tensors], np.float64),
            precision=np.array(
                [_PRECISIONS.get(tensor.dtype, _PRECISIONS["float32"]) for tensor in tensors], np.float64
            ),
            has_updates=Field.MEAN_ABS_UPDATE in source.fields,
        )


def known_rows(recorded: StepStatistics, table: TensorTable) -> StepStatistics:
    """A step without rows of tensors that its source found after the table was made: their description is damaged."""
    is_known = recorded.tensor < len(table.is_float)
    if is_known.all():
        return recorded
    return StepStatistics(
        recorded.step, recorded.rank, recorded.tensor[is_known], recorded.order[is_known], recorded.values[is_known],
        recorded.digest[is_known],
    )  # fmt: skip


def _is_vector(tensor: DebugTensor) -> bool:
    """A weight (1, C, 1, 1) is a kernel with one output."""
    if tensor.shape is None or len(tensor.shape) < 2:
        return tensor.shape is not None
    return sum(size > 1 for size in tensor.shape) < 2 and "weight" not in tensor.slot


def _initial_size(shape: tuple[int, ...] | None) -> float:
    """Return one over the square root of the number of inputs."""
    inputs = math.prod(shape[1:]) if shape is not None and len(shape) > 1 else 0
    return 1 / math.sqrt(inputs) if inputs else 0.0
