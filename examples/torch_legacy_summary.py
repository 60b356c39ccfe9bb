# SPDX-License-Identifier: Apache-2.0
"""The callbacks from before the collector: SummaryStep, TrainLineage and EvalLineage on a recorder of the script's own.

python examples/torch_legacy_summary.py --summary-dir summary
"""

from __future__ import annotations

import argparse
from typing import Any

import torch
from torch import Tensor, nn
from torch_lenet import LeNet5, create_dataset

from mindscope.torch import (
    EvalLineage,
    HistogramSummary,
    Model,
    ScalarSummary,
    SummaryRecord,
    SummaryStep,
    TrainLineage,
)


class CrossEntropyLoss(nn.Module):
    """Records the loss that it computes."""

    def __init__(self) -> None:
        super().__init__()
        self.cross_entropy = nn.CrossEntropyLoss()
        self.sm_scalar = ScalarSummary()

    def forward(self, logits: Tensor, label: Tensor) -> Tensor:
        """The loss of a batch."""
        loss = self.cross_entropy(logits, label)
        self.sm_scalar("loss", loss)
        return loss


class MyOptimizer(torch.optim.SGD):
    """Records its learning rate, and the first weight with its gradient."""

    def __init__(self, network: nn.Module, **kwargs: Any) -> None:
        super().__init__(network.parameters(), **kwargs)
        self.sm_scalar = ScalarSummary()
        self.histogram_summary = HistogramSummary()
        self.named = list(network.named_parameters())

    def step(self, closure: Any = None) -> Any:
        """Record, then change the weights."""
        name, weight = self.named[0]
        self.sm_scalar("learning_rate", self.param_groups[0]["lr"])
        self.histogram_summary(name, weight)
        self.histogram_summary(f"{name}.gradient", weight.grad)
        return super().step(closure)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary-dir", default="./summary")
    parser.add_argument("--count", type=int, default=1500)
    arguments = parser.parse_args()
    net = LeNet5(10)
    optim = MyOptimizer(net, lr=0.01)
    model = Model(net, loss_fn=CrossEntropyLoss(), optimizer=optim, metrics={"accuracy"})
    with SummaryRecord(log_dir=arguments.summary_dir, network=net) as summary_writer:
        summary_callback = SummaryStep(summary_writer, flush_step=2)
        train_callback = TrainLineage(summary_writer)
        model.train(2, create_dataset(arguments.count), callbacks=[summary_callback, train_callback])
        eval_callback = EvalLineage(summary_writer)
        model.eval(create_dataset(arguments.count), callbacks=[eval_callback])
