# SPDX-License-Identifier: Apache-2.0
"""Train LeNet-5 on scikit-learn's digits in PyTorch on the CPU and record what happens with mindscope.

python examples/lenet_digits.py --log-dir runs/lenet --seconds 60
mindscope start runs

With --profile it also records where its time and memory go, with --debug the statistics of its tensors. It writes a log
beside what it records.

Its loss landscape, on the test set, from the weights that the collector keeps (in the directory of this file):

mindscope landscape ../runs/lenet --model lenet_digits:LeNet5 --data lenet_digits:test_batches \
    --loss torch.nn.functional:cross_entropy
"""

from __future__ import annotations

import argparse
import logging
import math
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Dataset, TensorDataset

from mindscope.torch import Debugger, Profiler, SummaryCollector

EVALUATED_EVERY = 50
COMPARED_EVERY = 500
"""Steps between two updates of the accuracy in the lineage table."""
LEAST_STEPS = 100
LANDSCAPE_STEPS = [1, *range(50, 601, 50)]
"""Steps whose weights are kept for a loss landscape."""
PROFILED = {"wait": 38, "warmup": 2, "active": 5, "repeat": 2}
"""Of the first and of the second epoch, which have 47 steps each: with and without waits for images."""
PROFILED_STEPS = 2 * (38 + 2 + 5)
DEBUGGED_EVERY = 10
"""Steps between two that the debugger records."""


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


class Digits(Dataset[tuple[Tensor, Tensor]]):
    """Images (1, 32, 32) in [0, 1], and labels.

    It enlarges an image of 8 x 8 when a loader first asks for it, and keeps it: the first epoch waits for its data.
    """

    def __init__(self, images: NDArray[np.float64], labels: NDArray[np.int64]) -> None:
        self._small, self._labels = images, torch.tensor(labels)
        self._enlarged: dict[int, Tensor] = {}

    def __len__(self) -> int:
        return len(self._labels)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        if index not in self._enlarged:
            image = np.pad(self._small[index].repeat(3, 0).repeat(3, 1) / 16, 4)
            self._enlarged[index] = torch.tensor(image, dtype=torch.float32).unsqueeze(0)
        return self._enlarged[index], self._labels[index]


def load_data() -> tuple[Digits, Tensor, Tensor]:
    """A training set, and images (N, 1, 32, 32) in [0, 1] with their labels (N,) to test with."""
    digits = cast("Any", load_digits())
    train, test = (Digits(digits.images[part], digits.target[part]) for part in (slice(1500), slice(1500, None)))
    images, labels = zip(*(test[index] for index in range(len(test))), strict=True)
    return train, torch.stack(images), torch.stack(labels)


def test_batches() -> DataLoader[tuple[Tensor, ...]]:
    """The test set in one batch."""
    _, images, labels = load_data()
    return DataLoader(TensorDataset(images, labels), batch_size=len(labels))


def shifted_batches(loader: DataLoader[tuple[Tensor, Tensor]]) -> Iterator[tuple[Tensor, Tensor]]:
    """Batches for ever, each shifted at random by up to three pixels."""
    while True:
        for images, labels in loader:
            down, right = (int(each) for each in torch.randint(-3, 4, (2,)))
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


@contextmanager
def run_log(log_dir: Path) -> Generator[logging.Logger]:
    """A logger that writes ``train.log`` into the directory of a run."""
    log, handler = logging.getLogger(f"lenet.{log_dir.name}"), logging.FileHandler(log_dir / "train.log")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield log
    finally:
        log.removeHandler(handler)
        handler.close()


def training(
    log_dir: str,
    seconds: float,
    seed: int = 0,
    peak_learning_rate: float = 0.02,
    *,
    is_profiled: bool = False,
    is_debugged: bool = False,
) -> Generator[int]:
    """Train for so many seconds, 100 steps at least, and record each; gives its number, so that several take turns.

    A profile records the whole process: nobody else should take turns until step ``PROFILED_STEPS`` of one.
    """
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
    with collector, ExitStack() as stack:
        record = collector.record
        profiler = (
            stack.enter_context(Profiler(output_path=log_dir, schedule=PROFILED, is_show_op_path=True))
            if is_profiled
            else None
        )
        debugger = stack.enter_context(Debugger(record, network, every=DEBUGGED_EVERY)) if is_debugged else None
        log = stack.enter_context(run_log(Path(log_dir)))
        log.info(
            "training of %d parameters for %g seconds", sum(each.numel() for each in network.parameters()), seconds
        )
        for step, (images, labels) in zip(count(1), shifted_batches(loader)):
            if progress() == 1 and step > LEAST_STEPS:
                break
            logits = network(images)
            loss = functional.cross_entropy(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if debugger is not None:
                debugger.step(loss)

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
            if profiler is not None and step <= PROFILED_STEPS:
                profiler.step()
                if step == PROFILED_STEPS:
                    profiler.stop()
            if step % COMPARED_EVERY == 1:
                found = results(network, test_images, test_labels)
                log.info("step %d: accuracy %.4f, loss %.4f on the test set", step, found["accuracy"], found["loss"])
                collector.evaluated(found, valid_dataset=test_loader, curves={})
            yield step
        collector.evaluated(results(network, test_images, test_labels), valid_dataset=test_loader, curves={})


def main() -> None:
    """Parse the command line and train."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--log-dir", default="runs/lenet")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learning-rate", type=float, default=0.02)
    parser.add_argument("--profile", action="store_true", help="profile five steps of the first and second epoch each")
    parser.add_argument("--debug", action="store_true", help=f"record all tensors of each step of {DEBUGGED_EVERY}")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the network is too small for more
    steps = training(
        arguments.log_dir, arguments.seconds, arguments.seed, arguments.learning_rate,
        is_profiled=arguments.profile, is_debugged=arguments.debug,
    )  # fmt: skip
    for step in steps:
        if step % 1000 == 0:
            print(f"step {step}", flush=True)


if __name__ == "__main__":
    main()
