# SPDX-License-Identifier: Apache-2.0
"""Small trainings of MindSpore on sklearn's digits, for a process that MindSpore runs in."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import mindspore
import mindspore.dataset as ds
import numpy as np
from mindspore import dtype, nn
from mindspore.common.initializer import Normal
from mindspore.dataset import transforms, vision
from sklearn.datasets import load_digits

SIZE = 16
"""Pixels of a side of what the convolutions get."""


def begin(mode: int = mindspore.GRAPH_MODE) -> None:
    """The same numbers in every process."""
    mindspore.set_context(mode=mode)
    mindspore.set_seed(1)
    np.random.seed(1)
    ds.config.set_seed(1)


def write_mnist(directory: Path) -> Path:
    """Files in the format of MNIST."""
    digits = load_digits()
    images = np.kron((digits.images * 15).astype(np.uint8), np.ones((1, 3, 3), np.uint8))
    images = np.pad(images, ((0, 0), (2, 2), (2, 2)))
    for split, name, rows in (("train", "train", slice(0, 640)), ("test", "t10k", slice(640, 768))):
        (directory / split).mkdir(parents=True, exist_ok=True)
        pictures, labels = images[rows], digits.target[rows].astype(np.uint8)
        head = struct.pack(">IIII", 2051, len(pictures), 28, 28)
        (directory / split / f"{name}-images-idx3-ubyte").write_bytes(head + pictures.tobytes())
        head = struct.pack(">II", 2049, len(labels))
        (directory / split / f"{name}-labels-idx1-ubyte").write_bytes(head + labels.tobytes())
    return directory


def mnist(directory: Path, samples: int | None = None, batch_size: int = 16) -> Any:
    """The pipeline of the LeNet tutorial."""
    data = ds.MnistDataset(str(directory), num_samples=samples, shuffle=True)
    data = data.map(operations=transforms.TypeCast(dtype.int32), input_columns="label")
    steps = [vision.Resize((SIZE, SIZE)), vision.Rescale(1 / 255, 0.0), vision.Rescale(3.25, -0.42), vision.HWC2CHW()]
    return data.map(operations=steps, input_columns="image").batch(batch_size, drop_remainder=True)


class Digits:
    """Rows of pixels and their labels, as 0-d arrays: NumPy 2 and MindSpore disagree on plain numbers."""

    def __init__(self, count: int) -> None:
        digits = load_digits()
        self._pixels = (digits.data / 16).astype(np.float32)[:count]
        self._labels = digits.target.astype(np.int32)[:count]

    def __len__(self) -> int:
        return len(self._pixels)

    def __getitem__(self, place: int) -> tuple[Any, Any]:
        return self._pixels[place], np.asarray(self._labels[place])


def digits(count: int, batch_size: int) -> Any:
    data = ds.GeneratorDataset(Digits(count), ["data", "label"], shuffle=False, num_parallel_workers=1)
    return data.batch(batch_size, drop_remainder=True)


class Convolutions(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 2, 3, pad_mode="valid")
        self.conv2 = nn.Conv2d(2, 3, 3, pad_mode="valid")
        self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()
        self.fc1 = nn.Dense(12, 8, weight_init=Normal(0.1))
        self.fc3 = nn.Dense(8, 10, weight_init=Normal(0.1))

    def construct(self, x: Any) -> Any:
        x = self.pool(self.relu(self.conv2(self.pool(self.relu(self.conv1(x))))))
        return self.fc3(self.relu(self.fc1(self.flatten(x))))


class Perceptron(nn.Cell):
    def __init__(self, hidden: int = 12) -> None:
        super().__init__()
        self.fc1 = nn.Dense(64, hidden)
        self.act = nn.Tanh()
        self.fc2 = nn.Dense(hidden, 10)

    def construct(self, x: Any) -> Any:
        return self.fc2(self.act(self.fc1(x)))


def loss_function() -> Any:
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
