# SPDX-License-Identifier: Apache-2.0
"""The network and the data of the examples for MindSpore: LeNet-5 on the digits of scikit-learn."""

from __future__ import annotations

import argparse
from typing import Any

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.common.initializer import Normal
from mindspore.dataset import transforms, vision
from mindspore.train import Accuracy, Model
from sklearn.datasets import load_digits

from mindscope.mindspore import ArrayRows


def create_dataset(count: int, batch_size: int = 32) -> Any:
    """So many digits, 1 x 32 x 32, in batches."""
    digits = load_digits()
    images = (digits.images[:count, :, :, np.newaxis] * 15).astype(np.uint8)
    data = ds.GeneratorDataset(ArrayRows((images, digits.target[:count])), ["image", "label"], shuffle=True)
    data = data.map(operations=transforms.TypeCast(ms.int32), input_columns="label")
    steps = [vision.Resize((32, 32)), vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()]
    return data.map(operations=steps, input_columns="image").batch(batch_size, drop_remainder=True)


class LeNet5(nn.Cell):
    """LeNet-5."""

    def __init__(self, num_classes: int = 10, channel: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channel, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(16 * 5 * 5, 120, weight_init=Normal(0.02))
        self.fc2 = nn.Dense(120, 84, weight_init=Normal(0.02))
        self.fc3 = nn.Dense(84, num_classes, weight_init=Normal(0.02))
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x: Any) -> Any:
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.relu(self.fc1(self.flatten(x)))
        return self.fc3(self.relu(self.fc2(x)))


def make_model(network: nn.Cell, optimizer: nn.Optimizer | None = None) -> Model:
    """The network with its loss, accuracy, and Momentum where no other optimizer is given, in graph mode."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net_loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    net_opt = optimizer or nn.Momentum(network.trainable_params(), 0.01, 0.9)
    return Model(network, net_loss, net_opt, metrics={"Accuracy": Accuracy()})


def arguments(summary_dir: str, description: str) -> argparse.Namespace:
    """What the examples are called with."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--summary-dir", default=summary_dir)
    parser.add_argument("--count", type=int, default=1500)
    return parser.parse_args()
