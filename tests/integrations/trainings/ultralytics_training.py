# SPDX-License-Identifier: Apache-2.0
"""A class of the shape of Ultralytics' trainer: the library takes 190 MB with OpenCV, so that tests do without it.

Names, order and time of the events, and what a trainer holds at them, are those of ultralytics 8.4.190.
"""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from harness import Planted, curve, digest, run
from torch import nn

from mindscope.integrations.ultralytics import record


class Model:
    def __init__(self) -> None:
        self.callbacks: dict[str, list[Callable[[Any], None]]] = {}

    def add_callback(self, event: str, func: Callable[[Any], None]) -> None:
        self.callbacks.setdefault(event, []).append(func)


class Trainer:
    def __init__(self, model: Model, save_dir: Path, fails: bool) -> None:
        self.callbacks, self.save_dir, self.fails = model.callbacks, save_dir, fails
        self.args = SimpleNamespace(epochs=3, lr0=0.1, imgsz=32, data=None)
        self.network = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5), nn.Linear(2, 1))
        self.rows: list[tuple[float, float]] = []

    def run_callbacks(self, event: str) -> None:
        for callback in self.callbacks.get(event, []):
            callback(self)

    def label_loss_items(self, loss_items: Any = None, prefix: str = "train") -> Any:
        return {f"{prefix}/{name}": round(float(value), 5) for name, value in loss_items.items()}

    def train(self) -> None:
        try:
            self.run_callbacks("on_pretrain_routine_start")
            optimizer = torch.optim.SGD(self.network.parameters(), lr=0.1)
            for epoch in range(3):
                self.epoch = epoch
                if self.fails and epoch == 2:
                    raise Planted
                optimizer.zero_grad()
                loss = self.network(torch.ones(4, 3)).square().mean()
                loss.backward()
                optimizer.step()
                self.tloss, self.lr = {"box_loss": loss.detach()}, {"lr/pg0": 0.1 / (epoch + 1)}
                self.run_callbacks("on_train_epoch_end")
                self.metrics = {"metrics/mAP50(B)": epoch / 4, "val/box_loss": 0.5}
                self.rows.append((round(float(loss), 5), self.lr["lr/pg0"]))
                self.run_callbacks("on_fit_epoch_end")
            self.run_callbacks("on_train_end")
        finally:
            self.run_callbacks("teardown")


def train(log_dir: Path | None, fails: bool) -> dict[str, Any]:
    model = Model()
    if log_dir is not None:
        record(model, None if log_dir.name == "run" else log_dir)
    trainer = Trainer(model, Path("unused") if log_dir is None else log_dir, fails)
    trainer.train()
    losses, rates = zip(*trainer.rows, strict=True)
    return {
        "digest": digest(*(value.detach().numpy() for value in trainer.network.parameters())),
        "curves": {
            "train/box_loss": curve([1, 2, 3], losses), "lr/pg0": curve([1, 2, 3], rates),
            "metrics/mAP50(B)": curve([1, 2, 3], [0, 0.25, 0.5]),
        },
    }  # fmt: skip


if __name__ == "__main__":
    run(train)
