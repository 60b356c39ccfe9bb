# SPDX-License-Identifier: Apache-2.0
"""Train LeNet-5 on scikit-learn's digits in PyTorch on the CPU and record what happens with mindscope.

python examples/lenet_digits.py --log-dir runs/lenet --seconds 60
mindscope start runs

Its loss landscape, on the test set, from the weights that the collector keeps (in the directory of this file):

mindscope landscape ../runs/lenet --model lenet_digits:LeNet5 --data lenet_digits:test_batches \
    --loss torch.nn.functional:cross_entropy
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from itertools import count

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, TensorDataset

from mindscope.torch import SummaryCollector

EVALUATED_EVERY = 50
COMPARED_EVERY = 500
"""Steps between two updates of the accuracy in the lineage table."""
LEAST_STEPS = 100
LANDSCAPE_STEPS = [1, *range(50, 601, 50)]
"""Steps whose weights are kept for a loss landscape."""


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


def load_data() -> tuple[TensorDataset, Tensor, Tensor]:
    """A training set, and images (N, 1, 32, 32) in [0, 1] with their labels (N,) to test with."""
    digits = load_digits()
    images = np.kron(digits.images / 16, np.ones((1, 3, 3)))
    images = torch.tensor(np.pad(images, ((0, 0), (4, 4), (4, 4))), dtype=torch.float32).unsqueeze(1)
    labels = torch.tensor(digits.target)
    return TensorDataset(images[:1500], labels[:1500]), images[1500:], labels[1500:]


def test_batches() -> DataLoader[tuple[Tensor, ...]]:
    """The test set in one batch."""
    _, images, labels = load_data()
    return DataLoader(TensorDataset(images, labels), batch_size=len(labels))


def shifted_batches(loader: DataLoader[tuple[Tensor, ...]]) -> Iterator[tuple[Tensor, Tensor]]:
    """Batches for ever, each shifted at random by up to three pixels."""
    while True:
        for images, labels in loader:
            down, right = torch.randint(-3, 4, (2,)).tolist()
            yield images.roll((down, right), (2, 3)), labels


def confusion(logits: Tensor, labels: Tensor) -> Tensor:
    """How often each label (a row) was taken for each class (a column): (10, 10) of int64."""
    return torch.bincount(labels * 10 + logits.argmax(1), minlength=100).reshape(10, 10)


def accuracy(logits: Tensor, labels: Tensor) -> Tensor:
    """The share of right answers."""
    return (logits.argmax(1) == labels).float().mean()


def results(network: nn.Module, images: Tensor, labels: Tensor) -> dict[str, float]:
    """The metrics for the lineage table."""
    with torch.no_grad():
        logits = network(images)
    return {"accuracy": float(accuracy(logits, labels)), "loss": float(functional.cross_entropy(logits, labels))}


def training(log_dir: str, seconds: float, seed: int = 0, peak_learning_rate: float = 0.02) -> Iterator[int]:
    """Train for so many seconds, 100 steps at least, and record each; gives its number, so that several take turns."""
    torch.manual_seed(seed)
    train_set, test_images, test_labels = load_data()
    loader = DataLoader(train_set, batch_size=32, shuffle=True)
    test_loader = test_batches()
    network = LeNet5()
    optimizer = torch.optim.SGD(network.parameters(), lr=peak_learning_rate, momentum=0.9)
    collector = SummaryCollector(  # graph, lineage, input and weights; the rest we add ourselves, at every step
        log_dir,
        collect_freq=EVALUATED_EVERY,
        collect_specified_data={
            "collect_metric": False,
            "histogram_regular": r".*\.weight",
            "collect_landscape": {
                "intervals": [LANDSCAPE_STEPS],
                "create_landscape": {"train": True, "result": False},
                "num_samples": len(test_labels),
            },
        },
        custom_lineage_data={"note": f"cosine over {seconds:g} seconds"},
    )
    started = time.monotonic()

    def progress() -> float:
        return min((time.monotonic() - started) / seconds, 1)

    scheduler = LambdaLR(optimizer, lambda _step: (1 + math.cos(math.pi * progress())) / 2)
    with collector:
        record = collector.record
        for step, (images, labels) in zip(count(1), shifted_batches(loader)):
            if progress() == 1 and step > LEAST_STEPS:
                break
            logits = network(images)
            loss = functional.cross_entropy(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

            record.add_value("scalar", "loss/train", loss)
            record.add_value("scalar", "learning_rate", scheduler.get_last_lr()[0])
            record.add_value("scalar", "accuracy/train", accuracy(logits, labels))
            if step % EVALUATED_EVERY == 1:
                with torch.no_grad():
                    logits = network(test_images)
                record.add_value("scalar", "loss/test", functional.cross_entropy(logits, test_labels))
                record.add_value("scalar", "accuracy/test", accuracy(logits, test_labels))
                record.add_value("tensor", "confusion", confusion(logits, test_labels))
                for name, parameter in network.named_parameters():
                    record.add_value("histogram", f"gradient/{name}", parameter.grad)
            collector.step(
                loss, network=network, optimizer=optimizer, scheduler=scheduler, input_data=images, train_dataset=loader
            )
            record.record(step)
            scheduler.step()
            if step % COMPARED_EVERY == 1:
                collector.evaluated(results(network, test_images, test_labels), valid_dataset=test_loader, curves={})
            yield step
        collector.evaluated(results(network, test_images, test_labels), valid_dataset=test_loader, curves={})


def main() -> None:
    """Parse the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log-dir", default="runs/lenet")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learning-rate", type=float, default=0.02)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the network is too small for more
    for step in training(arguments.log_dir, arguments.seconds, arguments.seed, arguments.learning_rate):
        if step % 1000 == 0:
            print(f"step {step}", flush=True)


if __name__ == "__main__":
    main()
