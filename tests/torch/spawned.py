# SPDX-License-Identifier: Apache-2.0
"""A training of Lightning whose strategy starts the processes itself, after the collector was made."""

from __future__ import annotations

import sys
from typing import Any

import lightning
import torch
from digits import SmallNet, batches
from torch import Tensor, nn

from mindscope.torch import SummaryCollector
from mindscope.torch.integrations.lightning import CollectorCallback


class Digits(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.net = SmallNet()

    def training_step(self, batch: Any, number: int) -> Tensor:
        return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    landscape = {"intervals": [[1, 2, 3]]}
    collector = SummaryCollector(sys.argv[1], collect_freq=1, collect_specified_data={"collect_landscape": landscape})
    trainer = lightning.Trainer(
        accelerator="cpu", devices=2, strategy="ddp_spawn", max_epochs=1, callbacks=[CollectorCallback(collector)],
        logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
    )  # fmt: skip
    trainer.fit(Digits(), batches(64))
