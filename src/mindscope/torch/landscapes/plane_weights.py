# SPDX-License-Identifier: Apache-2.0
"""The weights of a network at points of a plane, as tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from mindscope.landscape.blocks import Vector
from mindscope.landscape.plane import Plane, Points
from mindscope.torch.landscapes.network_loss import Tensors


def flat_vector(tensors: Mapping[str, Tensor]) -> Vector:
    """Return all tensors, one after the other, in the widest of their dtypes that NumPy has: float32 or float64."""
    is_double = any(tensor.dtype == torch.float64 for tensor in tensors.values())
    vector = np.empty(sum(tensor.numel() for tensor in tensors.values()), np.float64 if is_double else np.float32)
    start = 0
    for tensor in tensors.values():
        part = vector[start : start + tensor.numel()]
        torch.from_numpy(part).copy_(tensor.detach().reshape(-1))
        start += tensor.numel()
    return vector


def unflatten(vector: Vector | Tensor, like: Mapping[str, Tensor]) -> Tensors:
    """Return the inverse: views of the vector with the names and shapes of ``like``."""
    flat = vector if isinstance(vector, Tensor) else torch.from_numpy(vector)
    parts: tuple[Tensor, ...] = cast(Any, flat).split([each.numel() for each in like.values()])
    return {name: part.view(each.shape) for (name, each), part in zip(like.items(), parts, strict=True)}


class PlaneWeights:
    """Weights at points, in the dtypes of the network, on its device.

    Args:
        plane: in the order of ``like``.
        like: the trainable parameters of the network.
        change: applied to the vectors of each parameter once; linear, such as another memory format.
    """

    def __init__(
        self, plane: Plane, like: Mapping[str, Tensor], change: Callable[[Tensor], Tensor] | None = None
    ) -> None:
        vectors = [plane.origin, plane.v] if plane.w is None else [plane.origin, plane.v, plane.w]
        parts = [unflatten(vector, like) for vector in vectors]
        self._parts: dict[str, list[Tensor]] = {
            name: [(change or _same)(part[name].to(value.device, value.dtype)) for part in parts]
            for name, value in like.items()
        }

    def at(self, a: float, b: float) -> Tensors:
        """Return the weights at a point."""
        return {name: _moved(part, a, b) for name, part in self._parts.items()}

    def stacked(self, points: Points) -> Tensors:
        """Return the weights at points, each of shape (points, *shape)."""
        return {
            name: torch.stack([_moved(part, a, b) for a, b in points.tolist()]) for name, part in self._parts.items()
        }


def _moved(parts: list[Tensor], a: float, b: float) -> Tensor:
    moved = torch.add(parts[0], parts[1], alpha=a)
    return moved.add_(parts[2], alpha=b) if len(parts) > 2 and b else moved


def _same(tensor: Tensor) -> Any:
    return tensor
