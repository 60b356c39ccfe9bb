# SPDX-License-Identifier: Apache-2.0
"""The losses to compute at the points of a plane, and the ways to compute them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from mindscope.landscape.plane import Plane
from mindscope.torch.landscapes.batches import FixedBatches
from mindscope.torch.landscapes.network_loss import NetworkLoss, Tensors


@dataclass(frozen=True, slots=True)
class Way:
    """A way to compute losses. All ways give the same numbers, up to rounding."""

    name: str
    """``loop``, ``channels_last``, ``vmap`` or ``grouped``."""
    points: int = 1
    """Number of points that are computed at once."""
    batch_size: int | None = None
    """None for the batches of the data set."""


LOOP = Way("loop")
"""Way with which others are compared: point by point, with the batches of the data set."""


@dataclass(frozen=True, slots=True)
class LossProblem:
    """The losses of a network on a plane."""

    loss: NetworkLoss
    plane: Plane
    batches: FixedBatches
    """Batches on the device of the network, in the dtype of the computation."""
    buffers: Tensors
    """Statistics of normalization layers as trained."""
    is_re_estimated: bool = False
    """Whether normalization layers get the statistics of these batches, at each point."""

    @property
    def depends_on_batches(self) -> bool:
        """Whether other batches of the same samples have other losses."""
        return self.is_re_estimated and bool(self.loss.statistics_layers())

    def batches_of(self, way: Way) -> FixedBatches:
        """Return the batches as this way wants them."""
        return self.batches if way.batch_size is None else self.batches.split(way.batch_size)


def mean_loss(losses: Iterable[Tensor], lengths: Sequence[int]) -> Tensor:
    """Return the mean over samples in float64, of the mean losses of batches."""
    weighted = [loss.double() * length for loss, length in zip(losses, lengths, strict=True)]
    return torch.stack(weighted).sum(0) / sum(lengths)


def mean_statistics(parts: Iterable[Tensors]) -> Tensors:
    """Return the mean over batches, each with the same weight, as a cumulative moving average in a training."""
    total: Tensors = {}
    count = 0
    for part in parts:
        count += 1
        total = {name: total[name] + value for name, value in part.items()} if total else part
    return {name: value / count for name, value in total.items()}
