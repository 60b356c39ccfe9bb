# SPDX-License-Identifier: Apache-2.0
"""Counts the parameters of a network, also where this process holds only a part of them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from torch import nn
from torch.nn.parameter import is_lazy

from mindscope.torch.core.naming import plain_network


class ParameterCount(NamedTuple):
    """Elements of all parameters, each shared one once, and of those with ``requires_grad``."""

    total: int
    trainable: int


def count_parameters(network: nn.Module) -> ParameterCount | None:
    """Return the count over all processes; None while a lazy module does not know its shape."""
    network = plain_network(network)
    whole = _fully_sharded(network)
    total = trainable = 0
    for parameter in network.parameters():
        if is_lazy(parameter):
            return None
        size = whole.get(id(parameter))
        if size is None:
            size = int(getattr(parameter, "ds_numel", None) or parameter.numel())  # DeepSpeed; DTensor has it all
        total += size
        trainable += size if parameter.requires_grad else 0
    return ParameterCount(total, trainable)


def _fully_sharded(network: nn.Module) -> dict[int, int]:
    """Return the sizes of the parameters that FullyShardedDataParallel split, by their ``id``."""
    sizes: dict[int, int] = {}
    for module in network.modules():
        handle: Any = getattr(module, "_handle", None)
        flat: Any = getattr(handle, "flat_param", None)
        if flat is None:
            continue
        shapes = list(flat._shapes)
        sizes[id(flat)] = sum(map(math.prod, shapes))
        originals = list(getattr(flat, "_params", None) or [])
        sizes |= (
            {id(original): math.prod(shape) for original, shape in zip(originals, shapes, strict=True)}
            if originals
            else {}
        )
    return sizes
