# SPDX-License-Identifier: Apache-2.0
"""Train many small networks on scikit-learn's digits with random settings, and record them for the lineage pages.

python examples/lineage_sweep.py --directory runs/sweep --runs 32
mindscope lineage runs/sweep --sort -accuracy
mindscope start runs/sweep
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import ConcatDataset, DataLoader, Dataset

import mindscope
from mindscope.torch import Callback, EarlyStopping, Model, RunContext, SummaryCollector
from mindscope.torch.metrics import Metric

TRAINING_SAMPLES = 1200
OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {
    "SGD": lambda parameters, **options: torch.optim.SGD(parameters, momentum=0.9, **options),
    "Adam": torch.optim.Adam,
    "AdamW": torch.optim.AdamW,
    "RMSprop": torch.optim.RMSprop,
}
FASTEST_RATE = {"SGD": 1.0, "Adam": 0.3, "AdamW": 0.3, "RMSprop": 0.1}
AUGMENTATIONS = ("none", "shift", "noise", "shift and noise", "extra shifted copy")


@dataclass(frozen=True)
class Trial:
    """The settings of one training; None where it has no such setting."""

    learning_rate: float
    batch_size: int
    optimizer: str
    weight_decay: float
    network: str
    width: int
    dropout: float | None
    augmentation: str
    is_annealed: bool
    seed: int
    note: str

    def described(self) -> dict[str, Any]:
        """What the collector can't find out by itself."""
        fields = {
            "width": self.width,
            "dropout": self.dropout,
            "augmentation": self.augmentation,
            "note": self.note,
        }
        return {name: value for name, value in fields.items() if value is not None}


def trials(seed: int) -> Iterator[Trial]:
    """Random settings for ever; every sixth one is too fast and diverges."""
    chance = random.Random(seed)
    number = 0
    while True:
        number += 1
        is_wild = number % 6 == 0
        optimizer = "SGD" if is_wild else chance.choice(list(OPTIMIZERS))
        slowest, fastest = (3.0, 30.0) if is_wild else (3e-4, FASTEST_RATE[optimizer])
        yield Trial(
            learning_rate=float(f"{slowest * (fastest / slowest) ** chance.random():.2g}"),
            batch_size=chance.choice([16, 32, 64, 128]),
            optimizer=optimizer,
            weight_decay=chance.choice([0.0, 1e-4, 1e-3, 1e-2]),
            network=chance.choice(list(NETWORKS)),
            width=chance.choice([8, 16, 32, 64]),
            dropout=chance.choice([None, 0.1, 0.3, 0.5]),
            augmentation=chance.choice(AUGMENTATIONS),
            is_annealed=chance.random() < 0.5,
            seed=chance.randrange(5),
            note="to see what happens" if is_wild else "random search",
        )


class Shift:
    """Moves an image at random by up to ``pixels`` in both directions."""

    def __init__(self, pixels: int) -> None:
        self.pixels = pixels

    def __call__(self, image: Tensor) -> Tensor:
        down, right = torch.randint(-self.pixels, self.pixels + 1, (2,)).tolist()
        return image.roll((down, right), (1, 2))


class Noise:
    """Adds Gaussian noise."""

    def __init__(self, deviation: float) -> None:
        self.deviation = deviation

    def __call__(self, image: Tensor) -> Tensor:
        return image + self.deviation * torch.randn_like(image)


class Normalize:
    """Subtracts the mean and divides by the standard deviation."""

    def __init__(self, mean: float, deviation: float) -> None:
        self.mean, self.deviation = mean, deviation

    def __call__(self, image: Tensor) -> Tensor:
        return (image - self.mean) / self.deviation


class Digits(Dataset[tuple[Tensor, Tensor]]):
    """Some of the 1797 digits, each as an image (1, 8, 8) after its transforms, with its label."""

    def __init__(self, first: int, last: int, transform: list[Callable[[Tensor], Tensor]]) -> None:
        data = load_digits()
        self.images = torch.tensor(data.images[first:last] / 16, dtype=torch.float32).unsqueeze(1)
        self.labels = torch.tensor(data.target[first:last])
        self.first, self.last, self.transform = first, last, transform

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, place: int) -> tuple[Tensor, Tensor]:
        image = self.images[place]
        for each in self.transform:
            image = each(image)
        return image, self.labels[place]


def training_data(augmentation: str) -> Dataset[tuple[Tensor, Tensor]]:
    """The digits to train with, in one of five pipelines."""
    normalize = Normalize(0.305, 0.376)

    def digits(*transform: Callable[[Tensor], Tensor]) -> Digits:
        return Digits(0, TRAINING_SAMPLES, [*transform, normalize])

    match augmentation:
        case "shift":
            return digits(Shift(1))
        case "noise":
            return digits(Noise(0.1))
        case "shift and noise":
            return digits(Shift(1), Noise(0.1))
        case "extra shifted copy":
            return ConcatDataset([digits(), digits(Shift(1))])
        case _:
            return digits()


class Perceptron(nn.Module):
    """Two linear layers."""

    def __init__(self, width: int, dropout: float | None) -> None:
        super().__init__()
        self.hidden, self.output = nn.Linear(64, width), nn.Linear(width, 10)
        self.dropout = nn.Identity() if dropout is None else nn.Dropout(dropout)

    def forward(self, images: Tensor) -> Tensor:
        """Logits of shape (N, 10) for images of shape (N, 1, 8, 8)."""
        return self.output(self.dropout(functional.leaky_relu(self.hidden(images.flatten(1)))))


class Convolutions(Perceptron):
    """A convolution before them."""

    def __init__(self, width: int, dropout: float | None) -> None:
        super().__init__(width, dropout)
        self.convolution = nn.Conv2d(1, 16, 3)
        self.hidden = nn.Linear(16 * 3 * 3, width)

    def forward(self, images: Tensor) -> Tensor:
        """Logits of shape (N, 10) for images of shape (N, 1, 8, 8)."""
        return super().forward(functional.max_pool2d(functional.leaky_relu(self.convolution(images)), 2))


NETWORKS = {"perceptron": Perceptron, "convolutions": Convolutions}


class Mean(Metric):
    """The mean over all samples; metrics of mindscope.torch import torchmetrics, which takes seconds."""

    def __init__(self, measure: Callable[[Tensor, Tensor], Tensor]) -> None:
        self.measure = measure
        self.clear()

    def clear(self) -> None:
        self.total, self.count = 0.0, 0

    def update(self, *inputs: Any) -> None:
        logits, labels = inputs
        self.total += float(self.measure(logits, labels).sum())
        self.count += len(labels)

    def eval(self) -> float:
        return self.total / self.count


def is_right(logits: Tensor, labels: Tensor) -> Tensor:
    """Whether each answer is right: (N,) of bool."""
    return logits.argmax(1) == labels


class Annealing(Callback):
    """Lets the learning rate fall like a cosine over the training."""

    def __init__(self, optimizer: Optimizer, steps: int) -> None:
        self.scheduler = CosineAnnealingLR(optimizer, steps)

    def on_train_step_end(self, run_context: RunContext) -> None:
        self.scheduler.step()


class Outcome(Callback):
    """Ends a training that diverged, and records how each one ended."""

    def __init__(self, collector: SummaryCollector) -> None:
        self.collector = collector
        self.text = ""

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if not math.isfinite(float(params.net_outputs)):
            self.text = "diverged"
            run_context.request_stop()

    def on_train_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        is_early = params.cur_epoch_num < params.epoch_num
        self.text = self.text or ("stopped early" if is_early else "finished")
        self.collector.record.add_value("custom_lineage_data", "", {"outcome": self.text})


def train(directory: Path, trial: Trial, epochs: int) -> str:
    """Train and record one network; returns how it ended."""
    torch.manual_seed(trial.seed)
    net = NETWORKS[trial.network](trial.width, trial.dropout)
    parameters = net.parameters()
    optimizer = OPTIMIZERS[trial.optimizer](parameters, lr=trial.learning_rate, weight_decay=trial.weight_decay)
    loader = DataLoader(training_data(trial.augmentation), batch_size=trial.batch_size, shuffle=True)
    valid = DataLoader(Digits(TRAINING_SAMPLES, 1797, [Normalize(0.305, 0.376)]), batch_size=256)
    collector = SummaryCollector(directory, collect_freq=20, custom_lineage_data=trial.described())
    outcome = Outcome(collector)
    callbacks: list[Callback] = [EarlyStopping("accuracy", patience=2, mode="max"), outcome, collector]
    if trial.is_annealed:
        callbacks.insert(0, Annealing(optimizer, epochs * len(loader)))
    metrics = {"accuracy": Mean(is_right), "loss": Mean(nn.CrossEntropyLoss(reduction="none"))}
    model = Model(net, nn.CrossEntropyLoss(), optimizer, metrics=metrics)
    model.fit(epochs, loader, valid, callbacks=callbacks)
    return outcome.text


def sweep(directory: Path, runs: int, epochs: int, seed: int) -> None:
    """Train one network after another; a directory that exists gets further runs."""
    present = len(list(directory.glob("run_*")))
    for number, trial in zip(range(1, present + runs + 1), trials(seed), strict=False):
        if number > present:
            outcome = train(directory / f"run_{number:02}", trial, epochs)
            print(f"run_{number:02}  {trial.optimizer} {trial.learning_rate:g}  {outcome}", flush=True)


def main() -> None:
    """Parse the command line, train, and print the best run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", type=Path, default=Path("runs/sweep"))
    parser.add_argument("--runs", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0, help="of the choice of settings")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the networks are too small for more
    sweep(arguments.directory, arguments.runs, arguments.epochs, arguments.seed)
    best = mindscope.open_runs(arguments.directory).lineage().best("accuracy")
    if best is not None:
        print(f"best: {best['run']} with accuracy {best['metric/accuracy']:.3f}")


if __name__ == "__main__":
    main()
