# SPDX-License-Identifier: Apache-2.0
"""Metrics: by themselves, and those of a model.

python examples/torch_custom_metrics.py
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from torch import nn
from torch_lenet import LeNet5, create_dataset

from mindscope.torch import F1, Accuracy, Loss, Model, Precision, Recall

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1500)
    arguments = parser.parse_args()

    x = torch.tensor(np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]))
    y = torch.tensor(np.array([1, 0, 1]))
    metric = Accuracy()
    metric.clear()
    metric.update(x, y)
    accuracy = metric.eval()
    print("Accuracy is", round(accuracy, 4))

    metrics = {
        "accuracy": Accuracy(),
        "loss": Loss(),
        "precision": Precision(),
        "recall": Recall(),
        "f1_score": F1(),
    }
    network = LeNet5(10)
    net_opt = torch.optim.SGD(network.parameters(), lr=0.02, momentum=0.9)
    model = Model(network=network, loss_fn=nn.CrossEntropyLoss(), optimizer=net_opt, metrics=metrics)
    model.train(2, create_dataset(arguments.count))
    for name, value in model.eval(create_dataset(arguments.count)).items():
        print(name, value)
