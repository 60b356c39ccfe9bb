# SPDX-License-Identifier: Apache-2.0
"""Random directions of MindSpore's kind, the same after a kill."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindscope.landscape.blocks import Vector
from mindscope.landscape.directions import filter_normalized, scale_to_weights
from mindscope.landscape.plane import Plane
from mindscope.mindspore.landscape_weights import Checkpoint
from mindscope.python_syntax import parsed

_LOG = logging.getLogger("mindscope")
SCALES = ("parameter", "filter")
Normal = Callable[[int], NDArray[np.float64]]


def random_plane(checkpoint: Checkpoint, scale: str, seed: int | None) -> Plane:
    """Return a plane along two random directions.

    Args:
        checkpoint: the origin.
        scale: ``parameter``: each parameter's part has the norm of the parameter, as MindSpore has it; ``filter``: see
            ``filter_normalized``.
        seed: None for the generator of NumPy that ``mindspore.set_seed`` sets, as MindSpore has it.
    """
    normal: Normal = (lambda size: np.random.normal(size=size)) if seed is None else _normal_of(seed)
    weights = checkpoint.vector()
    if scale == "filter":
        first = int(np.random.randint(1 << 31)) if seed is None else seed
        v, w = (filter_normalized(weights, checkpoint.shapes, (first, index)) for index in range(2))
        return Plane(weights, v, w)
    v, w = (scale_to_weights(_random(checkpoint, normal), weights, checkpoint.sizes) for _ in "vw")
    return Plane(weights, v, w)


def _normal_of(seed: int) -> Normal:
    generator = np.random.RandomState(seed)
    return lambda size: generator.normal(size=size)


def _random(checkpoint: Checkpoint, normal: Normal) -> Vector:
    """Return numbers for all parameters, as MindSpore draws them, of which those of the moving ones are used."""
    arrays = checkpoint.arrays
    values = normal(sum(array.size for array in arrays.values()))
    parts = np.split(values, np.cumsum([array.size for array in arrays.values()])[:-1])
    numbers = dict(zip(arrays, parts, strict=True))
    return np.concatenate([numbers[name] for name in checkpoint.moving]).astype(np.float32)


class UnfinishedPlane:
    """The random plane of a landscape that is not complete, in a file, so that it continues after a kill."""

    def __init__(self, directory: Path, key: str) -> None:
        self._path = directory / f"landscape_{key[:16]}.directions.npy"

    def plane(self, checkpoint: Checkpoint, draw: Callable[[], Plane]) -> Plane:
        """Return the plane of the file, else a new one. A file that can't be written is logged."""
        weights = checkpoint.vector()
        try:
            v, w = parsed(lambda: np.load(self._path))
            if v.shape == w.shape == weights.shape:
                return Plane(weights, v, w)
        except (OSError, ValueError, EOFError):
            pass  # there is none, or it is not whole
        plane = draw()
        unfinished = self._path.with_suffix(".part")
        try:
            with unfinished.open("wb") as file:
                np.save(file, np.stack([plane.v, plane.v if plane.w is None else plane.w]))
            unfinished.replace(self._path)
        except OSError as error:
            _LOG.warning("%s: %s; after a stop, this landscape begins again", self._path, error)
        return plane

    def remove(self) -> None:
        """Remove the file, as the landscape is complete."""
        self._path.unlink(missing_ok=True)
