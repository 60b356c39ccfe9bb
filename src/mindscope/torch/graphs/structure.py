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

WRAPPED = ("_fsdp_wrapped_module", "_checkpoint_wrapped_module")
"""The module inside of what FSDP and activation checkpointing put around it."""

SeenType = tuple[torch.dtype, tuple[int, ...]]
"""Dtype and shape of a tensor."""


def structure_message(module: nn.Module, name: str, types: Mapping[str, SeenType] | None = None) -> Message:
    """Return a node for each module that has no modules inside or has weights of its own; its inputs are its weights.

    ``types`` are those of outputs by module path. Wrappers are left out.
    """
    modules = [(path, each) for path, each in cast(Any, module.named_modules()) if unwrapped(each) is each]
    layers = [
        Layer(plain_path(path), type(each).__name__, tuple(weights), _output_type(path, types))
        for path, each in modules
        if (weights := _own_weights(path, each)) or next(each.children(), None) is None
    ]
    weights = [
        Weight(plain_path(path), str(weight.dtype).removeprefix("torch.").upper(), tuple(weight.shape))
        for path, weight in module.named_parameters()
    ]
    kinds = {plain: type(each).__name__ for path, each in modules if (plain := plain_path(path))}
    return structure.structure_message(name, layers, weights, kinds)


def unwrapped(module: nn.Module) -> nn.Module:
    """Return the module inside of its wrappers."""
    while inner := next((found for name in WRAPPED if (found := getattr(module, name, None)) is not None), None):
        module = inner
    return module


def plain_path(path: str) -> str:
    """Return the path of a module or parameter without those of wrappers."""
    return ".".join(part for part in path.split(".") if part not in WRAPPED)


def _output_type(path: str, types: Mapping[str, SeenType] | None) -> Message | None:
    return tensor_type(*types[path]) if types and path in types else None


def _own_weights(path: str, module: nn.Module) -> list[str]:
    return [plain_path(f"{path}.{name}" if path else name) for name, _ in module.named_parameters(recurse=False)]
