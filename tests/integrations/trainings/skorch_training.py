# SPDX-License-Identifier: Apache-2.0
from pathlib import Path
from typing import Any

import numpy as np
import torch
from harness import Planted, curve, digest, run
from sklearn.base import clone
from skorch import NeuralNetClassifier
from skorch.callbacks import Callback
from torch import nn

from mindscope.integrations.skorch import MindscopeCallback

GENERATOR = np.random.default_rng(0)
ROWS, LABELS = GENERATOR.random((60, 4), np.float32), GENERATOR.integers(0, 2, 60)


class Net(nn.Module):
    def __init__(self, width: int = 3) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, width), nn.Dropout(0.5), nn.Linear(width, 2), nn.Softmax(-1))

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return self.layers(X)


class Fails(Callback):
    def on_epoch_begin(self, net: Any, **kwargs: Any) -> None:
        if len(net.history) == 2:
            raise Planted


def train(log_dir: Path | None, fails: bool) -> dict[str, Any]:
    callbacks: list[Any] = [] if log_dir is None else [MindscopeCallback(log_dir)]
    callbacks += [Fails()] if fails else []
    net = NeuralNetClassifier(Net, module__width=5, max_epochs=3, lr=0.1, verbose=0, callbacks=callbacks)
    net = clone(net)
    net.fit(ROWS, LABELS)
    epochs = net.history[:, "epoch"]
    return {
        "digest": digest(*(value.detach().numpy() for value in net.module_.parameters())),
        "curves": {
            "Loss/train_loss": curve(epochs, net.history[:, "train_loss"]),
            "Loss/valid_loss": curve(epochs, net.history[:, "valid_loss"]),
            "Loss/valid_acc": curve(epochs, net.history[:, "valid_acc"]),
        },
    }


if __name__ == "__main__":
    run(train)
