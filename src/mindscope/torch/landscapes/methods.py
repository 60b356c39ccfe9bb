# SPDX-License-Identifier: Apache-2.0
"""Planes and grids of a landscape, by method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mindscope.landscape.blocks import Vector
from mindscope.landscape.grid import Grid, grid_around, grid_of_path
from mindscope.landscape.plane import Plane, Projection
from mindscope.landscape.planes import line_between, path_plane, plane_through_three, random_plane
from mindscope.landscape.spectrum import top_eigenpairs
from mindscope.torch.landscapes.batches import FixedBatches
from mindscope.torch.landscapes.hessian import Hessian
from mindscope.torch.landscapes.network_loss import NetworkLoss, Tensors
from mindscope.torch.landscapes.plane_weights import unflatten

DECOMPOSITIONS = {"pca": "PCA", "random": "Random", "hessian": "Hessian", "three": "Three", "line": "Line"}
"""Method -> how event files name it; the first two are MindSpore's."""
_LEAST = {"pca": 3, "random": 1, "hessian": 1, "three": 3, "line": 2}


@dataclass(frozen=True, slots=True)
class Layout:
    """The points at which losses are computed."""

    plane: Plane
    grid: Grid
    projection: Projection
    """Projection of the checkpoints."""


def lay_out(
    method: str,
    states: Sequence[Vector],
    numbers: Sequence[int],
    size: int,
    seed: int,
    loss: NetworkLoss,
    batches: FixedBatches,
    buffers: Tensors,
) -> Layout:
    """Return the plane and the grid on it.

    ``hessian`` has a unit of length 1 in weight space along each direction; along a random direction it is as long as
    the weights, and along those of a path the weights of each parameter are.
    """
    shapes = [tuple(each.shape) for each in loss.trainable.values()]
    if method == "random":
        plane = random_plane(states[-1], shapes, seed)
    elif method == "hessian":
        plane = _hessian_plane(states[-1], seed, loss, batches, buffers)
    elif method == "three":
        plane = plane_through_three(states, shapes, seed)
    elif method == "line":
        plane = line_between(states)
    else:
        plane = path_plane(states, shapes, seed=seed)
    projection = plane.project(states)
    if method in ("random", "hessian"):
        return Layout(plane, grid_around(size), projection)
    grid = grid_of_path(projection.coordinates, numbers, size, plane.degenerate, line=method == "line")
    return Layout(plane, grid, projection)


def choose_checkpoints(method: str, count: int) -> list[int]:
    """Return the indexes of the checkpoints that a method uses, of ``count``.

    Raises ValueError where these are too few.
    """
    if method not in DECOMPOSITIONS:
        raise ValueError(f"method is {method!r}, want {', '.join(DECOMPOSITIONS)}")
    if count < _LEAST[method]:
        raise ValueError(f"method {method!r} wants at least {_LEAST[method]} checkpoints, and there are {count}")
    chosen = {
        "random": [count - 1], "hessian": [count - 1], "three": [0, count // 2, count - 1], "line": [0, count - 1],
    }  # fmt: skip
    return chosen.get(method, list(range(count)))


def _hessian_plane(state: Vector, seed: int, loss: NetworkLoss, batches: FixedBatches, buffers: Tensors) -> Plane:
    like = loss.trainable
    weights = {name: value.to(loss.device, like[name].dtype) for name, value in unflatten(state, like).items()}
    hessian = Hessian(loss, weights, buffers, batches, seed)
    pairs = top_eigenpairs(hessian.multiply, hessian.draw, 2, hessian.most_vectors(60))
    first, second = (pair.vector.cpu().numpy().astype(state.dtype, copy=False) for pair in pairs)
    return Plane(state, first, second)
