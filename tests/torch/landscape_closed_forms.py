# SPDX-License-Identifier: Apache-2.0
"""Networks whose loss is a known function of their weights, for workers in other processes too."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mindscope.torch import Model

CURVATURES = (5.0, 3.0, 1.0, 0.5, -2.0)


class Quadratic(nn.Module):
    """Half the sum of curvatures times squares; the data doesn't matter."""

    def __init__(self, curvatures: tuple[float, ...] = CURVATURES, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.first = nn.Parameter(torch.linspace(-1.0, 1.0, len(curvatures), dtype=dtype)[:2].clone())
        self.second = nn.Parameter(torch.linspace(-1.0, 1.0, len(curvatures), dtype=dtype)[2:].clone().view(1, -1))
        self.curvatures = torch.tensor(curvatures, dtype=dtype)

    def forward(self, rows: Tensor) -> Tensor:
        weights = torch.cat([self.first, self.second.flatten()])
        return 1.0 + (self.curvatures * weights**2).sum() / 2 + 0.0 * rows.sum()


class Fit(nn.Module):
    """A tiny classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Tanh(), nn.Linear(6, 3))

    def forward(self, rows: Tensor) -> Tensor:
        return self.layers(rows)


def rows() -> list[tuple[Tensor, ...]]:
    return [(torch.ones(4, 2),), (torch.ones(3, 2),)]


def labeled() -> list[tuple[Tensor, Tensor]]:
    generator = torch.Generator().manual_seed(3)
    inputs = torch.randn(48, 4, generator=generator)
    return list(zip(inputs.split(16), (inputs[:, 0] > inputs[:, 1]).long().split(16), strict=True))


def make_model() -> tuple[Model, nn.Module, list[tuple[Tensor, Tensor]], dict[str, object]]:
    """As ``SummaryLandscape`` wants it."""
    torch.manual_seed(0)
    network = Fit()
    return Model(network, nn.CrossEntropyLoss()), network, labeled(), {}
