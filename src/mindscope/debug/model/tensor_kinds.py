# SPDX-License-Identifier: Apache-2.0
"""Finds which tensors are weights, biases, gradients and activations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.tensors import DebugTensor, Phase, Role


class TensorKind(str, Enum):
    """The kind of tensors that a condition applies to."""

    WEIGHT = "weight"
    """A parameter that an optimizer trains, biases included."""
    BIAS = "bias"
    GRADIENT = "gradient"
    ACTIVATION = "activation"
    TENSOR = "tensor"
    """Any tensor."""

    def __str__(self) -> str:
        return self.value


ACTIVATIONS = frozenset(
    "elu fastgelu gelu hsigmoid hswish leakyrelu logsigmoid logsoftmax prelu relu relu6 reluv2 sigmoid softmax tanh"
    " celu hardsigmoid hardswish hardtanh mish rrelu selu silu softplus swish".split()
)
"""Types of operators whose outputs are activations: those of MindInsight, then those that PyTorch has besides."""
_NAMESPACE = re.compile(r"(?:Functional|Torch|Tensor|Aten|NPU|VF|Distributed|Triton|Mint|Jit)\.")
_OPTIMIZER_STATES = ("accum", "moment", "moments", "moment1", "moment2", "stat", "mean_square", "mean_gradient")


def plain_type(operator_type: str) -> str:
    """Return the type of an operator without namespace, case and underscores: ``aten::leaky_relu_`` is ``leakyrelu``.

    msprobe writes the namespace of PyTorch's functions in another way: ``Functional.leaky_relu``.
    """
    name = operator_type.rsplit("::", 1)[-1]
    name = name[match.end() :] if (match := _NAMESPACE.match(name)) else name
    return name.split(".", 1)[0].replace("_", "").lower()


def kind_masks(tensors: Sequence[DebugTensor], framework: str) -> Mapping[TensorKind, NDArray[np.bool_]]:
    """Return which tensors are of each kind. A bias is a weight too, and each one is a tensor."""
    is_weight = [_is_weight(tensor, framework) for tensor in tensors]
    of_kind = {
        TensorKind.WEIGHT: is_weight,
        TensorKind.BIAS: [weight and is_bias(each) for weight, each in zip(is_weight, tensors, strict=True)],
        TensorKind.GRADIENT: [is_gradient(tensor) for tensor in tensors],
        TensorKind.ACTIVATION: [_is_activation(tensor) for tensor in tensors],
        TensorKind.TENSOR: [True] * len(tensors),
    }
    return {kind: np.array(mask, np.bool_) for kind, mask in of_kind.items()}


def is_gradient(tensor: DebugTensor) -> bool:
    """Return whether it is a gradient of a parameter, or an output of the backward pass."""
    if tensor.role is Role.GRADIENT:
        return True
    is_backward = tensor.phase is Phase.BACKWARD or "Gradients/" in tensor.name
    return is_backward and tensor.role is Role.OUTPUT


def is_bias(tensor: DebugTensor) -> bool:
    """Return whether it is called a bias, as ``bias`` or ``in_proj_bias``, or is the ``beta`` of a norm."""
    own = tensor.slot.rsplit(".", 1)[-1].lower()
    return "bias" in own.split("_") or own == "beta"


def _is_weight(tensor: DebugTensor, framework: str) -> bool:
    if tensor.role is not Role.PARAMETER:
        return False
    if framework != "mindspore":
        return True
    path = f"{tensor.module}.{tensor.slot}"
    own = tensor.slot.rsplit(".", 1)[-1]
    is_of_optimizer = path.lstrip(".").split(".", 1)[0].lower() in _OPTIMIZER_STATES
    return own in ("weight", "bias") and not is_of_optimizer and "Gradients/" not in tensor.name


def _is_activation(tensor: DebugTensor) -> bool:
    is_output = tensor.role is Role.OUTPUT and not is_gradient(tensor)
    return is_output and plain_type(tensor.type) in ACTIVATIONS
