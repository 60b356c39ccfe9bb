# SPDX-License-Identifier: Apache-2.0
"""Checkpoints, the printed loss and a collector in one list of callbacks.

python examples/torch_callbacks.py --directory checkpoints --summary-dir summary_dir
"""

from __future__ import annotations

import argparse

import torch
from torch import nn
from torch_lenet import LeNet5, create_dataset

from mindscope.torch import LossMonitor, Model, ModelCheckpoint, SummaryCollector

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", default="./checkpoints")
    parser.add_argument("--summary-dir", default="./summary_dir")
    parser.add_argument("--count", type=int, default=1500)
    arguments = parser.parse_args()
    epoch, dataset = 2, create_dataset(arguments.count)
    network = LeNet5(10)
    model = Model(network, nn.CrossEntropyLoss(), torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9))

    ckpt_cb = ModelCheckpoint(directory=arguments.directory)
    loss_cb = LossMonitor()
    summary_cb = SummaryCollector(summary_dir=arguments.summary_dir)
    model.train(epoch, dataset, callbacks=[ckpt_cb, loss_cb, summary_cb])
