# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of a MindSpore network as vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import mindspore
import numpy as np
from numpy.typing import NDArray

from mindscope.landscape.blocks import Vector


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The parameters of a checkpoint by name, in their order."""

    arrays: Mapping[str, NDArray[Any]]

    @property
    def moving(self) -> list[str]:
        """Names of the parameters that a landscape moves: weights and biases, but no moments of an optimizer."""
        return [name for name in self.arrays if ("weight" in name or "bias" in name) and "moment" not in name]

    @property
    def sizes(self) -> list[int]:
        """Number of elements of each moving parameter."""
        return [self.arrays[name].size for name in self.moving]

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shape of each moving parameter."""
        return [self.arrays[name].shape for name in self.moving]

    def vector(self) -> Vector:
        """Return the moving parameters, one after the other, in float32. Raises ValueError if there are none."""
        if not self.moving:
            raise ValueError(f"no parameter has 'weight' or 'bias' in its name, of {', '.join(self.arrays) or 'none'}")
        return np.concatenate([self.arrays[name].reshape(-1) for name in self.moving]).astype(np.float32, copy=False)

    def moved_to(self, vector: Vector) -> dict[str, NDArray[Any]]:
        """Return all parameters, the moving ones taken from a vector."""
        ends = np.cumsum(self.sizes)
        parts = np.split(vector, ends[:-1])
        moved = {
            name: part.reshape(self.arrays[name].shape).astype(self.arrays[name].dtype, copy=False)
            for name, part in zip(self.moving, parts, strict=True)
        }
        return {**self.arrays, **moved}


def read_checkpoint(file: Path) -> Checkpoint:
    """Return a file of ``mindspore.save_checkpoint``. Raises ValueError where it can't be read."""
    parameters: dict[str, Any] = cast(Any, mindspore).load_checkpoint(str(file))
    return Checkpoint({name: parameter.asnumpy() for name, parameter in parameters.items()})
