# SPDX-License-Identifier: Apache-2.0
"""Tiny real trainings: scikit-learn's digits and a network of two layers."""

from __future__ import annotations

from typing import Any

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from mindscope.torch import Model


class SmallNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 2, 3)
        self.fc1 = nn.Linear(2 * 6 * 6, 10)

    def forward(self, images: Tensor) -> Tensor:
        return self.fc1(torch.relu(self.conv1(images)).flatten(1))


def digits(count: int = 64) -> TensorDataset:
    data = load_digits()
    images = torch.tensor(data.images[:count] / 16, dtype=torch.float32).unsqueeze(1)
    return TensorDataset(images, torch.tensor(data.target[:count]))


def batches(count: int = 64, size: int = 16, **options: Any) -> DataLoader[Any]:
    return DataLoader(digits(count), batch_size=size, **options)


def make_model(learning_rate: float = 0.1, **options: Any) -> Model:
    torch.manual_seed(0)
    network = SmallNet()
    optimizer = torch.optim.SGD(network.parameters(), lr=learning_rate, momentum=0.9)
    return Model(network, nn.CrossEntropyLoss(), optimizer, **options)
