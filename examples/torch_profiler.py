# SPDX-License-Identifier: Apache-2.0
"""Profiling a training.

python examples/torch_profiler.py --output-path data --count 320
"""

from __future__ import annotations

import argparse

import torch
from torch import nn
from torch_lenet import LeNet5, create_dataset

from mindscope.torch import Model, Profiler

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output-path", default="./data")
    parser.add_argument("--count", type=int, default=320)
    arguments = parser.parse_args()
    # Init Profiler
    profiler = Profiler(output_path=arguments.output_path, is_detail=True, is_show_op_path=False, subgraph="all")

    net = LeNet5(10)
    optim = torch.optim.SGD(net.parameters(), lr=0.01)
    model = Model(net, loss_fn=nn.CrossEntropyLoss(), optimizer=optim, metrics=None)
    # Model Train
    model.train(1, create_dataset(arguments.count))

    # Profiler end
    profiler.analyse()
