# SPDX-License-Identifier: Apache-2.0
"""A collector records a training and its evaluation by itself.

python examples/torch_summary_1.py --summary-dir summary_dir/summary_01
"""

from __future__ import annotations

import argparse

import torch
from torch import nn
from torch_lenet import LeNet5, create_dataset

from mindscope.torch import Accuracy, LossMonitor, Model, SummaryCollector, TimeMonitor


def train(summary_dir: str, count: int, network: nn.Module) -> None:
    """Train one epoch over so many samples, and evaluate."""
    ds_train = create_dataset(count)
    net_loss = nn.CrossEntropyLoss()
    net_opt = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    time_cb = TimeMonitor(data_size=len(ds_train))
    model = Model(network, net_loss, net_opt, metrics={"Accuracy": Accuracy()})

    specified = {
        "collect_metric": True,
        "histogram_regular": "^conv1.*|^conv2.*",
        "collect_graph": True,
        "collect_dataset_graph": True,
    }
    summary_collector = SummaryCollector(
        summary_dir=summary_dir,
        collect_specified_data=specified,
        collect_freq=1,
        keep_default_action=False,
        collect_tensor_freq=200,
    )

    print("============== Starting Training ==============")
    model.train(
        epoch=1,
        train_dataset=ds_train,
        callbacks=[time_cb, LossMonitor(), summary_collector],
        dataset_sink_mode=False,
    )
    print("============== Starting Evaluation ==============")
    print(model.eval(create_dataset(count)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary-dir", default="./summary_dir/summary_01")
    parser.add_argument("--count", type=int, default=1500)
    arguments = parser.parse_args()
    train(arguments.summary_dir, arguments.count, LeNet5(10))
