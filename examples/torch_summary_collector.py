# SPDX-License-Identifier: Apache-2.0
"""A collector with its defaults, and one that leaves the loss out and takes the first layer's parameters.

python examples/torch_summary_collector.py --summary-dir summary_dir
"""

from __future__ import annotations

import argparse

import torch
from torch import nn
from torch_lenet import LeNet5, create_dataset

from mindscope.torch import GRAPH_MODE, Accuracy, Model, SummaryCollector, set_context

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary-dir", default="./summary_dir")
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--device-target", default="GPU" if torch.cuda.is_available() else "CPU")
    arguments = parser.parse_args()
    set_context(mode=GRAPH_MODE, device_target=arguments.device_target)
    ds_train = create_dataset(arguments.count)
    network = LeNet5(10)
    net_loss = nn.CrossEntropyLoss(reduction="mean")
    net_opt = torch.optim.SGD(network.parameters(), 0.01, 0.9)
    model = Model(network, net_loss, net_opt, metrics={"Accuracy": Accuracy()}, amp_level="O2")

    # Simple usage:
    summary_collector = SummaryCollector(summary_dir=arguments.summary_dir)
    model.train(1, ds_train, callbacks=[summary_collector], dataset_sink_mode=False)

    # Do not collect metric and collect the first layer parameter, others are collected by default
    specified = {"collect_metric": False, "histogram_regular": "^conv1.*"}
    summary_collector = SummaryCollector(
        summary_dir=f"{arguments.summary_dir}_specified", collect_specified_data=specified
    )
    model.train(1, ds_train, callbacks=[summary_collector], dataset_sink_mode=False)
