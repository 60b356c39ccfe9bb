# SPDX-License-Identifier: Apache-2.0
"""Train LeNet-5 on scikit-learn's digits in PyTorch on the CPU and record what happens with mindscope.

python examples/lenet_digits.py --log-dir runs/lenet --seconds 60
mindscope start --summary-base-dir runs
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional

import mindscope


class LeNet5(nn.Module):
    """The network of LeCun et al., "Gradient-based learning applied to document recognition" (1998), with ReLU."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, images: Tensor) -> Tensor:
        """Logits of shape (N, 10) for images of shape (N, 1, 32, 32)."""
        x = functional.max_pool2d(torch.relu(self.conv1(images)), 2)
        x = functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        x = torch.relu(self.fc1(x.flatten(1)))
        return self.fc3(torch.relu(self.fc2(x)))


def load_data() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Training and test images (N, 1, 32, 32) in [0, 1] with their labels."""
    digits = load_digits()
    images = np.kron(digits.images / 16, np.ones((1, 3, 3)))
    images = torch.tensor(np.pad(images, ((0, 0), (4, 4), (4, 4))), dtype=torch.float32).unsqueeze(1)
    labels = torch.tensor(digits.target)
    return images[:1500], labels[:1500], images[1500:], labels[1500:]


def shuffled_batches(images: Tensor, labels: Tensor, size: int = 32) -> Iterator[tuple[Tensor, Tensor]]:
    """Batches for ever, each image shifted at random by up to three pixels."""
    while True:
        for indices in torch.randperm(len(images)).split(size):
            down, right = torch.randint(-3, 4, (2,)).tolist()
            yield images[indices].roll((down, right), (2, 3)), labels[indices]


def train(log_dir: str, seconds: float, seed: int = 0, peak_learning_rate: float = 0.02) -> None:
    """Train for so many seconds and record every step."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # the network is too small for more, and the viewer wants a core
    train_images, train_labels, test_images, test_labels = load_data()
    network = LeNet5()
    optimizer = torch.optim.SGD(network.parameters(), lr=peak_learning_rate, momentum=0.9)
    started = time.monotonic()
    with mindscope.SummaryRecord(log_dir) as record:
        for step, (images, labels) in enumerate(shuffled_batches(train_images, train_labels), start=1):
            progress = (time.monotonic() - started) / seconds
            if progress >= 1:
                break
            learning_rate = peak_learning_rate * (1 + math.cos(math.pi * progress)) / 2
            optimizer.param_groups[0]["lr"] = learning_rate

            logits = network(images)
            loss = functional.cross_entropy(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

            record.add_value("scalar", "loss/train", loss)
            record.add_value("scalar", "learning_rate", learning_rate)
            record.add_value("scalar", "accuracy/train", (logits.argmax(1) == labels).float().mean())
            if step % 50 == 1:
                with torch.no_grad():
                    logits = network(test_images)
                record.add_value("scalar", "loss/test", functional.cross_entropy(logits, test_labels))
                record.add_value("scalar", "accuracy/test", (logits.argmax(1) == test_labels).float().mean())
                record.add_value("image", "input", images)
                for name, parameter in network.named_parameters():
                    record.add_value("histogram", f"weight/{name}", parameter)
                    record.add_value("histogram", f"gradient/{name}", parameter.grad)
            record.record(step)


def main() -> None:
    """Parse the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log-dir", default="runs/lenet")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learning-rate", type=float, default=0.02)
    arguments = parser.parse_args()
    train(arguments.log_dir, arguments.seconds, arguments.seed, arguments.learning_rate)


if __name__ == "__main__":
    main()
