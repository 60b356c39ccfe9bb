# SPDX-License-Identifier: Apache-2.0
from pathlib import Path
from typing import Any

import torch
from fastai.callback.core import Callback
from fastai.data.core import DataLoaders
from fastai.data.load import DataLoader
from fastai.learner import Learner
from fastai.metrics import accuracy
from harness import Planted, curve, digest, run
from torch import nn

from mindscope.integrations.fastai import MindscopeCallback


class Kept(Callback):
    order = 90

    def before_fit(self) -> None:
        self.losses: list[float] = []
        self.rates: list[float] = []

    def after_batch(self) -> None:
        if self.training:
            self.losses.append(float(self.smooth_loss))
            self.rates.append(self.opt.hypers[-1]["lr"])


class Fails(Callback):
    def before_batch(self) -> None:
        if self.train_iter == 4:
            raise Planted


def train(log_dir: Path | None, fails: bool) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(0)
    rows = torch.rand(32, 4, generator=generator)
    data = list(zip(rows, (rows.sum(1) > 2).long(), strict=True))
    loaders = DataLoaders(DataLoader(data[:24], bs=8, shuffle=True), DataLoader(data[24:], bs=8))
    network = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5), nn.Linear(3, 2))
    kept = Kept()
    callbacks: list[Any] = [kept] if log_dir is None else [kept, MindscopeCallback(log_dir)]
    callbacks += [Fails()] if fails else []
    learner = Learner(loaders, network, loss_func=nn.CrossEntropyLoss(), metrics=accuracy, cbs=callbacks)
    with learner.no_logging():
        learner.fit(2, 0.1)
        values, losses, rates = list(learner.recorder.values), kept.losses, kept.rates
        learner.validate()
        learner.get_preds()
    steps = range(1, 7)
    return {
        "digest": digest(*(value.detach().numpy() for value in network.parameters())),
        "curves": {
            "train_loss": curve(steps, losses), "lr_0": curve(steps, rates),
            "valid_loss": curve([3, 6], [row[1] for row in values]),
            "accuracy": curve([3, 6], [row[2] for row in values]),
        },
    }  # fmt: skip


if __name__ == "__main__":
    run(train)
