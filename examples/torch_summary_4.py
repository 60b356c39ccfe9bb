# SPDX-License-Identifier: Apache-2.0
"""A training loop of one's own: with a SummaryRecord, and the same with a collector.

python examples/torch_summary_4.py --summary-dir summary_dir/summary_04
"""

from __future__ import annotations

import argparse

import torch
from torch import nn
from torch_lenet import LeNet5, create_dataset

from mindscope.torch import SummaryCollector, SummaryRecord


def train(summary_dir: str, count: int, epochs: int = 2, summary_collect_frequency: int = 2) -> None:
    """Train over so many samples, and record the loss into ``summary_dir``, the collector's into ``_collector``."""
    ds_train, network, loss_fn = create_dataset(count), LeNet5(10), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    collector = SummaryCollector(f"{summary_dir}_collector", collect_freq=summary_collect_frequency)
    with SummaryRecord(summary_dir, network=network) as summary_record, collector:
        for epoch in range(epochs):
            for step, (images, labels) in enumerate(ds_train, start=1):
                loss = loss_fn(network(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

                current_step = epoch * len(ds_train) + step
                print(f"step: {current_step}, losses: {loss.item()}")
                collector.step(loss, network=network, optimizer=optimizer, loss_fn=loss_fn, train_dataset=ds_train)
                if current_step % summary_collect_frequency == 0:
                    summary_record.add_value("scalar", "loss", loss)
                    summary_record.record(current_step)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary-dir", default="./summary_dir/summary_04")
    parser.add_argument("--count", type=int, default=1500)
    arguments = parser.parse_args()
    train(arguments.summary_dir, arguments.count)
