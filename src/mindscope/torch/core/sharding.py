# SPDX-License-Identifier: Apache-2.0
"""Parameters that are spread over processes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import torch
from torch import Tensor, nn

from mindscope.capture.framework_tensors import is_sharded

FULLY_SHARDED = "FullyShardedDataParallel"
"""Torch's first FSDP, which splits parameters without a DTensor."""


def gathered(tensor: Any) -> Tensor:
    """Return all elements of a DTensor; all of its processes have to call it. Raises what the backend raises."""
    with torch.no_grad():
        return cast(Tensor, tensor.full_tensor())


def is_fully_sharded(module: nn.Module) -> bool:
    """Return whether torch's first FSDP wraps a module."""
    return any(kind.__name__ == FULLY_SHARDED for kind in type(module).__mro__)


def sharding_of(network: nn.Module) -> str | None:
    """Describe how the parameters are spread over processes, such as ``DTensor, Shard(dim=0)``.

    It returns None if no process lacks any.
    """
    kinds = [kind for parameter in network.parameters() if (kind := _placements(parameter))]
    if any(is_fully_sharded(module) for module in network.modules()):
        kinds.append(FULLY_SHARDED)
    return "; ".join(dict.fromkeys(kinds)) or None


def _placements(tensor: Any) -> str | None:
    if not is_sharded(tensor):
        return None
    placements: Iterable[Any] = tensor.placements
    split = [repr(placement) for placement in placements if not placement.is_replicate()]
    return f"DTensor, {', '.join(split)}" if split else None
