# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of a MindSpore network as vectors, and planes between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import mindspore
import numpy as np
from numpy.typing import NDArray

from mindscope.landscape.directions import Vector, principal_directions, scale_to_weights
from mindscope.landscape.plane import Plane


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The parameters of a checkpoint by name, in their order."""

    arrays: Mapping[str, NDArray[Any]]

    @property
    def moving(self) -> list[str]:
        """Those that are moved in a landscape: weights and biases, but no moments of an optimizer."""
        return [name for name in self.arrays if ("weight" in name or "bias" in name) and "moment" not in name]

    @property
    def sizes(self) -> list[int]:
        """Elements of each moving parameter."""
        return [self.arrays[name].size for name in self.moving]

    def vector(self) -> Vector:
        """The moving parameters, one after the other."""
        return np.concatenate([self.arrays[name].reshape(-1) for name in self.moving]).astype(np.float64)

    def moved_to(self, vector: Vector) -> dict[str, NDArray[Any]]:
        """All parameters, the moving ones taken from a vector."""
        ends = np.cumsum(self.sizes)
        parts = np.split(vector, ends[:-1])
        moved = {
            name: part.reshape(self.arrays[name].shape).astype(np.float32)
            for name, part in zip(self.moving, parts, strict=True)
        }
        return {**self.arrays, **moved}


def read_checkpoint(file: Path) -> Checkpoint:
    """A file of ``mindspore.save_checkpoint``. Raises ValueError where it can't be read."""
    parameters: dict[str, Any] = cast(Any, mindspore).load_checkpoint(str(file))
    return Checkpoint({name: each.asnumpy() for name, each in parameters.items()})


def path_plane(checkpoints: Sequence[Checkpoint]) -> tuple[Plane, NDArray[np.float64]]:
    """The plane of most movement through the last checkpoint, and the path of all on it, (n, 2)."""
    last = checkpoints[-1]
    weights_nd = np.stack([each.vector() for each in checkpoints])
    v, w = (scale_to_weights(each, weights_nd[-1], last.sizes) for each in principal_directions(weights_nd))
    plane = Plane(weights_nd[-1], v, w)
    path = plane.coordinates(weights_nd)
    path[-1] = 0.0
    return plane, path


def random_plane(checkpoint: Checkpoint) -> Plane:
    """A plane along two random directions, which ``mindspore.set_seed`` decides."""
    weights = checkpoint.vector()
    v, w = (scale_to_weights(_random(checkpoint), weights, checkpoint.sizes) for _ in "vw")
    return Plane(weights, v, w)


def _random(checkpoint: Checkpoint) -> Vector:
    """Numbers for all parameters, as MindSpore draws them, of which those of the moving ones are used."""
    arrays = checkpoint.arrays
    drawn = np.random.normal(size=sum(array.size for array in arrays.values()))
    parts = np.split(drawn, np.cumsum([array.size for array in arrays.values()])[:-1])
    numbers = dict(zip(arrays, parts, strict=True))
    return np.concatenate([numbers[name] for name in checkpoint.moving])
