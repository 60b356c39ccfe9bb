# SPDX-License-Identifier: Apache-2.0
"""What the examples of PyTorch share: LeNet-5 on scikit-learn's digits, as a DataLoader."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

from mindscope.torch import ImageSummary, TensorSummary


class LeNet5(nn.Module):
    """LeNet-5 with ReLU. With ``is_recorded``, summary operators record its input and its first feature maps."""

    def __init__(self, num_class: int = 10, is_recorded: bool = False) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, num_class)
        self.is_recorded = is_recorded
        self.tensor_summary = TensorSummary()
        self.image_summary = ImageSummary()

    def forward(self, x: Tensor) -> Tensor:
        """Logits of shape (N, num_class) for images of shape (N, 1, 32, 32)."""
        if self.is_recorded:
            self.image_summary("Image", x)
        x = self.conv1(x)
        if self.is_recorded:
            self.tensor_summary("Tensor", x)
        x = functional.max_pool2d(torch.relu(x), 2)
        x = functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        x = torch.relu(self.fc1(x.flatten(1)))
        return self.fc3(torch.relu(self.fc2(x)))


def create_dataset(count: int = 1500, batch_size: int = 32) -> DataLoader[Any]:
    """Batches of images (N, 1, 32, 32) in [0, 1] and their labels (N,)."""
    digits = load_digits()
    images = np.pad(np.kron(digits.images[:count] / 16, np.ones((1, 3, 3))), ((0, 0), (4, 4), (4, 4)))
    data = TensorDataset(torch.tensor(images, dtype=torch.float32).unsqueeze(1), torch.tensor(digits.target[:count]))
    return DataLoader(data, batch_size=batch_size, shuffle=True, drop_last=True)
