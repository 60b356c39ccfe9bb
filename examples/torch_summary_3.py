# SPDX-License-Identifier: Apache-2.0
"""A callback of one's own that records with a SummaryRecord.

python examples/torch_summary_3.py --summary-dir summary_dir/summary_03
"""

from __future__ import annotations

import argparse
from typing import Any

import torch
from torch import nn
from torch_lenet import LeNet5, create_dataset

from mindscope import SummaryRecord
from mindscope.torch import Accuracy, Callback, LossMonitor, Model, RunContext


class MyCallback(Callback):
    """Records the input and the loss of each step."""

    def __init__(self, summary_dir: str) -> None:
        self._summary_dir = summary_dir

    def __enter__(self) -> MyCallback:
        self.summary_record = SummaryRecord(self._summary_dir)
        return self

    def __exit__(self, *exc_args: Any) -> None:
        self.summary_record.close()

    def step_end(self, run_context: RunContext) -> None:
        """Record one step."""
        cb_params = run_context.original_args()
        self.summary_record.add_value("image", "image0", cb_params.train_dataset_element[0])
        self.summary_record.add_value("scalar", "loss", cb_params.net_outputs)
        self.summary_record.record(cb_params.cur_step_num)


def train(summary_dir: str, count: int) -> None:
    """Train one epoch over so many samples."""
    network = LeNet5(10)
    net_opt = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    model = Model(network, nn.CrossEntropyLoss(), net_opt, metrics={"Accuracy": Accuracy()})
    specified_callback = MyCallback(summary_dir=summary_dir)
    print("============== Starting Training ==============")
    model.train(
        epoch=1,
        train_dataset=create_dataset(count),
        callbacks=[LossMonitor(), specified_callback],
        dataset_sink_mode=False,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary-dir", default="./summary_dir/summary_03")
    parser.add_argument("--count", type=int, default=1500)
    arguments = parser.parse_args()
    train(arguments.summary_dir, arguments.count)
