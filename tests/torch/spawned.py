# SPDX-License-Identifier: Apache-2.0
"""A training of Lightning whose strategy starts the processes itself, after the collector was made.

They get the collector pickled, as with the strategy "ddp_spawn", from a process that imports Lightning for both.
"""

from __future__ import annotations

import multiprocessing
import sys
from typing import Any

import lightning
import torch
from digits import SmallNet, batches
from lightning.pytorch.strategies import DDPStrategy
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
    multiprocessing.set_forkserver_preload(["lightning", "torch._dynamo", "mindscope.torch.integrations.lightning"])
    landscape = {"intervals": [[1, 2, 3]]}
    collector = SummaryCollector(sys.argv[1], collect_freq=1, collect_specified_data={"collect_landscape": landscape})
    trainer = lightning.Trainer(
        accelerator="cpu", devices=2, strategy=DDPStrategy(start_method="forkserver"), max_epochs=1,
        callbacks=[CollectorCallback(collector)],
        logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
    )  # fmt: skip
    trainer.fit(Digits(), batches(64))
