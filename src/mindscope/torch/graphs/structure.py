# SPDX-License-Identifier: Apache-2.0
"""The structure of a network as ``GraphProto``: what remains where its computation can't be traced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import torch
from torch import nn

from mindscope.collector import structure
from mindscope.collector.structure import Layer, Weight
from mindscope.torch.graphs.types import tensor_type
from mindscope.types import Message

SeenType = tuple[torch.dtype, tuple[int, ...]]
"""Dtype and shape of a tensor."""


def structure_message(module: nn.Module, name: str, types: Mapping[str, SeenType] | None = None) -> Message:
    """A node for each module that has no modules inside or has weights of its own; its inputs are its weights.

    ``types`` are those of outputs by module path.
    """
    modules: list[tuple[str, nn.Module]] = [*cast(Any, module.named_modules())]
    layers = [
        Layer(path, type(each).__name__, tuple(weights), _output_type(path, types))
        for path, each in modules
        if (weights := _own_weights(path, each)) or not any(each.children())
    ]
    weights = [
        Weight(path, str(weight.dtype).removeprefix("torch.").upper(), tuple(weight.shape))
        for path, weight in module.named_parameters()
    ]
    kinds = {path: type(each).__name__ for path, each in modules if path}
    return structure.structure_message(name, layers, weights, kinds)


def _output_type(path: str, types: Mapping[str, SeenType] | None) -> Message | None:
    return tensor_type(*types[path]) if types and path in types else None


def _own_weights(path: str, module: nn.Module) -> list[str]:
    return [f"{path}.{name}" if path else name for name, _ in module.named_parameters(recurse=False)]
