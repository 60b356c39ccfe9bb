# SPDX-License-Identifier: Apache-2.0
"""Gradients, recorded by summary operators in an optimizer that inherits another.

python examples/torch_summary_gradients.py --summary-dir summary_dir/summary_gradients
"""

from __future__ import annotations

import argparse
from typing import Any

import torch
from torch import nn
from torch_lenet import LeNet5, create_dataset

from mindscope.torch import Accuracy, HistogramSummary, LossMonitor, Model, SummaryCollector, TimeMonitor


class MyOptimizer(torch.optim.SGD):
    """Records the gradients that it is given."""

    def __init__(self, network: nn.Module, **kwargs: Any) -> None:
        super().__init__(network.parameters(), **kwargs)
        self.histogram_summary = HistogramSummary()
        self.named = list(network.named_parameters())

    def step(self, closure: Any = None) -> Any:
        """Record, then change the weights."""
        for name, parameter in self.named:
            self.histogram_summary(f"{name}.gradient", parameter.grad)
        return super().step(closure)


def train(summary_dir: str, count: int) -> None:
    """Train one epoch over so many samples."""
    ds_train, network = create_dataset(count), LeNet5(10)
    net_opt = MyOptimizer(network, lr=0.002, momentum=0.9)
    model = Model(network, nn.CrossEntropyLoss(), net_opt, metrics={"Accuracy": Accuracy()})
    summary_collector = SummaryCollector(
        summary_dir=summary_dir, collect_freq=200, keep_default_action=False, collect_tensor_freq=200
    )
    print("============== Starting Training ==============")
    model.train(
        epoch=1,
        train_dataset=ds_train,
        callbacks=[TimeMonitor(data_size=len(ds_train)), LossMonitor(), summary_collector],
        dataset_sink_mode=False,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary-dir", default="./summary_dir/summary_gradients")
    parser.add_argument("--count", type=int, default=1500)
    arguments = parser.parse_args()
    train(arguments.summary_dir, arguments.count)
