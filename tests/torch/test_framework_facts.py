# SPDX-License-Identifier: Apache-2.0
"""Lineage fields of trainings by Lightning and Transformers."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from digits import SmallNet, batches
from recorded_row import row_of
from torch import Tensor, nn
from torch.optim import SGD, lr_scheduler

from mindscope.torch import SummaryCollector

pytestmark = pytest.mark.framework


@pytest.mark.filterwarnings("ignore")
def test_fields_of_lightning(tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning")
    collector_callback = import_module("mindscope.torch.integrations.lightning").CollectorCallback

    class Small(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.net = SmallNet()

        def training_step(self, batch: Any, number: int) -> Tensor:
            return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

        def configure_optimizers(self) -> Any:
            groups = [{"params": self.net.conv1.parameters()}, {"params": self.net.fc1.parameters(), "momentum": 0.5}]
            optimizer = SGD(groups, lr=0.1, momentum=0.9)
            return [optimizer], [lr_scheduler.ExponentialLR(optimizer, 0.5)]

    lightning.seed_everything(11, verbose=False)
    trainer = lightning.Trainer(
        max_epochs=1, accelerator="cpu", precision="bf16-mixed", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False,
        callbacks=[collector_callback(SummaryCollector(tmp_path))],
    )  # fmt: skip
    trainer.fit(Small(), batches(32))
    row = row_of(tmp_path)
    want = {
        "seed": 11, "precision": "float32", "precision.compute": "bfloat16", "precision.level": "bf16-mixed",
        "optimizer.momentum": 0.9, "optimizer.group_1.momentum": 0.5, "scheduler": "ExponentialLR",
        "scheduler.gamma": 0.5, "model/parameters": 750, "dataset/train_size": 32,
    }  # fmt: skip
    assert {name: row.get(name) for name in want} == want
    assert "fact/versions.lightning" in row


@pytest.mark.filterwarnings("ignore")
def test_fields_of_transformers(tmp_path: Path) -> None:
    small_trainer = import_module("small_transformers").small_trainer
    collector_callback = import_module("mindscope.torch.integrations.transformers").CollectorCallback
    trainer = small_trainer(
        tmp_path / "out", 32, [collector_callback(SummaryCollector(tmp_path / "run"))], report_to=[], seed=13,
        weight_decay=0.1, warmup_steps=2, bf16=True, learning_rate=0.001,
    )  # fmt: skip
    trainer.train()
    row = row_of(tmp_path / "run")
    want = {
        "seed": 13, "precision": "float32", "precision.compute": "bfloat16", "precision.level": "bf16",
        "learning_rate": 0.001, "optimizer.weight_decay": 0.1, "optimizer.group_1.weight_decay": 0.0,
        "scheduler": "LambdaLR", "scheduler.num_warmup_steps": 2, "scheduler.num_training_steps": 2,
        "model/parameters": trainer.model.num_parameters(), "dataset/train_size": 32, "batch_size": 16,
    }  # fmt: skip
    assert {name: row.get(name) for name in want} == want
    assert {"fact/versions.transformers", "fact/versions.accelerate"} <= set(row)
